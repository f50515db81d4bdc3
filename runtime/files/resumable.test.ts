/** Uploads in pieces, by the tus protocol 1.0. */
import { createHash, randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Fault, type S3Server, startS3 } from "../blobs/testing/s3/server.ts";
import { collections, readResumable, writeFileRecord } from "../documents/files/records.ts";
import { code, collection, day, text } from "../documents/testing/shop.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { type Answered, fileField, sha256, startVault, type Vault } from "./testing/vault.ts";

const mebibyte = 1024 * 1024;
const papers = collection("papers", {
  files: [
    fileField("scan", { upload: "resumable", maxSize: 64 * mebibyte }),
    fileField("pages", { upload: "any", maxFiles: 3 }),
    fileField("picture", { upload: "resumable", accept: ["image/*"] }),
    fileField("proxied"),
  ],
  softDelete: {},
});

let s3: S3Server;
const vaults = new Map<string, Vault>();
beforeAll(async () => {
  s3 = await startS3();
  const { bucket, endpoint, key } = s3;
  const driver = { kind: "s3", bucket, endpoint, region: key.region, pathStyle: true } as const;
  vaults.set(
    "local",
    await startVault(
      "disabled",
      [papers],
      { quota: 64 * mebibyte },
      { definition: { origins: ["https://app.example.com"] } },
    ),
  );
  vaults.set(
    "s3",
    await startVault(
      "disabled",
      [papers],
      { driver, quota: 64 * mebibyte },
      { settings: { s3Credentials: key } },
    ),
  );
});
afterAll(async () => {
  for (const vault of vaults.values()) await vault.stop();
  await s3.close();
});

const vaultOf = (driver: string): Vault => {
  const vault = vaults.get(driver);
  if (vault === undefined) throw new Error(`no vault ${driver}`);
  return vault;
};

const tus = { "tus-resumable": "1.0.0" };
const part = { ...tus, "content-type": "application/offset+octet-stream" };

function create(
  vault: Vault,
  path: string,
  size: number,
  headers: Readonly<Record<string, string>> = {},
  bytes?: Uint8Array,
): Promise<Answered> {
  const sent = { ...(bytes === undefined ? tus : part), "upload-length": String(size), ...headers };
  return vault.bring("POST", path, { headers: sent, ...(bytes !== undefined && { bytes }) });
}

/** The address of a new upload. */
async function begun(
  vault: Vault,
  path: string,
  size: number,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const answer = await create(vault, path, size, headers);
  if (answer.status !== 201) throw new Error(`${answer.status} ${answer.bytes}`);
  return answer.headers.get("location") ?? "";
}

