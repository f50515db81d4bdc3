/** Files of a compiled realm, through the client: what is uploaded, asked for, downloaded and removed. */
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { analyse, emitRealm } from "../../compiler/pipeline.ts";
import {
  type Condition,
  collection,
  connectTo,
  type DocumentFields,
  type DocumentMeta,
  type FileObject,
  files,
  isApiError,
  type PresenceCondition,
  type ReadOptions,
  type RealmTypes,
  type TextCondition,
} from "../../runtime/client/index.ts";
import { cutting } from "../../runtime/files/testing/cuts.ts";
import { type Started, startRealm } from "../../runtime/instance/testing/servers.ts";
import { compileRealm } from "../compiled.ts";

const config = fileURLToPath(new URL("config", import.meta.url));

interface Book {
  title: string;
}

/** As the realm's own `client.ts` has it. */
interface Books {
  document: Book & {
    id: string;
    cover?: FileObject<"thumb">;
    pages?: readonly FileObject<never>[];
    film?: FileObject<never>;
    _meta: DocumentMeta;
  };
  content: Book;
  create: Book;
  patch: Partial<Book>;
  fields: DocumentFields & {
    title: TextCondition<string>;
    cover: PresenceCondition;
    pages: PresenceCondition;
    film: PresenceCondition;
    "cover.size": Condition<number>;
    "pages.name": TextCondition<string>;
  };
  references: object;
  traits: never;
  files: { cover: "thumb"; pages: never; film: never };
  aggregation: { keys: object; by: never; metrics: object };
}

interface Shelf extends RealmTypes {
  shapes: { main: { books: Books } };
}

