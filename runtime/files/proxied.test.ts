import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { code, collection, text } from "../documents/testing/shop.ts";
import { isJsonObject } from "../json.ts";
import { untilHolds } from "../testing/until.ts";
import { fileField, sha256, startVault, type Vault } from "./testing/vault.ts";

const papers = collection("papers", {
  files: [
    fileField("scan"),
    fileField("pages", { maxFiles: 3 }),
    fileField("text", { accept: ["text/*"] }),
    fileField("direct", { upload: "direct", maxSize: 4 * 1024 * 1024 }),
    fileField("large", { maxSize: 64 * 1024 * 1024, upload: "any" }),
  ],
  softDelete: {},
});
const hard = collection("hard", { files: [fileField("scan")] });

let vault: Vault;
beforeAll(async () => {
  vault = await startVault("disabled", [papers, hard], {}, { settings: { maxUploadBytes: 8 * 1024 * 1024 } });
});
afterAll(() => vault.stop());

const kibibyte = 1024;
const pdf = (size: number) => Buffer.concat([Buffer.from("%PDF-1.7\n"), randomBytes(size - 9)]);
const digestOf = (bytes: Uint8Array) => `sha-256=:${Buffer.from(sha256(bytes), "hex").toString("base64")}:`;
const spooled = async () => (await vault.lying()).filter((name) => !/^[0-9a-f]{64}$/.test(name));

