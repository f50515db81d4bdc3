import { spawn } from "node:child_process";
import { hash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { programOf } from "../../../scripts/program.ts";
import { type S3Server, startS3 } from "../../blobs/testing/s3/server.ts";
import { collections, readBlob, readUpload } from "../../documents/files/records.ts";
import { usedOf } from "../../documents/files/usage.ts";
import { isJsonObject } from "../../json.ts";
import type { RealmModule } from "../../realm/exchange.ts";
import type { S3Storage, StorageDefinition } from "../../realm/files.ts";
import {
  type EmbeddedPlace,
  embeddedPlace,
  type ProcessPlace,
  processPlace,
  type TestPlace,
} from "../../store/testing/stores.ts";
import { untilHolds } from "../../testing/until.ts";
import { run } from "../main.ts";
import { filesModule } from "../testing/fixture-files.ts";
import { type Started, startRealm } from "../testing/servers.ts";

let from: EmbeddedPlace;
let to: ProcessPlace;
let back: EmbeddedPlace;
/** Data folder of the servers on `to`. */
let data: string;
let s3: S3Server;
beforeEach(async () => {
  [from, to, back] = [embeddedPlace(), processPlace(), embeddedPlace()];
  data = mkdtempSync(join(tmpdir(), "copy-data-"));
  s3 = await startS3();
});
afterEach(async () => {
  for (const place of [from, to, back]) await place.discard();
  await s3.close();
  rmSync(data, { recursive: true, force: true });
});

/** The bucket, as the command line and as the configuration names it. */
const bucket = () => `s3://files/shop/?endpoint=${s3.endpoint}&region=${s3.key.region}&path_style=true`;
const driver = (): S3Storage => ({
  kind: "s3",
  bucket: "files",
  endpoint: s3.endpoint,
  region: s3.key.region,
  pathStyle: true,
  prefix: "shop/",
});
const s3Environment = () => ({
  SVC_S3_ACCESS_KEY_ID: s3.key.accessKeyId,
  SVC_S3_SECRET_ACCESS_KEY: s3.key.secretAccessKey,
});

async function command(module: RealmModule, ...words: readonly string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const code = await run({ fingerprint: "f", realms: [module] }, ["copy", ...words], {
    environment: s3Environment(),
    out: (line) => out.push(line),
    err: (line) => err.push(line),
  });
  return { code, out: out.join("\n"), err: err.join("\n") };
}

const copy = (...words: readonly string[]) => command(filesModule(to.realm), ...words);
const stores = () => ["--from", from.setting, "--to", to.setting];

/** Works with a server on a place, which is stopped afterwards. */
async function serving<T>(
  place: TestPlace,
  folder: string,
  work: (server: Started) => Promise<T>,
  served: StorageDefinition["driver"] = { kind: "local" },
): Promise<T> {
  const settings = { store: place.location, data: folder, s3Credentials: s3.key };
  const server = await startRealm(filesModule(to.realm, served), { settings });
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

const folderOf = ({ location }: EmbeddedPlace) => (location.engine === "sqlite" ? location.folder : "");

interface Kept {
  readonly document: string;
  readonly file: string;
  readonly sha256: string;
}

async function asked(
  server: Started,
  method: string,
  path: string,
  body?: Uint8Array | string,
  headers?: Readonly<Record<string, string>>,
) {
  const response = await fetch(`${server.url}/v1/${to.realm}/main/papers${path}`, {
    method,
    body: body === undefined ? null : new Blob([Buffer.from(body)]),
    headers: { ...(typeof body === "string" && { "content-type": "application/json" }), ...headers },
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, bytes };
}

async function well(server: Started, method: string, path: string, body?: Uint8Array | string) {
  const { status, bytes } = await asked(server, method, path, body);
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${bytes}`);
  const parsed: unknown = bytes.length === 0 ? {} : JSON.parse(String(bytes));
  if (!isJsonObject(parsed)) throw new Error("no object");
  return parsed;
}

async function uploaded(server: Started, bytes: Uint8Array, id?: string): Promise<Kept> {
  const document = id ?? String((await well(server, "POST", "", "{}"))["id"]);
  const { id: file, sha256 } = await well(server, "POST", `/${document}/_files/scan`, bytes);
  return { document, file: String(file), sha256: String(sha256) };
}

/** So many documents with a file each, and one whose file another has, too. */
function fill(count = 3): Promise<readonly [Kept, Kept, ...Kept[]]> {
  return serving(from, folderOf(from), async (server) => {
    const first = await uploaded(server, Buffer.from("the same"));
    const second = await uploaded(server, Buffer.from("the same"));
    const rest: Kept[] = [];
    for (let at = 1; at < count; at += 1) rest.push(await uploaded(server, randomBytes(100 * at)));
    return [first, second, ...rest] as const;
  });
}

async function expectFiles(server: Started, kept: readonly Kept[]): Promise<void> {
  for (const { document, file, sha256 } of kept) {
    const { status, bytes } = await asked(server, "GET", `/${document}/_files/scan/${file}`);
    expect([status, hash("sha256", bytes)]).toEqual([200, sha256]);
  }
}

/** What a bucket holds of the realm. */
const held = () => [...s3.objects.all.keys()].filter((key) => key.startsWith("shop/"));
const times = (operation: string) => s3.asked.filter((each) => each === operation).length;

/** Where a content lies in a data folder. */
async function pathOf(folder: string, sha256: string): Promise<string> {
  const found = await readdir(join(folder, "files"), { recursive: true, withFileTypes: true });
  const entry = found.find(({ name }) => name === sha256);
  if (entry === undefined) throw new Error(`no ${sha256} in ${folder}`);
  return join(entry.parentPath, sha256);
}

describe("copy of files", () => {
  it("takes the bytes along into the data folder of the other store", async () => {
    const kept = await fill();
    const done = await copy(...stores(), "--files-to", data);
    expect(done).toMatchObject({ code: 0 });
    expect(done.out).toContain(`${to.realm} files: 3 contents, 308 bytes`);
    expect(done.err).toContain(`files from ${folderOf(from)}/files/${to.realm} to ${data}/files/${to.realm}`);
    expect(done.err).toContain(`servers have to be told of the folder: SVC_DATA=${data}`);
    await serving(to, data, (server) => expectFiles(server, kept));
  });

  it("finds the folders beside embedded stores by itself", async () => {
    const kept = await fill();
    const done = await copy("--from", from.setting, "--to", back.setting);
    expect(done).toMatchObject({ code: 0 });
    expect(done.err).not.toContain("SVC_DATA");
    await serving(back, folderOf(back), (server) => expectFiles(server, kept));
  });

  it("moves them into a bucket and back, the same to the byte", async () => {
    const kept = await fill();
    const forth = await copy(...stores(), "--files-to", bucket());
    expect(forth).toMatchObject({ code: 0 });
    expect(forth.err).toContain("storage in realm.yaml has to name s3://files/shop/");
    expect(held()).toHaveLength(3);
    const more = await serving(
      to,
      data,
      async (server) => {
        await expectFiles(server, kept);
        const claim = { name: "a.bin", type: "application/octet-stream", size: 500, sha256: "0".repeat(64) };
        const added = await uploaded(server, randomBytes(70));
        await well(server, "POST", `/${added.document}/_files/video/_uploads`, JSON.stringify(claim));
        return added;
      },
      driver(),
    );
    const used = { bytes: 8 + 8 + 100 + 200 + 70, files: 5, open: { bytes: 500, files: 1 } };
    // The configuration says where they are now.
    const moved = filesModule(to.realm, driver());
    const again = await command(
      moved,
      ...["--from", to.setting, "--to", back.setting, "--files-to", folderOf(back)],
    );
    expect(again).toMatchObject({ code: 0 });
    expect(again.err).toContain("storage in realm.yaml has to be { driver: local }");
    await serving(back, folderOf(back), async (server) => {
      await expectFiles(server, [...kept, more]);
      const store = server.store(to.realm);
      expect(await usedOf(store, "realm")).toEqual(used);
      const [open] = await store.collection(collections.uploads).scan(undefined, 2);
      expect(open && readUpload(open).record.holds).toContain("realm");
    });
  });

  it("leaves them in a bucket that the configuration names for both stores", async () => {
    const kept = await serving(
      from,
      data,
      async (server) => [await uploaded(server, randomBytes(50))],
      driver(),
    );
    s3.asked.length = 0;
    const done = await command(filesModule(to.realm, driver()), ...stores());
    expect(done).toMatchObject({ code: 0 });
    expect(done.err).toContain("files stay in s3://files/shop/");
    expect(s3.asked).toEqual([]);
    await serving(to, data, (server) => expectFiles(server, kept), driver());
  });

  it("without another store, moves files alone, and goes on where what is there is whole", async () => {
    const kept = await fill();
    const there = await copy("--from", from.setting, "--files-to", bucket());
    expect(there).toMatchObject({ code: 0, out: `${to.realm} files: 3 contents, 308 bytes` });
    const [key = ""] = held();
    s3.objects.put(key, Buffer.from(randomBytes(s3.objects.get(key).body.length)), "text/plain");
    s3.asked.length = 0;
    expect(await copy("--from", from.setting, "--files-to", bucket())).toMatchObject({ code: 0 });
    expect(times("PUT put")).toBe(1);
    await serving(from, folderOf(from), (server) => expectFiles(server, kept), driver());
  });

  it("killed in the middle, has no document without its bytes, and goes on where it was", async () => {
    await fill(120);
    s3.faults.push({
      of: /^PUT put/,
      after: 110,
      times: Number.POSITIVE_INFINITY,
      does: { kind: "silence" },
    });
    const words = [...stores(), "--files-to", bucket()];
    const program = await programOf("runtime/instance/testing/fixture-files-process.ts");
    const child = spawn(process.execPath, [program, to.realm, "copy", ...words], {
      stdio: "ignore",
      env: { ...process.env, ...s3Environment() },
    });
    const ended = once(child, "exit");
    await untilHolds(async () => held().length === 110 && times("PUT put") > 110);
    child.kill("SIGKILL");
    await ended;
    s3.faults.length = 0;
    s3.asked.length = 0;
    await serving(to, data, async (server) => {
      const papers = await server.store(to.realm).collection("main.papers").scan(undefined, 10);
      expect(papers).toEqual([]);
    });

    expect(await copy(...words)).toMatchObject({
      code: 0,
      out: expect.stringContaining(`${to.realm} files: 120 contents`),
    });
    expect(held()).toHaveLength(120);
    // Those of the first batch are known to be there; those after it are looked at.
    expect([times("PUT put"), times("GET object")]).toEqual([10, 10]);
  });

  it("tells of contents that are gone or others, by the documents that name them, and copies the rest", async () => {
    const [first, second, third, fourth] = await fill();
    if (third === undefined || fourth === undefined) throw new Error("too few");
    const bytes = readFileSync(await pathOf(folderOf(from), third.sha256));
    writeFileSync(await pathOf(folderOf(from), third.sha256), randomBytes(bytes.length));
    await rm(await pathOf(folderOf(from), first.sha256));
    const failed = await copy(...stores(), "--files-to", data);
    expect(failed.code).toBe(1);
    expect(failed.out).toContain(`${to.realm} files: 1 contents, 200 bytes`);
    const name = ({ document }: Kept) => `main.papers/${document} scan`;
    expect(failed.err).toContain(`there are other bytes of ${third.sha256}, named by ${name(third)}`);
    expect(failed.err).toContain(
      `there are no bytes of ${first.sha256}, named by ${[name(first), name(second)].sort().join(", ")}`,
    );
    expect(failed.err).toContain("2 contents were not copied");
    expect(failed.err).not.toContain("both are the same");

    // Found in a backup.
    writeFileSync(await pathOf(folderOf(from), third.sha256), bytes);
    writeFileSync(
      join(folderOf(from), "files", to.realm, first.sha256.slice(0, 2), first.sha256),
      "the same",
    );
    const mended = await copy("--from", from.setting, "--files-to", data);
    expect(mended).toMatchObject({ code: 0, out: `${to.realm} files: 3 contents, 308 bytes` });
    await serving(to, data, (server) => expectFiles(server, [first, second, third, fourth]));
  });

  it("tells again, after a run that broke off, what the first one could not copy", async () => {
    const [first] = await fill();
    await rm(await pathOf(folderOf(from), first.sha256));
    const words = [...stores(), "--files-to", bucket()];
    s3.faults.push({ of: /^PUT put/, times: 1, does: { kind: "answer", status: 403, code: "AccessDenied" } });
    expect(await copy(...words)).toMatchObject({
      code: 1,
      err: expect.stringContaining("bucket files: AccessDenied"),
    });
    const second = await copy(...words);
    expect(second.code).toBe(1);
    expect(second.err).toContain(`there are no bytes of ${first.sha256}`);
  });

  it("into a store that has files, counts what documents name then, and nothing else", async () => {
    const [first, second, third] = await fill();
    if (third === undefined) throw new Error("too few");
    const bare = await serving(from, folderOf(from), (server) => well(server, "POST", "", "{}"));
    await copy(...stores(), "--files-to", data);
    const [own, ...replaced] = await serving(to, data, async (server) => [
      await uploaded(server, Buffer.from("the same")),
      // In the place of these come documents with other files, or none.
      await uploaded(server, randomBytes(1_000), first.document),
      await uploaded(server, randomBytes(2_000), String(bare["id"])),
    ]);
    if (own === undefined) throw new Error("nothing uploaded");
    await serving(to, data, async (server) => {
      const claim = { name: "a.bin", type: "application/octet-stream", size: 500, sha256: "0".repeat(64) };
      await well(server, "POST", `/${own.document}/_files/video/_uploads`, JSON.stringify(claim));
      const inParts = { "tus-resumable": "1.0.0", "upload-length": "700" };
      const begun = await asked(server, "POST", `/${own.document}/_files/video/_tus`, undefined, inParts);
      expect(begun.status).toBe(201);
    });
    const done = await copy(...stores(), "--files-to", data, "--into-non-empty");
    expect(done).toMatchObject({ code: 0 });
    await serving(to, data, async (server) => {
      await expectFiles(server, [first, second, third, own]);
      const store = server.store(to.realm);
      expect(await usedOf(store, "realm")).toEqual({
        bytes: 308 + 8 + 8,
        files: 5,
        open: { bytes: 1_200, files: 2 },
      });
      const refs = async ({ sha256 }: Kept) => {
        const blob = await store.collection(collections.blobs).get(sha256, "live");
        return blob && readBlob(blob).record.refs;
      };
      expect(await Promise.all([first, third, own, ...replaced].map(refs))).toEqual([3, 1, 3, 0, 0]);
      for (const { document, file } of replaced)
        expect((await asked(server, "GET", `/${document}/_files/scan/${file}`)).status).toBe(404);
    });
  });

  it("is refused where the folder is not there that documents name bytes of", async () => {
    await fill();
    const failed = await copy(...stores(), "--files-from", join(data, "nowhere"), "--files-to", data);
    expect(failed).toMatchObject({ code: 2, out: "" });
    expect(failed.err).toContain(`--files-from: there is no folder ${data}/nowhere/files/${to.realm}`);
    await serving(to, data, async (server) => {
      expect(await server.store(to.realm).collection("main.papers").scan(undefined, 1)).toEqual([]);
    });
  });

  it("needs no folder where no document has a file", async () => {
    await serving(from, folderOf(from), (server) => well(server, "POST", "", "{}"));
    await rm(join(folderOf(from), "files"), { recursive: true });
    const done = await copy(...stores(), "--files-to", join(data, "new"));
    expect([done.code, existsSync(join(data, "new"))]).toEqual([0, false]);
  });

  it("is refused while a server serves the embedded store, also of files alone", async () => {
    await fill();
    const busy = await serving(from, folderOf(from), () =>
      copy("--from", from.setting, "--files-to", bucket()),
    );
    expect(busy).toMatchObject({ code: 1, err: expect.stringContaining("in use by process") });
  });

  it("asks for the folders of stores that have none of their own", async () => {
    await fill();
    const mongo = "mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=100";
    const { code, err } = await copy("--from", from.setting, "--to", mongo);
    expect(code).toBe(2);
    expect(err).toContain(`--files-to is missing: which folder do servers of ${to.realm} have`);
    const other = await copy("--from", mongo, "--to", back.setting);
    expect([other.code, other.err]).toEqual([2, expect.stringContaining("--files-from is missing")]);
  });

  it.each([
    ["must be a data folder", "http://bucket/"],
    ["must be a data folder", "s3:///prefix"],
    ["must be a data folder", "s3://files/%zz"],
    ["holds a credential", "s3://me:secret@files/"],
    ["acl is not one of region, endpoint, path_style", "s3://files/?acl=public"],
    ["region is not one of", "s3://files/?region=a&region=b"],
    ["path_style is true or false", "s3://files/?path_style=yes"],
    ["endpoint is an address", "s3://files/?endpoint=s3.example.com"],
    ["NOWHERE is not set", "env:NOWHERE"],
  ])("is a mistake of usage, 2: %s", async (message, place) => {
    const { code, out, err } = await copy(...stores(), "--files-to", place);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(message);
    expect(err).not.toContain("secret@");
  });

  it("is a mistake of usage, 2, where files alone would stay where they are, or there are none", async () => {
    await fill();
    const same = await copy("--from", from.setting, "--files-to", folderOf(from));
    expect([same.code, same.err]).toEqual([2, expect.stringContaining("files stay where they are")]);
    const module = filesModule(to.realm);
    const { storage, ...definition } = module.definition;
    const none = await command({ ...module, definition }, ...stores(), "--files-to", data);
    expect([none.code, none.err]).toEqual([2, expect.stringContaining("there is no storage")]);
  });

  it("of several realms goes to a bucket one by one", async () => {
    const realms = [filesModule("one"), filesModule("two")];
    const err: string[] = [];
    const code = await run({ fingerprint: "f", realms }, ["copy", ...stores(), "--files-to", bucket()], {
      environment: {},
      out: () => undefined,
      err: (line) => err.push(line),
    });
    expect([code, err.join("\n")]).toEqual([2, expect.stringContaining("say with --realm")]);
  });
});
