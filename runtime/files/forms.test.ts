/** Files as HTML forms send them: `multipart/form-data` with one. */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { code, collection, text } from "../documents/testing/shop.ts";
import { pdf } from "./testing/direct.ts";
import { formHeaders, formOf, type Part } from "./testing/forms.ts";
import { type Brought, fileField, sha256, startVault, type Vault } from "./testing/vault.ts";

const kibibyte = 1024;
const papers = collection("papers", {
  files: [fileField("scan")],
});

let vault: Vault;
beforeAll(async () => {
  vault = await startVault("disabled", [papers]);
});
afterAll(() => vault.stop());

const file = (bytes: Part["bytes"], more: Partial<Part> = {}): Part => ({
  headers: 'name="file"; filename="Bill 1.pdf"',
  bytes,
  ...more,
});

async function sent(parts: readonly Part[], field = "scan", headers: Brought["headers"] = {}) {
  const id = await vault.made("papers");
  const path = `papers/${id}/_files/${field}`;
  return {
    path,
    answer: await vault.bring("POST", path, {
      bytes: formOf(parts),
      headers: { ...formHeaders, ...headers },
    }),
  };
}

describe("A form with one file", () => {
  it("is 201 with the file object of that file, by its own name, type and bytes", async () => {
    const bytes = pdf(300 * kibibyte);
    const { path, answer } = await sent([file(bytes, { type: "application/pdf" })]);
    const { status, headers, body } = answer;
    expect([status, headers.get("etag")]).toEqual([201, '"2"']);
    expect(body).toMatchObject({
      name: "Bill 1.pdf",
      type: "application/pdf",
      size: bytes.length,
      sha256: sha256(bytes),
    });
    const got = await vault.bring("GET", `${path}/${text(body, "id")}`);
    expect(got.bytes.equals(bytes)).toBe(true);
  });

  it("is judged by its bytes where it does not say what it is", async () => {
    expect((await sent([file(pdf(100))])).answer.body["type"]).toBe("application/pdf");
  });

  it("is what fetch makes of FormData", async () => {
    const id = await vault.made("papers");
    const form = new FormData();
    form.append("comment", "a text is no file");
    form.append("upload", new Blob([pdf(10)], { type: "application/pdf" }), "naïve \u20ac.pdf");
    const response = await fetch(`${vault.url}/v1/shop/main/papers/${id}/_files/scan`, {
      method: "POST",
      body: form,
    });
    expect([response.status, await response.json()]).toMatchObject([
      201,
      { name: "naïve \u20ac.pdf", size: 10 },
    ]);
  });

  it("may have parts of text before and behind it, and a field in which no file was chosen", async () => {
    const none: Part = { headers: 'name="other"; filename=""', type: "application/octet-stream", bytes: "" };
    const said: Part = { headers: 'name="csrf"', bytes: "x".repeat(1_000) };
    const { answer } = await sent([said, none, file("hello"), said]);
    expect(answer.body).toMatchObject({ size: 5, sha256: sha256("hello"), type: "text/plain" });
  });

  it.each([
    ['name="f"; filename="../../etc/passwd"', {}, "passwd"],
    ['name="f"; filename="C:\\\\fakepath\\\\bill.pdf"', {}, "bill.pdf"],
    ['name="f"; filename="x"; filename*=UTF-8\'\'na%C3%AFve.txt', {}, "naïve.txt"],
    ['name="f"; filename=".htaccess"', {}, "_htaccess"],
    ['name="f"; filename="own.txt"', { "x-svc-filename": "header.txt" }, "own.txt"],
    ['name="f"', { "x-svc-filename": "header.txt" }, "header.txt"],
    ['name="f"', {}, "file"],
  ])("%s is called %s, %s", async (headers, said, name) => {
    const { answer } = await sent([{ headers, type: "application/octet-stream", bytes: "x" }], "scan", said);
    expect([answer.status, answer.body["name"]]).toEqual([201, name]);
  });

  it("may be empty, and as large as the field takes, and no larger", async () => {
    const most = kibibyte * kibibyte;
    for (const size of [0, most])
      expect((await sent([file(randomBytes(size))])).answer.body["size"]).toBe(size);
    const { answer } = await sent([file(randomBytes(most + 1))]);
    expect([answer.status, code(answer)]).toEqual([413, "payload_too_large"]);
    expect(answer.bytes.toString()).toContain(`${most} bytes`);
  });

  it("has the Content-Digest of the whole form", async () => {
    const digestOf = (bytes: Uint8Array) =>
      `sha-256=:${Buffer.from(sha256(bytes), "hex").toString("base64")}:`;
    const parts = [file("hello")];
    const good = await sent(parts, "scan", { "content-digest": digestOf(formOf(parts)) });
    expect(good.answer.status).toBe(201);
    const bad = await sent(parts, "scan", { "content-digest": digestOf(Buffer.from("hello")) });
    expect([bad.answer.status, code(bad.answer)]).toEqual([422, "upload_mismatch"]);
  });

  it("takes the place of what is there with replace=true, and holds to If-Match", async () => {
    const { path } = await sent([file("one")]);
    const again = (query: string, headers: Brought["headers"] = {}) =>
      vault.bring("POST", `${path}${query}`, {
        bytes: formOf([file("two")]),
        headers: { ...formHeaders, ...headers },
      });
    expect(code(await again(""))).toBe("too_many_files");
    expect(code(await again("?replace=true", { "if-match": '"1"' }))).toBe("version_mismatch");
    expect((await again("?replace=true", { "if-match": '"2"' })).body).toMatchObject({
      sha256: sha256("two"),
    });
  });
});