describe("A proxied upload", () => {
  it("is 201 with the file object, its address and the document's next version", async () => {
    const id = await vault.made("papers");
    const bytes = pdf(3 * kibibyte);
    const answer = await vault.bring("POST", `papers/${id}/_files/scan`, {
      bytes,
      headers: { "content-type": "application/pdf; q=1", "x-svc-filename": "Bill 1.pdf" },
    });
    const created_at = new Date(vault.clock.now()).toISOString();
    const file = {
      id: expect.stringMatching(/^[0-9a-z]{20}$/),
      name: "Bill 1.pdf",
      type: "application/pdf",
      size: 3 * kibibyte,
      sha256: sha256(bytes),
      created_at,
    };
    expect(answer).toMatchObject({ status: 201, body: file });
    expect(answer.headers.get("etag")).toBe('"2"');
    expect(answer.headers.get("location")).toBe(
      `/v1/shop/main/papers/${id}/_files/scan/${text(answer.body, "id")}`,
    );
    const document = await vault.send("GET", `papers/${id}`);
    expect(document.body).toMatchObject({ title: "a", scan: file, _meta: { version: 2 } });
    expect(document.tag).toBe('"2"');
  });

  it("its bytes come back, from the address that was answered, with headers that keep them inert", async () => {
    const id = await vault.made("papers");
    const bytes = randomBytes(200 * kibibyte);
    const { headers } = await vault.bring("POST", `papers/${id}/_files/scan`, { bytes });
    const got = await vault.bring("GET", headers.get("location") ?? "");
    expect(got.status).toBe(200);
    expect(got.bytes.equals(bytes)).toBe(true);
    expect(Object.fromEntries(got.headers)).toMatchObject({
      etag: `"${sha256(bytes)}"`,
      "content-length": String(bytes.length),
      "content-disposition": `attachment; filename="file"; filename*=UTF-8''file`,
      "content-security-policy": "sandbox",
      "x-content-type-options": "nosniff",
      "cache-control": "private, no-cache",
      "accept-ranges": "bytes",
    });
    const head = await vault.bring("HEAD", headers.get("location") ?? "");
    expect([head.status, head.bytes.length, head.headers.get("content-length")]).toEqual([
      200,
      0,
      String(bytes.length),
    ]);
  });

  it("fields of several hold an array, up to max_files: then 409 too_many_files, or with replace=true an exchange", async () => {
    const id = await vault.made("papers");
    const files = [];
    for (const n of [1, 2, 3]) files.push(await vault.uploaded(`papers/${id}/_files/pages`, n));
    expect((await vault.send("GET", `papers/${id}`)).body["pages"]).toEqual(files);
    const full = await vault.bring("POST", `papers/${id}/_files/pages`, { bytes: "x" });
    expect([full.status, code(full)]).toEqual([409, "too_many_files"]);
    const last = await vault.uploaded(`papers/${id}/_files/pages?replace=true`, 9);
    expect((await vault.send("GET", `papers/${id}`)).body).toMatchObject({
      pages: [last],
      _meta: { version: 5 },
    });
    expect((await vault.bring("GET", `papers/${id}/_files/pages/${files[0]?.["id"]}`)).status).toBe(404);
    await vault.uploaded(`papers/${id}/_files/scan`);
    expect(code(await vault.bring("POST", `papers/${id}/_files/scan`, { bytes: "x" }))).toBe(
      "too_many_files",
    );
  });

  it.each([
    ["utf-16le", Buffer.from("\ufeffStraße\n", "utf16le")],
    ["utf-16be", Buffer.from("\ufeffStraße\n", "utf16le").swap16()],
    ["utf-32le", Buffer.from("fffe00006100000062000000", "hex")],
    ["utf-8", Buffer.from("\ufeffStraße\n")],
    ["utf-8", Buffer.from("a")],
    ["utf-8", Buffer.alloc(0)],
  ])("a text comes back with its charset, %s", async (charset, bytes) => {
    const id = await vault.made("papers");
    const sent = { bytes, headers: { "content-type": "text/csv" } };
    const file = await vault.uploaded(`papers/${id}/_files/text`, 0, sent);
    expect(file["type"]).toBe("text/csv");
    const path = `papers/${id}/_files/text/${file["id"]}`;
    for (const method of ["GET", "HEAD"]) {
      const { headers } = await vault.bring(method, path);
      expect(headers.get("content-type")).toBe(`text/csv; charset=${charset}`);
    }
    expect((await vault.bring("GET", path)).bytes.equals(bytes)).toBe(true);
  });

  it("If-Match holds for the document", async () => {
    const id = await vault.made("papers");
    const wrong = await vault.bring("POST", `papers/${id}/_files/scan`, {
      bytes: "x",
      headers: { "if-match": '"7"' },
    });
    expect([wrong.status, code(wrong), wrong.headers.get("etag")]).toEqual([412, "version_mismatch", '"1"']);
    const right = await vault.bring("POST", `papers/${id}/_files/scan`, {
      bytes: "x",
      headers: { "if-match": '"1"' },
    });
    expect(right.status).toBe(201);
  });

  it("Content-Digest is compared: 422 upload_mismatch, and nothing is left", async () => {
    const id = await vault.made("papers");
    const bytes = randomBytes(100 * kibibyte);
    const path = `papers/${id}/_files/scan`;
    const wrong = await vault.bring("POST", path, {
      bytes,
      headers: { "content-digest": digestOf(Buffer.from("y")) },
    });
    expect([wrong.status, code(wrong)]).toEqual([422, "upload_mismatch"]);
    expect(await vault.lying()).not.toContain(sha256(bytes));
    const malformed = await vault.bring("POST", path, {
      bytes,
      headers: { "content-digest": "sha-256=abc" },
    });
    expect([malformed.status, code(malformed)]).toEqual([400, "invalid_header"]);
    const headers = { "content-digest": `unknown=:aGk=:, ${digestOf(bytes)}` };
    expect((await vault.bring("POST", path, { bytes, headers })).status).toBe(201);
    expect(await spooled()).toEqual([]);
  });

  it("of a type that is not accepted is 415 unsupported_file_type", async () => {
    const id = await vault.made("papers");
    const headers = { "content-type": "application/zip" };
    const refused = await vault.bring("POST", `papers/${id}/_files/text`, {
      bytes: "PK\u0003\u0004",
      headers,
    });
    expect([refused.status, code(refused)]).toEqual([415, "unsupported_file_type"]);
    expect(await spooled()).toEqual([]);
  });

  it("beyond max_size, or SVC_MAX_UPLOAD_BYTES, is 413 payload_too_large", async () => {
    const id = await vault.made("papers");
    const said = await vault.bring("POST", `papers/${id}/_files/scan`, {
      bytes: randomBytes(1025 * kibibyte),
    });
    expect([said.status, code(said)]).toEqual([413, "payload_too_large"]);
    const capped = await vault.bring("POST", `papers/${id}/_files/large`, {
      bytes: randomBytes(9 * 1024 * kibibyte),
    });
    expect([capped.status, code(capped)]).toEqual([413, "payload_too_large"]);
    const unsaid = await chunked(`papers/${id}/_files/scan`, 1025 * kibibyte);
    expect([unsaid.status, unsaid.code]).toEqual([413, "payload_too_large"]);
    expect(await spooled()).toEqual([]);
  });

  it("of more than 1 MiB into a field of another mode is 409 upload_mode_mismatch; smaller ones are taken", async () => {
    const id = await vault.made("papers");
    const said = await vault.bring("POST", `papers/${id}/_files/direct`, {
      bytes: randomBytes(1025 * kibibyte),
    });
    expect([said.status, code(said)]).toEqual([409, "upload_mode_mismatch"]);
    const unsaid = await chunked(`papers/${id}/_files/direct`, 1025 * kibibyte);
    expect([unsaid.status, unsaid.code]).toEqual([409, "upload_mode_mismatch"]);
    await vault.uploaded(`papers/${id}/_files/direct`, 1024 * kibibyte);
  });

  it("refuses queries that it does not know, and documents and fields that are not there", async () => {
    const id = await vault.made("papers");
    const asked = async (path: string) => {
      const answer = await vault.bring("POST", path, { bytes: "x" });
      return [answer.status, code(answer)];
    };
    expect(await asked(`papers/${id}/_files/scan?replace=yes`)).toEqual([400, "invalid_query"]);
    expect(await asked(`papers/${id}/_files/scan?x=1`)).toEqual([400, "invalid_query"]);
    expect(await asked("papers/nobody/_files/scan")).toEqual([404, "not_found"]);
    expect(await asked(`papers/${id}/_files/title`)).toEqual([404, "not_found"]);
    expect(await asked(`papers/${id}/_files/constructor`)).toEqual([404, "not_found"]);
  });

  it("into a document in the trash is 404, as are its files until it is restored", async () => {
    const id = await vault.made("papers");
    const file = await vault.uploaded(`papers/${id}/_files/scan`);
    const path = `papers/${id}/_files/scan/${file["id"]}`;
    await vault.send("DELETE", `papers/${id}`);
    expect((await vault.bring("POST", `papers/${id}/_files/scan?replace=true`, { bytes: "x" })).status).toBe(
      404,
    );
    expect((await vault.bring("GET", path)).status).toBe(404);
    expect((await vault.bring("DELETE", path)).status).toBe(404);
    expect((await vault.send("POST", `papers/${id}/restore`)).body).toMatchObject({ scan: file });
    expect((await vault.bring("GET", path)).status).toBe(200);
  });

  it("cut at any byte leaves nothing behind, and the document as it was", async () => {
    const id = await vault.made("papers");
    const before = (await vault.records("blobs")).length;
    for (const [announced, sent] of [
      [200_000, 0],
      [200_000, 1],
      [200_000, 65_536],
      [200_000, 199_999],
    ] as const) {
      await cut(`papers/${id}/_files/scan`, announced, sent);
    }
    await untilHolds(async () => (await spooled()).length === 0);
    expect((await vault.send("GET", `papers/${id}`)).body).toMatchObject({ _meta: { version: 1 } });
    expect(await vault.records("blobs")).toHaveLength(before);
  });
});

