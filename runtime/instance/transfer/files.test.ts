/** Export and import with `--include files`: bytes and what documents say of them, from one store into another. */
import { hash, randomBytes } from "node:crypto";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { usedOf } from "../../documents/files/usage.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import type { RealmModule } from "../../realm/exchange.ts";
import {
  type EmbeddedPlace,
  embeddedPlace,
  type ProcessPlace,
  processPlace,
} from "../../store/testing/stores.ts";
import { filesModule } from "../testing/fixture-files.ts";
import { type Started, startRealm } from "../testing/servers.ts";
import { commandOf, filesIn } from "./testing/shop.ts";

let from: EmbeddedPlace;
let to: ProcessPlace;
/** Of what is exported, and the data folder of the servers on `to`. */
let folder: string;
beforeEach(() => {
  [from, to] = [embeddedPlace(), processPlace()];
  folder = mkdtempSync(join(tmpdir(), "realmc-transfer-files-"));
  mkdirSync(at("data"));
});
afterEach(async () => {
  for (const place of [from, to]) await place.discard();
  rmSync(folder, { recursive: true, force: true });
});

const at = (name: string) => join(folder, name);
const folderOf = ({ setting }: EmbeddedPlace) => setting.slice("sqlite:".length);

async function serving<T>(
  { location }: Pick<ProcessPlace, "location">,
  data: string,
  work: (server: Started) => Promise<T>,
): Promise<T> {
  const server = await startRealm(filesModule(to.realm), { settings: { store: location, data } });
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

async function asked(server: Started, method: string, path: string, body?: Uint8Array | string) {
  const response = await fetch(`${server.url}/v1/${to.realm}/main/papers${path}`, {
    method,
    body: body === undefined ? null : new Blob([Buffer.from(body)]),
    headers: typeof body === "string" ? { "content-type": "application/json" } : {},
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${bytes}`);
  return bytes;
}

async function made(server: Started, path: string, body: Uint8Array | string): Promise<JsonObject> {
  const value: unknown = JSON.parse(String(await asked(server, "POST", path, body)));
  if (!isJsonObject(value)) throw new Error("no object");
  return value;
}

interface Sent {
  readonly document: string;
  readonly field: string;
  readonly file: string;
  readonly bytes: Buffer;
}

/** Documents with one file, with three, with one that another one has, too, and with none. */
function fill(): Promise<readonly Sent[]> {
  return serving(from, folderOf(from), async (server) => {
    const sent: Sent[] = [];
    const same = Buffer.from("the same text in two documents");
    const all: readonly (readonly (readonly [string, Buffer])[])[] = [
      [["scan", same]],
      [
        ["scan", randomBytes(100)],
        ["scan", same],
        ["scan", randomBytes(300_000)],
        ["video", randomBytes(2_000)],
      ],
      [],
    ];
    for (const [n, files] of all.entries()) {
      const document = String((await made(server, "", `{"title":"paper ${n}"}`))["id"]);
      for (const [field, bytes] of files) {
        const { id } = await made(server, `/${document}/_files/${field}`, bytes);
        sent.push({ document, field, file: String(id), bytes });
      }
    }
    return sent;
  });
}

function command(name: string, place: Pick<ProcessPlace, "setting">, ...words: readonly string[]) {
  return commandOf([filesModule(to.realm)], [name, "--store", place.setting, ...words]);
}
const exported = (...words: readonly string[]) =>
  command("export", from, "--to", at("out"), "--include", "files", ...words);
const imported = (...words: readonly string[]) =>
  command("import", to, "--from", at("out"), "--include", "files", "--data", at("data"), ...words);

async function expectServed(sent: readonly Sent[]): Promise<void> {
  await serving(to, at("data"), async (server) => {
    for (const { document, field, file, bytes } of sent)
      expect(await asked(server, "GET", `/${document}/_files/${field}/${file}`)).toEqual(bytes);
  });
}

const list = () => at(`out/${to.realm}/_files.ndjson`);
const papers = () => at(`out/${to.realm}/main/papers.ndjson`);
const contentOf = (sha256: string) => at(`out/${to.realm}/_files/${sha256.slice(0, 2)}/${sha256}`);
const sha256 = (bytes: Buffer) => hash("sha256", bytes);

describe("--include files", () => {
  it("takes each content once, and after an import documents are the same, byte for byte, and have their files", async () => {
    const sent = await fill();
    expect(await exported("--meta")).toMatchObject({ code: 0 });
    const named = readFileSync(list(), "utf8");
    const shas = [...new Set(sent.map(({ bytes }) => sha256(bytes)))].sort();
    expect(
      named
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).id),
    ).toEqual(shas);
    for (const each of shas) expect(sha256(readFileSync(contentOf(each)))).toBe(each);
    const catalog = JSON.parse(readFileSync(at("out/export.json"), "utf8"));
    expect(catalog.files).toContainEqual(
      expect.objectContaining({
        path: `${to.realm}/_files.ndjson`,
        sha256: hash("sha256", named),
        documents: shas.length,
      }),
    );
    const done = await imported("--meta");
    expect(done).toMatchObject({
      code: 0,
      out: expect.stringContaining("3 created, 0 replaced, 0 rejected"),
    });
    await expectServed(sent);
    const again = await command(
      ...(["export", to, "--to", at("again"), "--meta", "--include", "files", "--data", at("data")] as const),
    );
    expect(again).toMatchObject({ code: 0 });
    const path = `${to.realm}/main/papers.ndjson`;
    expect(filesIn(at("again"))[path]).toBe(readFileSync(papers(), "utf8"));
    expect(filesIn(at("again"))[`${to.realm}/_files.ndjson`]).toBe(named);
  });

  it("counts against the quota what documents name, and rejects by its line what would pass it", async () => {
    const sent = await fill();
    await exported();
    const { definition, ...rest } = filesModule(to.realm);
    const quota = 100_000;
    const tight: RealmModule = {
      ...rest,
      definition: { ...definition, storage: { driver: { kind: "local" }, quota } },
    };
    const words = ["--from", at("out"), "--include", "files", "--data", at("data"), "--format", "json"];
    const done = await commandOf([tight], ["import", "--store", to.setting, ...words]);
    expect(done.code).toBe(1);
    expect(done.err).toContain("would pass the quota of the realm");
    expect(JSON.parse(done.out).collections).toMatchObject([{ created: 2, rejected: 1 }]);
    await serving(to, at("data"), async (server) => {
      const used = await usedOf(server.store(to.realm), "realm");
      expect(used).toMatchObject({ bytes: sent[0]?.bytes.length, files: 1 });
    });
  });

  it("goes on where it was interrupted, and hashes again what is there", async () => {
    const sent = await fill();
    await exported();
    const whole = filesIn(at("out"));
    // As a process leaves it that died while it wrote the second content.
    const [first = ""] = readFileSync(list(), "utf8").split("\n");
    writeFileSync(`${list()}.part`, `${first}\n{"id":`);
    rmSync(list());
    const catalog = JSON.parse(readFileSync(at("out/export.json"), "utf8"));
    const { finished_at: _, ...begun } = catalog;
    const files = begun.files.filter(({ path }: { path: string }) => !path.includes("_files"));
    writeFileSync(at("out/export.json"), JSON.stringify({ ...begun, files }));
    const large = sent.find(({ bytes }) => bytes.length === 300_000);
    if (large === undefined) throw new Error("there is one");
    const damaged = contentOf(sha256(large.bytes));
    const isLater = sha256(large.bytes) !== JSON.parse(first).id;
    if (isLater) writeFileSync(damaged, randomBytes(300_000));
    const again = await exported();
    expect(again).toMatchObject({ code: 0, err: expect.stringContaining("goes on after 1 documents") });
    const { "export.json": one, ...others } = whole;
    expect(filesIn(at("out"))).toMatchObject(others);
    expect(one).toBeDefined();
  });

  it("exports what the storage has, and says with exit code 1 what it lost", async () => {
    const sent = await fill();
    const lost = sent.find(({ bytes }) => bytes.length === 100);
    if (lost === undefined) throw new Error("there is one");
    const own = join(folderOf(from), "files", to.realm, sha256(lost.bytes).slice(0, 2), sha256(lost.bytes));
    rmSync(own);
    const done = await exported();
    expect(done).toMatchObject({ code: 1, err: expect.stringContaining(sha256(lost.bytes)) });
    expect(readFileSync(list(), "utf8")).not.toContain(sha256(lost.bytes));
  });

  it.each([
    ["bytes that are gone", (path: string) => rmSync(path), "the folder does not have"],
    ["other bytes", (path: string) => writeFileSync(path, randomBytes(300_000)), "are others in the folder"],
    ["more bytes", (path: string) => appendFileSync(path, "x"), "are others in the folder"],
  ])("rejects by its line a document with %s, and takes the others", async (_, harm, reason) => {
    const sent = await fill();
    await exported();
    const large = sent.find(({ bytes }) => bytes.length === 300_000);
    if (large === undefined) throw new Error("there is one");
    harm(contentOf(sha256(large.bytes)));
    const done = await imported("--rejects", at("rejects"));
    expect(done.code).toBe(1);
    const [rejected] = readFileSync(at("rejects"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(rejected).toMatchObject({ line: 2, id: large.document, error: expect.stringContaining(reason) });
    await expectServed(sent.filter(({ document }) => document !== large.document));
  });

  const file = (more: JsonObject): JsonObject => ({
    ...{ id: "01m80gqnc35k9gxxpya9", name: "a.bin", type: "application/octet-stream", size: 3 },
    ...{ sha256: hash("sha256", "abc"), created_at: "2026-03-01T10:00:00.000Z", ...more },
  });
  it.each<readonly [string, JsonObject, string]>([
    [
      "a name that leads out of a folder",
      { video: file({ name: "../../x" }) },
      "video name is not that of a file",
    ],
    [
      "a hash that is a path",
      { video: file({ sha256: "../../../etc/passwd" }) },
      "video sha256 is not that of a file",
    ],
    ["a member that no file has", { video: file({ path: "x" }) }, "video path is nothing that a file has"],
    ["more bytes than allowed", { video: file({ size: 2 ** 30 }) }, "bytes, and 16777216 are allowed"],
    ["a list for one file", { video: [file({})] }, "video must be one file"],
    ["one file for a list", { scan: file({}) }, "scan must be an array of files"],
    ["an id twice", { scan: [file({}), file({})] }, "scan has an id of a file twice"],
    [
      "too many",
      { scan: ["a", "b", "c", "d"].map((end) => file({ id: `01m80gqnc35k9gxxpya${end}` })) },
      "scan has 4 files",
    ],
    [
      "a type that the field does not take",
      { sketch: file({ type: "video/mp4" }) },
      "sketch names a file of type video/mp4, which",
    ],
    ["no object", { video: "x" }, "video is no file"],
  ])("rejects %s", async (_, members, reason) => {
    await fill();
    await exported();
    writeFileSync(papers(), `${JSON.stringify({ id: "01m80gqnc35k9gxxpyaa", ...members })}\n`);
    rmSync(at("out/export.json"));
    writeContent("abc");
    const done = await imported("--rejects", at("rejects"));
    expect(done.code, done.err).toBe(1);
    expect(JSON.parse(readFileSync(at("rejects"), "utf8")).error).toContain(reason);
  });

  it("replaces the files of a document, merges by field, and without it leaves them as they are", async () => {
    const sent = await fill();
    await exported();
    await imported();
    const [first, second] = sent;
    if (first === undefined || second === undefined) throw new Error("there are two");
    rmSync(at("out/export.json"));
    writeContent("abc");
    const line = (members: JsonObject) =>
      writeFileSync(papers(), `${JSON.stringify({ id: second.document, ...members })}\n`);
    const names = () =>
      serving(to, at("data"), async (server) => {
        const { scan = [], video } = JSON.parse(String(await asked(server, "GET", `/${second.document}`)));
        const { bytes, files } = await usedOf(server.store(to.realm), "realm");
        return { scan: scan.length, video: video?.id, bytes: bytes - first.bytes.length, files: files - 1 };
      });
    line({ video: file({}) });
    const merged = await imported("--mode", "merge");
    expect(merged.code, merged.err).toBe(0);
    const scans = 100 + first.bytes.length + 300_000;
    const { id } = file({});
    expect(await names()).toEqual({ scan: 3, video: id, bytes: scans + 3, files: 4 });
    line({ title: "left" });
    const { setting } = to;
    const plain = ["import", "--store", setting, "--from", at("out"), "--mode", "replace"];
    expect(await commandOf([filesModule(to.realm)], plain)).toMatchObject({
      ...{ code: 0, err: expect.stringContaining("_files: is left out; --include files imports it") },
    });
    expect(await names()).toEqual({ scan: 3, video: id, bytes: scans + 3, files: 4 });
    expect(await imported("--mode", "replace")).toMatchObject({ code: 0 });
    expect(await names()).toEqual({ scan: 0, video: undefined, bytes: 0, files: 0 });
  });

  it("needs a store, a folder, and a folder of data where nothing else says it", async () => {
    const refused = async (words: readonly string[], what: string) =>
      expect(await commandOf([filesModule(to.realm)], words, { REALMC_KEY: "k" })).toMatchObject({
        ...{ code: 2, err: expect.stringContaining(what) },
      });
    const url = ["--url", "http://127.0.0.1:1", "--include", "files"];
    await refused(["export", "--to", at("out"), ...url], "--include files goes with --store alone");
    await refused(["import", "--from", folder, ...url], "--include files goes with --store alone");
    const mongodb = ["--store", "mongodb://127.0.0.1:1/x", "--include", "files"];
    await refused(["export", "--to", at("out"), ...mongodb], "--data is missing: which folder");
    const one = ["export", "--store", from.setting, "--data", folder, "--to", at("out")];
    await refused(one, "--data is for --include files");
  });
});

function writeContent(text: string): void {
  const path = contentOf(hash("sha256", text));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