const folder = mkdtempSync(join(tmpdir(), "realmc-files-"));
let server: Started;
beforeAll(async () => {
  server = await startRealm(await compileRealm(config, "shelf"), { settings: { data: folder } });
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const connected = () => connectTo<Shelf>("shelf", false, { baseUrl: server.url });
const books = () => collection(connected(), "main", "books");
const shelved = () => files(connected(), "main", "books");

let id: string;
beforeEach(async () => {
  ({ id } = await books().create({ title: "Emma" }));
});

async function* pieces(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield new TextEncoder().encode(text);
}

const textOf = async (download: { blob(): Promise<Blob> }): Promise<string> => (await download.blob()).text();

describe("A document that is created with its files", () => {
  const inventory = () => new File(["once upon a time"], "a.txt", { type: "text/plain" });

  test("has them from its first version on, in their order", async () => {
    const pages = [
      new File(["one"], "1.txt", { type: "text/plain" }),
      new File(["two"], "žluť.txt"),
      new Blob(["three"]),
    ];
    const made = await shelved().createWithFiles({ title: "Emma" }, { cover: inventory(), pages });
    expect(made).toMatchObject({
      title: "Emma",
      cover: { name: "a.txt", type: "text/plain", size: 16 },
      pages: [
        { name: "1.txt", size: 3 },
        { name: "žluť.txt", size: 3 },
        { name: "blob", size: 5 },
      ],
      _meta: { version: 1 },
    });
    expect(await books().get(made.id)).toEqual(made);
    const last = made.pages?.at(-1);
    expect(last && (await textOf(await shelved().download(made.id, "pages", last)))).toBe("three");
  });

  test("may have none", async () => {
    expect(await shelved().createWithFiles({ title: "Bare" }, {})).not.toHaveProperty("cover");
  });

  test("is not there where one of them is refused", async () => {
    const count = await books().count({ where: { title: "Twice" } });
    const created = shelved().createWithFiles({ title: "Twice" }, { cover: [inventory(), inventory()] });
    await expect(created).rejects.toMatchObject({ status: 409, code: "too_many_files" });
    expect(await books().count({ where: { title: "Twice" } })).toBe(count);
  });
});

describe("What is uploaded stands in the document, and is downloaded as it was", () => {
  test.each([
    ["a blob", () => new Blob(["once upon a time"], { type: "text/plain" })],
    ["bytes", () => new TextEncoder().encode("once upon a time")],
    ["a buffer", () => new TextEncoder().encode("once upon a time").buffer],
    ["pieces", () => pieces("once upon ", "a time")],
    ["a stream", () => new Blob(["once upon a time"]).stream()],
  ])("%s", async (_, source) => {
    const file = await shelved().upload(id, "cover", source(), { name: "a.txt", type: "text/plain" });
    expect(file).toMatchObject({ name: "a.txt", type: "text/plain", size: 16 });
    const { cover, _meta } = await books().get(id);
    expect(cover).toEqual(file);
    expect(_meta.version).toBe(2);
    const download = await shelved().download(id, "cover", file);
    expect(download).toMatchObject({ size: 16, partial: false });
    expect(download.type).toMatch(/^text\/plain/);
    expect(await textOf(download)).toBe("once upon a time");
  });

  test("an image is downloaded in the sizes that the field declares, and in no others", async () => {
    const { data } = await sharp({ create: { width: 60, height: 40, channels: 3, background: "#0b5" } })
      .png()
      .toBuffer({ resolveWithObject: true });
    const file = await shelved().upload(id, "cover", data, { name: "a.png", type: "image/png" });
    expect(file).toMatchObject({ width: 60, height: 40, versions: { thumb: "pending" } });
    const thumb = await shelved().download(id, "cover", file, { version: "thumb" });
    expect(thumb.type).toBe("image/png");
    const { width, height } = await sharp(await (await thumb.blob()).arrayBuffer()).metadata();
    expect([width, height]).toEqual([20, 13]);
    const text = await books().create({ title: "Persuasion" });
    const plain = await shelved().upload(text.id, "cover", new Blob(["x"]), { type: "text/plain" });
    const none = shelved().download(text.id, "cover", plain, { version: "thumb" });
    await expect(none).rejects.toMatchObject({ code: "version_unavailable", status: 404 });
  });

  test("a file of a page brings its name, whatever characters it has", async () => {
    const name = `na\u00efve (1)'*%.txt`;
    const file = await shelved().upload(id, "pages", new File(["x"], name));
    expect(file.name).toBe(name);
  });

  test("a part of it is downloaded by a range", async () => {
    const file = await shelved().upload(id, "cover", new Blob(["once upon a time"]), { type: "text/plain" });
    const part = await shelved().download(id, "cover", file.id, { range: { first: 5, last: 8 } });
    expect([part.partial, part.size, await textOf(part)]).toEqual([true, 4, "upon"]);
    const rest = await shelved().download(id, "cover", file.id, { range: { first: 12 } });
    expect(await textOf(rest)).toBe("time");
    await expect(shelved().download(id, "cover", file, { range: { first: 99 } })).rejects.toMatchObject({
      code: "range_not_satisfiable",
    });
  });

  test("progress of pieces is told as they are taken, of what is whole at its end", async () => {
    const told: (readonly [number, number | undefined])[] = [];
    const onProgress = (sent: number, size: number | undefined) => void told.push([sent, size]);
    await shelved().upload(id, "pages", pieces("once ", "upon"), { onProgress });
    expect(told).toEqual([
      [0, undefined],
      [5, undefined],
      [9, undefined],
    ]);
    told.length = 0;
    await shelved().upload(id, "pages", new Blob(["once upon"]), { onProgress });
    expect(told).toEqual([
      [0, 9],
      [9, 9],
    ]);
  });
});

describe("A direct upload", () => {
  const mode = "direct";

  test.each([
    ["a blob", (bytes: Uint8Array<ArrayBuffer>) => new Blob([bytes])],
    ["bytes", (bytes: Uint8Array<ArrayBuffer>) => bytes],
    ["a stream", (bytes: Uint8Array<ArrayBuffer>) => new Blob([bytes]).stream()],
  ])("of %s stands in the document when it is answered", async (_, source) => {
    const bytes = new Uint8Array(2_000_000).fill(7);
    const told: (readonly [number, number | undefined])[] = [];
    const file = await shelved().upload(id, "film", source(bytes), {
      mode,
      name: "na\u00efve.bin",
      onProgress: (sent, size) => void told.push([sent, size]),
    });
    expect(file).toMatchObject({ name: "na\u00efve.bin", size: 2_000_000 });
    expect((await books().get(id)).film).toEqual(file);
    expect(told).toEqual([
      [0, 2_000_000],
      [2_000_000, 2_000_000],
    ]);
    const download = await shelved().download(id, "film", file);
    expect((await download.blob()).size).toBe(2_000_000);
  });

  test("what the server refuses is an error with its code", async () => {
    const upload = (field: "cover" | "film", more = {}) =>
      shelved().upload(id, field, new Blob(["a"], { type: "text/plain" }), { mode, ...more });
    await expect(upload("cover")).rejects.toMatchObject({ code: "upload_mode_mismatch" });
    const first = await upload("film");
    await expect(upload("film")).rejects.toMatchObject({ code: "too_many_files" });
    const second = await upload("film", { replace: true });
    expect((await books().get(id)).film?.id).toBe(second.id);
    expect(second.id).not.toBe(first.id);
    const other = new Blob(["%PDF-1.7"], { type: "image/png" });
    const wrong = shelved().upload(id, "film", other, { mode, replace: true });
    await expect(wrong).rejects.toMatchObject({ code: "unsupported_file_type" });
  });
});

describe("A resumable upload", () => {
  const mode = "resumable";
  const bytes = new Uint8Array(randomBytes(20 * 1_048_576));

  test("over cuts and a lost answer stands in the document when it is answered", async () => {
    const allowed = [3_000_000, 1_000_000, 200, 0, 9_000_000];
    const cuts = await cutting(server.url, () => allowed.shift() ?? Number.POSITIVE_INFINITY);
    try {
      // The upload is begun on a connection that is cut after the request.
      const connected = connectTo<Shelf>("shelf", false, { baseUrl: cuts.url, retryDelay: () => 1 });
      const told: number[] = [];
      const file = await files(connected, "main", "books").upload(id, "film", new Blob([bytes]), {
        mode,
        name: "na\u00efve.bin",
        retries: 20,
        onProgress: (sent, size) => {
          expect(size).toBe(bytes.length);
          told.push(sent);
        },
      });
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      expect(file).toMatchObject({ name: "na\u00efve.bin", size: bytes.length, sha256 });
      expect(cuts.count).toBeGreaterThan(2);
      expect((await books().get(id)).film).toEqual(file);
      expect([told[0], told.at(-1)]).toEqual([0, bytes.length]);
      expect(told).toEqual([...told].sort((a, b) => a - b));
    } finally {
      await cuts.stop();
    }
  });

  test("goes on elsewhere by its address, and what is there is not sent again", async () => {
    const stop = new AbortController();
    let address = "";
    const first = shelved().upload(id, "film", new Blob([bytes]), {
      mode,
      signal: stop.signal,
      onBegin: (at) => {
        address = at;
      },
      onProgress: (sent) => {
        if (sent > 0) stop.abort();
      },
    });
    await expect(first).rejects.toThrow();
    expect((await books().get(id)).film).toBeUndefined();
    let begun: number | undefined;
    const file = await shelved().upload(id, "film", bytes, {
      mode,
      resume: address,
      onProgress: (sent) => {
        begun ??= sent;
      },
    });
    expect(begun).toBeGreaterThan(0);
    expect((await books().get(id)).film).toEqual(file);
    // Once it is done its address says so.
    expect(await shelved().upload(id, "film", bytes, { mode, resume: address })).toEqual(file);
    const others = shelved().upload(id, "film", bytes.subarray(1), { mode, resume: address });
    await expect(others).rejects.toThrow(RangeError);
    const unknown = shelved().upload(id, "film", bytes, { mode, resume: "01m9zzzzzzzzzzzzzzzz" });
    await expect(unknown).rejects.toMatchObject({ code: "not_found" });
  });

  test("what the server refuses is an error with its code; an empty file is one", async () => {
    const upload = (field: "cover" | "film", more = {}) =>
      shelved().upload(id, field, new Blob(["a"], { type: "text/plain" }), { mode, ...more });
    await expect(upload("cover")).rejects.toMatchObject({ code: "upload_mode_mismatch" });
    await upload("film");
    await expect(upload("film")).rejects.toMatchObject({ code: "too_many_files" });
    await upload("film", { replace: true });
    const other = new Blob(["%PDF-1.7"], { type: "image/png" });
    const wrong = shelved().upload(id, "film", other, { mode, replace: true });
    await expect(wrong).rejects.toMatchObject({ code: "unsupported_file_type" });
    expect(await shelved().upload(id, "pages", new Blob([]), { mode: "proxy" })).toMatchObject({ size: 0 });
    expect(await shelved().upload(id, "film", new Blob([]), { mode, replace: true })).toMatchObject({
      size: 0,
    });
  });
});

describe("What the server refuses is an error with its code", () => {
  test("a full field, unless it is replaced", async () => {
    const cover = { type: "text/plain" };
    const first = await shelved().upload(id, "cover", new Blob(["a"]), cover);
    await expect(shelved().upload(id, "cover", new Blob(["b"]), cover)).rejects.toMatchObject({
      code: "too_many_files",
    });
    const second = await shelved().upload(id, "cover", new Blob(["b"]), { ...cover, replace: true });
    expect((await books().get(id)).cover?.id).toBe(second.id);
    await expect(shelved().download(id, "cover", first)).rejects.toMatchObject({ code: "not_found" });
  });

  test("bytes of another type, and a document that somebody else has written", async () => {
    const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
    await expect(shelved().upload(id, "cover", png, { type: "application/pdf" })).rejects.toSatisfy((error) =>
      isApiError(error, "unsupported_file_type"),
    );
    const document = await books().get(id);
    await books().patch(id, { title: "Emma, again" });
    const stale = shelved().upload(id, "pages", new Blob(["a"]), { ifMatch: document });
    await expect(stale).rejects.toMatchObject({ code: "version_mismatch" });
  });

  test("an upload whose signal is aborted is not there", async () => {
    const stopping = new AbortController();
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(10);
      stopping.abort();
      yield new Uint8Array(10);
    }
    await expect(shelved().upload(id, "pages", endless(), { signal: stopping.signal })).rejects.toThrow();
    expect(await books().get(id)).not.toHaveProperty("pages");
  });
});

describe("Reads that ask for links are answered addresses that need no credential", () => {
  test("a document and a list", async () => {
    await shelved().upload(id, "cover", new Blob(["once upon"]), { type: "text/plain" });
    await shelved().upload(id, "pages", new Blob(["a time"]));
    const one = await books().get(id, { file_links: true });
    const [first] = (await books().list({ where: { id }, file_links: true })).items;
    const urls = [one.cover, one.pages?.[0], first?.cover, first?.pages?.[0]].map((file) => file?.url ?? "");
    const texts = urls.map(async (url) => (await fetch(new URL(url, server.url))).text());
    expect(await Promise.all(texts)).toEqual(["once upon", "a time", "once upon", "a time"]);
    expect((await books().get(id)).cover).not.toHaveProperty("url");
  });

  test("a version is one that the collection has", async () => {
    // @ts-expect-error: it has none such.
    const none = books().get(id, { file_links: true, version: "large" });
    await expect(none).rejects.toMatchObject({ code: "invalid_query" });
    const plain: ReadOptions<Omit<Books, "files">, never> = {};
    // @ts-expect-error: documents without files.
    plain.file_links = true;
  });
});

test("A file is removed from its document alone", async () => {
  const one = await shelved().upload(id, "pages", new Blob(["a"]));
  const other = await shelved().upload(id, "pages", new Blob(["a"]));
  await shelved().removeFile(id, "pages", one);
  expect((await books().get(id)).pages).toEqual([other]);
  await shelved().removeFile(id, "pages", other.id);
  expect(await books().get(id)).not.toHaveProperty("pages");
});

describe("Fine points: where asks of a file whether it is there, and of its members", () => {
  const found = async (where: NonNullable<Parameters<ReturnType<typeof books>["list"]>[0]>["where"]) =>
    (await books().list({ where: { ...where, id: { $in: [id] } } })).items.length;

  test("with the operators of their kinds", async () => {
    expect(await found({ cover: { $isNull: true } })).toBe(1);
    await shelved().upload(id, "cover", new Blob(["a".repeat(100)]), { type: "text/plain" });
    await shelved().upload(id, "pages", new Blob(["a"]), { name: "one.txt" });
    await shelved().upload(id, "pages", new Blob(["b"]), { name: "two.txt" });
    expect(await found({ cover: { $isNull: true } })).toBe(0);
    expect(await found({ cover: { $notNull: true }, pages: { $notNull: true } })).toBe(1);
    expect(await found({ "cover.size": { $between: [100, 100] } })).toBe(1);
    expect(await found({ "cover.size": { $gt: 100 } })).toBe(0);
    expect(await found({ "pages.name": { $startsWith: "two" } })).toBe(1);
    expect(await found({ "pages.name": "three.txt" })).toBe(0);
  });

  test.each([
    { cover: "x" },
    { cover: { $eq: {} } },
    { "cover.sha256": "x" },
    { "cover.id": "x" },
    { "cover.url": "x" },
  ])("anything else is 400 invalid_query: %j", async (where) => {
    const search = new URLSearchParams({ where: JSON.stringify(where) });
    const response = await fetch(`${server.url}/v1/shelf/main/books?${search}`);
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { code: "invalid_query" } },
    ]);
  });
});

test("The client that imports nothing has what it needs for files, each name once", async () => {
  const [realm] = (await analyse(config)).realms;
  if (realm === undefined) throw new Error("no realm");
  const { files: emitted } = await emitRealm(realm, { standalone: true });
  const text = emitted.find(({ path }) => path.endsWith("client.ts"))?.text ?? "";
  const names = [...text.matchAll(/^(?:export )?(?:type|interface|class|(?:async )?function|const) (\w+)/gm)];
  const counted = names.map(([, name = ""]) => name);
  expect(counted).toEqual(expect.arrayContaining(["FileObject", "FileTransfers", "files"]));
  // Of an overload there are two.
  const twice = counted.filter((name, at) => counted.indexOf(name) !== at);
  expect(twice.filter((name) => name !== "files")).toEqual([]);
});