it("a max_size above SVC_MAX_UPLOAD_BYTES of what can only be proxied stops the start, naming its file", async () => {
  const large = collection("large", { files: [fileField("scan", { maxSize: 2 * 1024 * kibibyte })] });
  await expect(
    startVault("disabled", [large], {}, { settings: { maxUploadBytes: 1024 * kibibyte } }),
  ).rejects.toThrow(
    "shop/main/large/collection.yaml: files.scan.max_size is 2MiB, and SVC_MAX_UPLOAD_BYTES is 1MiB",
  );
});

describe("Names", () => {
  const named = async (name: string) => {
    const id = await vault.made("papers");
    const answer = await vault.bring("POST", `papers/${id}/_files/scan`, {
      bytes: "x",
      headers: { "x-svc-filename": name },
    });
    return { answer, path: `papers/${id}/_files/scan/${answer.body["id"]}` };
  };

  it.each([
    ["UTF-8''na%C3%AFve%20%E2%82%AC.txt", "naïve €.txt"],
    ["plain.txt", "plain.txt"],
    ["..", "__"],
    ["../../etc/passwd", "___.._etc_passwd"],
    [".htaccess", "_htaccess"],
    ["a\\b/c", "a_b_c"],
    ["utf-8'de'invoice%E2%80%AEfdp.exe", "invoicefdp.exe"],
    ['he said "hi"; filename=x.html', 'he said "hi"; filename=x.html'],
  ])("%s is kept as %s, and downloads say it", async (sent, kept) => {
    const { answer, path } = await named(sent);
    expect([answer.status, answer.body["name"]]).toEqual([201, kept]);
    const disposition = (await vault.bring("GET", path)).headers.get("content-disposition") ?? "";
    const [, encoded = ""] = /filename\*=UTF-8''([^;]*)$/.exec(disposition) ?? [];
    expect(decodeURIComponent(encoded)).toBe(kept);
    expect(/; filename="([^"\\]*)"; /.exec(disposition)?.[1]).toMatch(/^[\x20-\x7e]*$/);
  });

  it.each(["UTF-8''a%00b", "UTF-8''a%0D%0Ab", "UTF-8''%7F", "UTF-8''%FF", "UTF-8''%E2%80%A8"])(
    "%s is 400 invalid_header",
    async (sent) => {
      const { answer } = await named(sent);
      expect([answer.status, code(answer)]).toEqual([400, "invalid_header"]);
    },
  );

  it("of 10,000 characters are cut at 255 bytes, at a character, their extension kept", async () => {
    const { answer } = await named(`UTF-8''${encodeURIComponent("€".repeat(1_000))}.jpeg`);
    const name = text(answer.body, "name");
    expect(name).toBe(`${"€".repeat(83)}.jpeg`);
    const plain = await named("x".repeat(10_000));
    expect(plain.answer.body["name"]).toBe("x".repeat(255));
  });
});