function add(
  vault: Vault,
  path: string,
  offset: number,
  bytes: Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answered> {
  return vault.bring("PATCH", path, {
    bytes,
    headers: { ...part, "upload-offset": String(offset), ...headers },
  });
}

/** Where it stands, by `HEAD`. */
async function offset(vault: Vault, path: string): Promise<number> {
  const { status, headers } = await vault.bring("HEAD", path, { headers: tus });
  if (status !== 200) throw new Error(`HEAD ${status}`);
  return Number(headers.get("upload-offset"));
}

const metadata = (pairs: Readonly<Record<string, string>>): { "upload-metadata": string } => ({
  "upload-metadata": Object.entries(pairs)
    .map(([key, value]) => `${key} ${Buffer.from(value).toString("base64")}`)
    .join(","),
});

const checksum = (algorithm: string, bytes: Uint8Array) => ({
  "upload-checksum": `${algorithm} ${createHash(algorithm).update(bytes).digest("base64")}`,
});

/** What lies of uploads that are not done. */
async function waiting(driver: string, upload: string): Promise<number> {
  const id = upload.slice(upload.lastIndexOf("/") + 1);
  if (driver === "s3") return [...s3.objects.all.keys()].filter((key) => key.includes(id)).length;
  return (await vaultOf(driver).lying()).filter((name) => name.includes(id)).length;
}

describe.each(["local", "s3"])("A resumable upload, %s", (driver) => {
  it("comes in pieces; with the last one the document has the file", async () => {
    const vault = vaultOf(driver);
    const id = await vault.made("papers");
    const bytes = randomBytes(3 * mebibyte);
    const said = metadata({ filename: "Größe.bin", filetype: "application/octet-stream" });
    const path = await begun(vault, `papers/${id}/_files/scan/_tus`, bytes.length, said);
    expect(path).toMatch(new RegExp(`^/v1/shop/main/papers/${id}/_files/scan/_tus/[a-z0-9]{20}$`));
    expect(await offset(vault, path)).toBe(0);
    const first = await add(vault, path, 0, bytes.subarray(0, mebibyte));
    expect([first.status, first.headers.get("upload-offset")]).toEqual([204, `${mebibyte}`]);
    expect(first.headers.get("upload-expires")).toBe(new Date(vault.clock.now() + day).toUTCString());
    expect(first.headers.get("x-svc-file")).toBeNull();
    const head = await vault.bring("HEAD", path, { headers: tus });
    expect(Object.fromEntries(head.headers)).toMatchObject({
      "upload-offset": `${mebibyte}`,
      "upload-length": `${bytes.length}`,
      "cache-control": "no-store",
      "tus-resumable": "1.0.0",
      ...said,
    });
    expect((await vault.send("GET", `papers/${id}`)).body).not.toHaveProperty("scan");
    const last = await add(vault, path, mebibyte, bytes.subarray(mebibyte));
    expect([last.status, last.headers.get("upload-offset")]).toEqual([204, `${bytes.length}`]);
    expect(last.headers.get("etag")).toBe('"2"');
    const stands = await vault.bring("GET", path);
    const file = { name: "Größe.bin", size: bytes.length, sha256: sha256(bytes) };
    expect(stands).toMatchObject({ status: 200, body: { offset: bytes.length, size: bytes.length, file } });
    expect((await vault.send("GET", `papers/${id}`)).body).toMatchObject({
      scan: stands.body["file"],
      _meta: { version: 2 },
    });
    const got = await vault.bring("GET", last.headers.get("x-svc-file") ?? "");
    expect(got.bytes.equals(bytes)).toBe(true);
    expect(await waiting(driver, path)).toBe(0);
  });

  it("may come along with its creation, in part or as a whole; an empty file is there at once", async () => {
    const vault = vaultOf(driver);
    const id = await vault.made("papers");
    const field = `papers/${id}/_files/pages/_tus`;
    const bytes = randomBytes(200_000);
    const whole = await create(vault, field, bytes.length, {}, bytes);
    expect([whole.status, whole.headers.get("upload-offset")]).toEqual([201, "200000"]);
    expect((await vault.bring("GET", whole.headers.get("x-svc-file") ?? "")).bytes.equals(bytes)).toBe(true);
    const some = await create(vault, field, bytes.length, {}, bytes.subarray(0, 70_000));
    expect([some.status, some.headers.get("upload-offset")]).toEqual([201, "70000"]);
    const path = some.headers.get("location") ?? "";
    expect((await add(vault, path, 70_000, bytes.subarray(70_000))).status).toBe(204);
    const empty = await create(vault, field, 0);
    expect(empty.status).toBe(201);
    const { pages } = (await vault.send("GET", `papers/${id}`)).body;
    const sizes = Array.isArray(pages) ? pages.map((file) => (isJsonObject(file) ? file["size"] : 0)) : [];
    expect(sizes).toEqual([200_000, 200_000, 0]);
  });

  it("of many small parts is put together as it grows", async () => {
    const vault = vaultOf(driver);
    const id = await vault.made("papers");
    const bytes = randomBytes(1_400);
    const path = await begun(vault, `papers/${id}/_files/scan/_tus`, bytes.length);
    for (let at = 0; at < bytes.length; at += 10)
      expect((await add(vault, path, at, bytes.subarray(at, at + 10))).status).toBe(204);
    const [record] = (await vault.records("resumable")).filter(({ id: of }) => path.endsWith(`${of}`));
    const parts = record?.["parts"];
    expect(Array.isArray(parts) && parts.length).toBeLessThanOrEqual(64);
    const { scan } = (await vault.send("GET", `papers/${id}`)).body;
    expect(scan).toMatchObject({ sha256: sha256(bytes) });
    expect(await waiting(driver, path)).toBe(0);
  });

  it("bytes are checked by Upload-Checksum: 460 keeps none of them", async () => {
    const vault = vaultOf(driver);
    const id = await vault.made("papers");
    const bytes = randomBytes(300_000);
    const path = await begun(vault, `papers/${id}/_files/scan/_tus`, bytes.length);
    const half = bytes.subarray(0, 150_000);
    const wrong = await add(vault, path, 0, half, checksum("sha1", bytes));
    expect([wrong.status, code(wrong)]).toEqual([460, "checksum_mismatch"]);
    expect(wrong.headers.get("tus-resumable")).toBe("1.0.0");
    expect(await offset(vault, path)).toBe(0);
    expect((await add(vault, path, 0, half, checksum("sha1", half))).status).toBe(204);
    const rest = bytes.subarray(150_000);
    const false_ = await add(vault, path, 150_000, rest, checksum("sha256", half));
    expect([false_.status, await offset(vault, path)]).toEqual([460, 150_000]);
    expect((await add(vault, path, 150_000, rest, checksum("sha256", rest))).status).toBe(204);
    expect((await vault.send("GET", `papers/${id}`)).body).toMatchObject({ scan: { sha256: sha256(bytes) } });
    for (const said of ["crc32 AAAA", "sha1", "sha1 a b"]) {
      const other = await begun(vault, `papers/${id}/_files/scan/_tus?replace=true`, 5);
      const refused = await add(vault, other, 0, randomBytes(5), { "upload-checksum": said });
      expect([said, refused.status >= 400]).toEqual([said, true]);
      expect(await offset(vault, other)).toBe(0);
      await vault.bring("DELETE", other, { headers: tus });
    }
  });

  it("is cancelled by DELETE: what has come goes, and it is 404 then", async () => {
    const vault = vaultOf(driver);
    const id = await vault.made("papers");
    const path = await begun(vault, `papers/${id}/_files/scan/_tus`, 300_000);
    await add(vault, path, 0, randomBytes(200_000));
    expect(await waiting(driver, path)).toBe(1);
    expect((await vault.bring("DELETE", path, { headers: tus })).status).toBe(204);
    expect(await waiting(driver, path)).toBe(0);
    for (const method of ["HEAD", "DELETE", "GET"])
      expect((await vault.bring(method, path, { headers: tus })).status).toBe(404);
    expect((await add(vault, path, 200_000, randomBytes(5))).status).toBe(404);
  });

  it("what no attempt would make better ends it; what another may, leaves the last bytes to be sent once more", async () => {
    const vault = vaultOf(driver);
    const id = await vault.made("papers");
    const path = await begun(vault, `papers/${id}/_files/picture/_tus`, 100);
    const refused = await add(vault, path, 0, Buffer.alloc(100, "text"));
    expect([refused.status, code(refused)]).toEqual([415, "unsupported_file_type"]);
    expect((await vault.bring("HEAD", path, { headers: tus })).status).toBe(404);
    expect(await waiting(driver, path)).toBe(0);
    const other = await begun(vault, `papers/${id}/_files/scan/_tus`, 100);
    await add(vault, other, 0, randomBytes(60));
    const between = await vault.uploaded(`papers/${id}/_files/scan`, 10);
    const full = await add(vault, other, 60, randomBytes(40));
    expect([full.status, code(full)]).toEqual([409, "too_many_files"]);
    expect(await offset(vault, other)).toBe(60);
    await vault.bring("DELETE", `papers/${id}/_files/scan/${text(between, "id")}`);
    expect((await add(vault, other, 60, randomBytes(40))).status).toBe(204);
    expect(await offset(vault, other)).toBe(100);
  });

  it("takes the place of what the field has by replace=true at its creation", async () => {
    const vault = vaultOf(driver);
    const id = await vault.made("papers");
    await vault.uploaded(`papers/${id}/_files/scan`, 10);
    const field = `papers/${id}/_files/scan/_tus`;
    const full = await create(vault, field, 5);
    expect([full.status, code(full)]).toEqual([409, "too_many_files"]);
    const path = await begun(vault, `${field}?replace=true`, 5);
    expect((await add(vault, path, 0, randomBytes(5))).status).toBe(204);
    expect((await vault.send("GET", `papers/${id}`)).body).toMatchObject({
      scan: { size: 5 },
      _meta: { version: 3 },
    });
  });

  it("ends a day after its last bytes, and a sweep leaves nothing of it", async () => {
    const vault = vaultOf(driver);
    const id = await vault.made("papers");
    const path = await begun(vault, `papers/${id}/_files/scan/_tus`, 300_000);
    vault.clock.advance(day - 1_000);
    await add(vault, path, 0, randomBytes(200_000));
    vault.clock.advance(day - 1_000);
    expect(await offset(vault, path)).toBe(200_000);
    vault.clock.advance(1_000);
    expect((await vault.bring("HEAD", path, { headers: tus })).status).toBe(404);
    expect((await add(vault, path, 200_000, randomBytes(5))).status).toBe(404);
    if (driver === "s3") return;
    await vault.swept();
    expect(await waiting(driver, path)).toBe(0);
    await vault.swept(day);
    expect((await vault.records("resumable")).filter(({ id: of }) => path.endsWith(`${of}`))).toEqual([]);
  });
});

describe("The protocol", () => {
  let vault: Vault;
  let field: string;
  beforeAll(() => {
    vault = vaultOf("local");
  });
  async function fresh(): Promise<string> {
    field = `papers/${await vault.made("papers")}/_files/scan/_tus`;
    return field;
  }

  it("OPTIONS tells what is served, and browsers of listed origins what they may send and read", async () => {
    const at = await fresh();
    const answer = await vault.bring("OPTIONS", at);
    expect([answer.status, Object.fromEntries(answer.headers)]).toMatchObject([
      204,
      {
        "tus-resumable": "1.0.0",
        "tus-version": "1.0.0",
        "tus-extension": "creation,creation-with-upload,checksum,termination,expiration",
        "tus-max-size": `${64 * mebibyte}`,
        "tus-checksum-algorithm": "sha1,sha256,sha512,md5",
      },
    ]);
    const elsewhere = await vault.bring("OPTIONS", "papers");
    expect(elsewhere.headers.get("tus-version")).toBeNull();
    const origin = "https://app.example.com";
    const preflight = await vault.bring("OPTIONS", at, { headers: { origin } });
    for (const name of [
      "Tus-Resumable",
      "Upload-Length",
      "Upload-Metadata",
      "Upload-Offset",
      "Upload-Checksum",
      "X-HTTP-Method-Override",
    ])
      expect(preflight.headers.get("access-control-allow-headers")).toContain(name);
    const refused = await vault.bring("POST", at, { headers: { origin } });
    for (const name of ["Location", "Tus-Resumable", "Upload-Offset", "Upload-Expires", "X-Svc-File"])
      expect(refused.headers.get("access-control-expose-headers")).toContain(name);
    const stranger = await vault.bring("OPTIONS", at, { headers: { origin: "https://evil.example.com" } });
    expect([...stranger.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  it("a POST is the PATCH or DELETE that X-HTTP-Method-Override names, and no other method", async () => {
    const at = await fresh();
    const path = await begun(vault, at, 10);
    const as = (method: string, address: string, headers: Readonly<Record<string, string>> = {}) =>
      vault.bring("POST", address, {
        headers: { ...part, ...headers, "x-http-method-override": method },
        ...(method === "PATCH" && { bytes: "01234" }),
      });
    const added = await as("PATCH", path, { "upload-offset": "0" });
    expect([added.status, added.headers.get("upload-offset")]).toEqual([204, "5"]);
    for (const method of ["GET", "HEAD", "PUT", "patch", "DELETE, PATCH", "x".repeat(4_000)]) {
      const refused = await as(method, path, { "upload-offset": "5" });
      expect([refused.status, code(refused)], method).toEqual([405, "method_not_allowed"]);
      expect(refused.bytes.length).toBeLessThan(1_000);
    }
    // What a route does not have it does not have by that name, and what is no POST is what it is.
    expect((await as("PATCH", at)).status).toBe(405);
    const length = { "upload-length": "10" };
    expect(
      (await vault.bring("POST", at, { headers: { ...tus, ...length, "x-http-method-override": "POST" } }))
        .status,
    ).toBe(201);
    const patched = await add(vault, path, 5, Buffer.from("567"), { "x-http-method-override": "DELETE" });
    expect([patched.status, patched.headers.get("upload-offset")]).toEqual([204, "8"]);
    expect((await as("DELETE", path)).status).toBe(204);
    expect((await vault.bring("GET", path)).status).toBe(404);
  });

  it("X-HTTP-Method-Override says nothing on any other route", async () => {
    const id = await vault.made("papers");
    const document = `papers/${id}`;
    const override = { "x-http-method-override": "DELETE" };
    expect((await vault.bring("POST", document, { headers: override })).status).toBe(405);
    await vault.uploaded(`${document}/_files/proxied`, 10, { headers: override });
    const read = await vault.bring("GET", document, { headers: override });
    expect([read.status, read.body]).toMatchObject([200, { proxied: { size: 10 } }]);
  });

  it("another version, or none, is 412 with the one that is served; GET needs none", async () => {
    const path = await begun(vault, await fresh(), 10);
    for (const headers of [{}, { "tus-resumable": "0.2.2" }]) {
      const answer = await vault.bring("PATCH", path, {
        headers: { ...headers, "content-type": part["content-type"], "upload-offset": "0" },
        bytes: "0123456789",
      });
      expect([answer.status, code(answer)]).toEqual([412, "unsupported_tus_version"]);
      expect(answer.headers.get("tus-version")).toBe("1.0.0");
      expect((await vault.bring("HEAD", path, { headers })).status).toBe(412);
    }
    expect((await vault.bring("GET", path)).body).toMatchObject({ offset: 0, size: 10 });
  });

  it("an offset that is not where the upload stands is 409, and says where", async () => {
    const path = await begun(vault, await fresh(), 10);
    await add(vault, path, 0, Buffer.from("01234"));
    for (const wrong of [0, 4, 6, 10]) {
      const answer = await add(vault, path, wrong, Buffer.from("5"));
      expect([answer.status, code(answer)]).toEqual([409, "upload_offset_mismatch"]);
      expect(answer.headers.get("upload-offset")).toBe("5");
    }
    for (const malformed of ["-1", "05", "5.0", "5e0", "0x5", " ", "99999999999999999"]) {
      const answer = await add(vault, path, 0, Buffer.from("5"), { "upload-offset": malformed });
      expect([malformed, answer.status, code(answer)]).toEqual([malformed, 400, "invalid_header"]);
    }
    expect(await offset(vault, path)).toBe(5);
  });

  it("more bytes than announced are 413, and nothing of them is a file", async () => {
    const path = await begun(vault, await fresh(), 10);
    const answer = await add(vault, path, 0, Buffer.from("0123456789a"));
    expect([answer.status, code(answer)]).toEqual([413, "payload_too_large"]);
    const chunked = await fetch(new URL(path, vault.url), {
      method: "PATCH",
      headers: { ...part, "upload-offset": "0" },
      body: new ReadableStream({
        start(controller) {
          for (const piece of ["01234", "56789", "abcde"]) controller.enqueue(Buffer.from(piece));
          controller.close();
        },
      }),
      duplex: "half",
    } as RequestInit);
    expect(chunked.status).toBe(413);
    expect(await offset(vault, path)).toBeLessThan(10);
    expect((await vault.bring("DELETE", path, { headers: tus })).status).toBe(204);
  });

  it("other content types are 415, and a Content-Encoding, too", async () => {
    const path = await begun(vault, await fresh(), 10);
    for (const type of ["application/octet-stream", "text/plain", "application/offset+octet-stream2"]) {
      const answer = await add(vault, path, 0, Buffer.from("01234"), { "content-type": type });
      expect([type, answer.status, code(answer)]).toEqual([type, 415, "unsupported_media_type"]);
    }
    const encoded = await add(vault, path, 0, Buffer.from("01234"), { "content-encoding": "gzip" });
    expect([encoded.status, code(encoded)]).toEqual([415, "unsupported_media_type"]);
    const created = await create(
      vault,
      await fresh(),
      10,
      { "content-type": "text/plain" },
      Buffer.from("1"),
    );
    expect([created.status, code(created)]).toEqual([415, "unsupported_media_type"]);
    expect(await offset(vault, path)).toBe(0);
  });

  it("a length that is missing, deferred, malformed or too large is refused at the creation", async () => {
    const at = await fresh();
    const tried = async (headers: Readonly<Record<string, string>>) => {
      const answer = await vault.bring("POST", at, { headers: { ...tus, ...headers } });
      return [answer.status, code(answer)];
    };
    expect(await tried({})).toEqual([400, "invalid_header"]);
    expect(await tried({ "upload-defer-length": "1" })).toEqual([400, "invalid_header"]);
    expect(await tried({ "upload-length": "5", "upload-concat": "partial" })).toEqual([
      400,
      "invalid_header",
    ]);
    for (const length of ["-5", "abc", "5,5", "1e3", "9007199254740993"])
      expect(await tried({ "upload-length": length })).toEqual([400, "invalid_header"]);
    expect(await tried({ "upload-length": String(64 * mebibyte + 1) })).toEqual([413, "payload_too_large"]);
    expect(await vault.records("resumable")).not.toContainEqual(
      expect.objectContaining({ document: at.split("/")[1] }),
    );
  });

  it("a field that is uploaded otherwise, and a document that is not there, refuse the creation", async () => {
    const id = await vault.made("papers");
    const proxied = await create(vault, `papers/${id}/_files/proxied/_tus`, 5);
    expect([proxied.status, code(proxied)]).toEqual([409, "upload_mode_mismatch"]);
    const nowhere = await create(vault, "papers/nobody/_files/scan/_tus", 5);
    expect([nowhere.status, code(nowhere)]).toEqual([404, "not_found"]);
    const large = await vault.bring("POST", `papers/${id}/_files/scan`, {
      bytes: Buffer.alloc(mebibyte + 1),
    });
    expect([large.status, code(large)]).toEqual([409, "upload_mode_mismatch"]);
    const quota = await create(vault, `papers/${id}/_files/scan/_tus`, 64 * mebibyte - 1);
    expect([quota.status, code(quota)]).toEqual([413, "quota_exceeded"]);
  });

  it("metadata that is malformed or too long is 400; names are made harmless as those of other uploads", async () => {
    const refused = [
      "filename",
      "filename a b",
      "filename !!!!",
      "filename YQ==,filename Yg==",
      ",",
      " filename YQ==, ,x",
      `filename ${Buffer.from("a\0b").toString("base64")}`,
      `filename ${Buffer.from("a\r\nb").toString("base64")}`,
      `filename ${Buffer.from([0xff, 0xfe]).toString("base64")}`,
      `filetype ${Buffer.from("no type").toString("base64")}`,
      `filetype ${Buffer.from("text/plain\r\nx: y").toString("base64")}`,
      `filename ${Buffer.alloc(6_000, "a").toString("base64")}`,
    ];
    for (const said of refused.slice(1)) {
      const answer = await create(vault, await fresh(), 5, { "upload-metadata": said });
      expect([said.slice(0, 40), answer.status, code(answer)]).toEqual([
        said.slice(0, 40),
        400,
        "invalid_header",
      ]);
    }
    const path = await begun(
      vault,
      await fresh(),
      5,
      metadata({ filename: "../../etc/pass‮wd", filetype: "", note: "x" }),
    );
    await add(vault, path, 0, randomBytes(5));
    expect((await vault.bring("GET", path)).body["file"]).toMatchObject({ name: "___.._etc_passwd" });
  });

  it("one that is done says so once more, and takes nothing more", async () => {
    const path = await begun(vault, await fresh(), 5);
    const done = await add(vault, path, 0, Buffer.from("01234"));
    const again = await add(vault, path, 5, Buffer.alloc(0));
    expect([again.status, again.headers.get("x-svc-file")]).toEqual([204, done.headers.get("x-svc-file")]);
    expect((await add(vault, path, 5, Buffer.from("5"))).status).toBe(413);
    expect((await add(vault, path, 0, Buffer.from("01234"))).status).toBe(409);
    const file = done.headers.get("x-svc-file") ?? "";
    expect((await vault.bring("DELETE", path, { headers: tus })).status).toBe(204);
    expect((await vault.bring("GET", file)).status).toBe(200);
  });
});

/** A body that waits to be gone on with. */
function slow(first: Uint8Array): {
  readonly stream: ReadableStream;
  send(more: Uint8Array): void;
  end(): void;
} {
  let controller: ReadableStreamDefaultController | undefined;
  const stream = new ReadableStream({
    start(own) {
      controller = own;
      own.enqueue(first);
    },
  });
  return {
    stream,
    send: (more) => controller?.enqueue(more),
    end: () => controller?.close(),
  };
}

function hanging(vault: Vault, path: string, at: number, body: ReadableStream): Promise<Response> {
  return fetch(new URL(path, vault.url), {
    method: "PATCH",
    headers: { ...part, "upload-offset": String(at) },
    body,
    duplex: "half",
  } as RequestInit);
}

/** Until somebody adds to it. */
async function written(vault: Vault, path: string): Promise<JsonObject> {
  for (;;) {
    const found = (await vault.records("resumable")).find(({ id }) => path.endsWith(`${id}`));
    if (found !== undefined && found["writer"] !== null) return found;
    await setImmediate();
  }
}

describe("One request at a time adds to an upload", () => {
  it("another is 423; HEAD ends one that hangs, keeps what it brought, and what it told stays so", async () => {
    const vault = vaultOf("local");
    const id = await vault.made("papers");
    const bytes = randomBytes(100_000);
    const path = await begun(vault, `papers/${id}/_files/scan/_tus`, bytes.length);
    const body = slow(bytes.subarray(0, 30_000));
    const first = hanging(vault, path, 0, body.stream);
    await written(vault, path);
    const second = await add(vault, path, 0, bytes);
    expect([second.status, code(second)]).toEqual([423, "upload_locked"]);
    const stands = await offset(vault, path);
    expect([0, 30_000]).toContain(stands);
    body.send(bytes.subarray(30_000, 60_000));
    body.end();
    expect((await first).status).toBe(423);
    expect(await offset(vault, path)).toBe(stands);
    expect((await add(vault, path, stands, bytes.subarray(stands))).status).toBe(204);
    expect((await vault.send("GET", `papers/${id}`)).body).toMatchObject({ scan: { sha256: sha256(bytes) } });
  });

  it("of a process that died HEAD frees it, and what it left is gone; while it is being finished HEAD is 423", async () => {
    const vault = vaultOf("local");
    const id = await vault.made("papers");
    const bytes = randomBytes(200_000);
    const path = await begun(vault, `papers/${id}/_files/scan/_tus`, bytes.length);
    await add(vault, path, 0, bytes.subarray(0, 100_000));
    const upload = path.slice(path.lastIndexOf("/") + 1);
    const claimed = async (writer: JsonObject) => {
      const records = vault.store("shop").collection(collections.resumable);
      const stored = await records.get(upload, "live");
      if (stored === undefined) throw new Error("no upload");
      const { record, version } = readResumable(stored);
      const { token, next, ...more } = { token: "a", next: "left", ...writer };
      const held = { ...record, writer: { token: String(token), next: String(next), ...more } };
      expect(await records.replace(version, writeFileRecord(held, version + 1))).toBe(true);
    };
    await claimed({});
    writeFileSync(join(vault.folder, "files", "shop", "uploads", `${upload}-left`), "half of a part");
    expect((await add(vault, path, 100_000, bytes.subarray(100_000))).status).toBe(423);
    expect(await waiting("local", path)).toBe(2);
    expect(await offset(vault, path)).toBe(100_000);
    expect(await waiting("local", path)).toBe(1);
    await claimed({ finishing: vault.clock.now() + 15_000 });
    const locked = await vault.bring("HEAD", path, { headers: tus });
    expect([locked.status, locked.headers.get("retry-after")]).toEqual([423, "1"]);
    expect((await vault.bring("DELETE", path, { headers: tus })).status).toBe(423);
    vault.clock.advance(15_000);
    expect(await offset(vault, path)).toBe(100_000);
    expect((await add(vault, path, 100_000, bytes.subarray(100_000))).status).toBe(204);
    expect((await vault.send("GET", `papers/${id}`)).body).toMatchObject({ scan: { sha256: sha256(bytes) } });
  });

  it("where the storage is away at the end, the last bytes are not acknowledged, and may be sent once more", async () => {
    const vault = vaultOf("s3");
    const id = await vault.made("papers");
    const bytes = randomBytes(200_000);
    const path = await begun(vault, `papers/${id}/_files/scan/_tus`, bytes.length);
    await add(vault, path, 0, bytes.subarray(0, 100_000));
    const fault: Fault = {
      of: /^PUT/,
      does: { kind: "answer", status: 503, code: "SlowDown" },
      times: Number.POSITIVE_INFINITY,
    };
    s3.faults.push(fault);
    const away = await add(vault, path, 100_000, bytes.subarray(100_000));
    fault.times = 0;
    expect([away.status, code(away)]).toEqual([503, "storage_unavailable"]);
    expect(await offset(vault, path)).toBe(100_000);
    expect((await vault.send("GET", `papers/${id}`)).body).not.toHaveProperty("scan");
    expect((await add(vault, path, 100_000, bytes.subarray(100_000))).status).toBe(204);
    expect((await vault.send("GET", `papers/${id}`)).body).toMatchObject({ scan: { sha256: sha256(bytes) } });
  });

  it("several at once: one is taken, the others are 423 or 409, and the file is whole", async () => {
    const vault = vaultOf("local");
    const id = await vault.made("papers");
    const bytes = randomBytes(400_000);
    const path = await begun(vault, `papers/${id}/_files/scan/_tus`, bytes.length);
    for (let at = 0; at < bytes.length; at += 100_000) {
      const all = await Promise.all(
        [1, 2, 3, 4, 5].map(() => add(vault, path, at, bytes.subarray(at, at + 100_000))),
      );
      const statuses = all.map(({ status }) => status).sort();
      expect(statuses[0]).toBe(204);
      expect(statuses.slice(1).every((status) => status === 423 || status === 409)).toBe(true);
    }
    expect((await vault.send("GET", `papers/${id}`)).body).toMatchObject({
      scan: { sha256: sha256(bytes) },
      _meta: { version: 2 },
    });
  });
});