describe("A download", () => {
  let path: string;
  const bytes = pdf(100_000);
  beforeAll(async () => {
    const id = await vault.made("papers");
    const file = await vault.uploaded(`papers/${id}/_files/scan`, 0, {
      bytes,
      headers: { "content-type": "application/pdf" },
    });
    path = `papers/${id}/_files/scan/${file["id"]}`;
  });

  it("of a range is 206 with just that", async () => {
    const part = await vault.bring("GET", path, { headers: { range: "bytes=1000-1999" } });
    expect([part.status, part.headers.get("content-range")]).toEqual([206, "bytes 1000-1999/100000"]);
    expect(part.bytes.equals(bytes.subarray(1000, 2000))).toBe(true);
    const rest = await vault.bring("GET", path, { headers: { range: "bytes=-5" } });
    expect(rest.bytes.equals(bytes.subarray(-5))).toBe(true);
    const beyond = await vault.bring("GET", path, { headers: { range: "bytes=100000-" } });
    expect([beyond.status, code(beyond), beyond.headers.get("content-range")]).toEqual([
      416,
      "range_not_satisfiable",
      "bytes */100000",
    ]);
  });

  it("is 304 where the client has it; If-Range decides whether a part will do", async () => {
    const tag = `"${sha256(bytes)}"`;
    const same = await vault.bring("GET", path, { headers: { "if-none-match": tag } });
    expect([same.status, same.bytes.length]).toEqual([304, 0]);
    const part = await vault.bring("GET", path, { headers: { range: "bytes=0-0", "if-range": tag } });
    expect(part.status).toBe(206);
    const other = await vault.bring("GET", path, { headers: { range: "bytes=0-0", "if-range": '"x"' } });
    expect([other.status, other.bytes.length]).toEqual([200, bytes.length]);
  });

  it("of what browsers show without running it is shown in place", async () => {
    expect((await vault.bring("GET", path)).headers.get("content-disposition")).toMatch(/^inline;/);
  });

  it("of bytes that are gone is 404 file_missing", async () => {
    const id = await vault.made("papers");
    const file = await vault.uploaded(`papers/${id}/_files/scan`);
    const sha = text(file, "sha256");
    await rm(join(vault.folder, "files", "shop", sha.slice(0, 2), sha));
    const gone = await vault.bring("GET", `papers/${id}/_files/scan/${file["id"]}`);
    expect([gone.status, code(gone)]).toEqual([404, "file_missing"]);
  });

  it("a file has its address in its own document and field alone", async () => {
    const [one, other] = [await vault.made("papers"), await vault.made("papers")];
    const file = await vault.uploaded(`papers/${one}/_files/scan`);
    for (const at of [
      `papers/${other}/_files/scan`,
      `papers/${one}/_files/pages`,
      `hard/${one}/_files/scan`,
    ]) {
      expect((await vault.bring("GET", `${at}/${file["id"]}`)).status).toBe(404);
    }
  });

  it("what a document says where the ledger names nothing gives no bytes", async () => {
    const forged = await vault.made("hard");
    const one = await vault.made("papers");
    const file = await vault.uploaded(`papers/${one}/_files/scan`);
    const documents = vault.stored(hard);
    const stored = await documents.get(forged, "live");
    const whole: unknown = JSON.parse(stored?.text ?? "");
    if (!isJsonObject(whole)) throw new Error("no document");
    const document = {
      id: forged,
      version: 1,
      text: JSON.stringify({ id: forged, scan: file, ...whole }),
      createdAt: 0,
    };
    await documents.load([document]);
    expect((await vault.send("GET", `hard/${forged}`)).body["scan"]).toEqual(file);
    expect((await vault.bring("GET", `hard/${forged}/_files/scan/${file["id"]}`)).status).toBe(404);
  });
});

describe("A removal", () => {
  it("is 204 and the next version; the file is gone from the document", async () => {
    const id = await vault.made("papers");
    const [one, two] = [
      await vault.uploaded(`papers/${id}/_files/pages`),
      await vault.uploaded(`papers/${id}/_files/pages`),
    ];
    const path = `papers/${id}/_files/pages`;
    const wrong = await vault.bring("DELETE", `${path}/${one["id"]}`, { headers: { "if-match": '"1"' } });
    expect(wrong.status).toBe(412);
    const gone = await vault.bring("DELETE", `${path}/${one["id"]}`, { headers: { "if-match": '"3"' } });
    expect([gone.status, gone.headers.get("etag")]).toEqual([204, '"4"']);
    expect((await vault.send("GET", `papers/${id}`)).body["pages"]).toEqual([two]);
    expect((await vault.bring("DELETE", `${path}/${one["id"]}`)).status).toBe(404);
    await vault.bring("DELETE", `${path}/${two["id"]}`);
    expect(Object.keys((await vault.send("GET", `papers/${id}`)).body)).not.toContain("pages");
  });
});

function begun(path: string, ...lines: readonly string[]): Promise<Socket> {
  const { hostname, port } = new URL(vault.url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      const head = [`POST /v1/shop/main/${path} HTTP/1.1`, "Host: x", "Connection: close", ...lines, "", ""];
      socket.write(head.join("\r\n"));
      resolve(socket);
    });
    socket.on("error", () => undefined);
  });
}

/** A body without Content-Length. */
async function chunked(path: string, size: number): Promise<{ status: number; code: string }> {
  const socket = await begun(path, "Transfer-Encoding: chunked");
  let answer = "";
  socket.on("data", (bytes: Buffer) => {
    answer += bytes.toString();
  });
  socket.write(`${size.toString(16)}\r\n`);
  socket.write(randomBytes(size));
  socket.write("\r\n0\r\n\r\n");
  await new Promise((resolve) => socket.once("close", resolve));
  const [, code = ""] = /"code":"(\w+)"/.exec(answer) ?? [];
  return { status: Number(answer.slice(9, 12)), code };
}

/** A body that ends before it should. */
async function cut(path: string, announced: number, sent: number): Promise<void> {
  const socket = await begun(path, `Content-Length: ${announced}`);
  if (sent > 0) await new Promise((resolve) => socket.write(randomBytes(sent), resolve));
  socket.destroy();
}
