/** `POST …/{collection}/_form`: documents that are created with their files. */

import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { realmUsage } from "../documents/files/usage.ts";
import { code, collection, fields, text } from "../documents/testing/shop.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { allowed, byCaller } from "../rules/index.ts";
import { until } from "../testing/until.ts";
import { pdf } from "./testing/direct.ts";
import { formHeaders, formOf, type Part } from "./testing/forms.ts";
import { picture, statesOf, thumb } from "./testing/pictures.ts";
import { type Answered, type Brought, fileField, sha256, startVault, type Vault } from "./testing/vault.ts";

const papers = collection("papers", {
  files: [fileField("scan"), fileField("pages", { maxFiles: 3 }), fileField("sealed"), fileField("small")],
  rules: {
    create: { check: ({ user }, _, data) => user !== undefined && data["title"] !== "forbidden" },
    read: allowed,
    update: allowed,
    delete: allowed,
  },
  fieldRules: [
    { path: ["sealed"], write: byCaller(() => false) },
    {
      path: ["small"],
      write: {
        check: (_, __, data) => {
          const { small } = data;
          return isJsonObject(small) && Number(small["size"]) < 10;
        },
      },
    },
  ],
  indexes: [{ name: "slug", keys: [{ field: fields.slug, descending: false }], unique: true }],
});
const pictures = collection("pictures", {
  files: [fileField("cover", { accept: ["image/png"], versions: { thumb } })],
  rules: { create: allowed, read: allowed, update: allowed, delete: allowed },
});
const scans = collection("scans", {
  files: [fileField("document")],
  rules: { create: allowed, read: allowed, update: allowed, delete: allowed },
});
const plain = collection("plain", {
  rules: { create: allowed, read: allowed, update: allowed, delete: allowed },
});

let vault: Vault;
let token = "";
beforeAll(async () => {
  vault = await startVault("enabled", [papers, pictures, scans, plain], { quota: 4 * 1024 * 1024 });
  token = (await vault.signUp("ann@example.com")).token;
});
afterAll(() => vault.stop());

const documentOf = (document: JsonObject | string): Part => ({
  headers: 'name="document"',
  bytes: typeof document === "string" ? document : JSON.stringify(document),
});
const fileOf = (field: string, bytes: Part["bytes"], name = "a.bin"): Part => ({
  headers: `name="${field}"; filename="${name}"`,
  bytes,
});

function create(
  parts: readonly Part[],
  { headers, ...sent }: Brought = {},
  of = "papers",
): Promise<Answered> {
  return vault.bring("POST", `${of}/_form`, {
    token,
    bytes: formOf(parts),
    ...sent,
    headers: { ...formHeaders, ...headers },
  });
}

describe("A form with a document and files", () => {
  it("is 201 with the document, its address and its tag; its files are there", async () => {
    const [scan, one, two] = [pdf(200_000), randomBytes(10), randomBytes(20)];
    const { status, headers, body } = await create([
      fileOf("pages", one, "1.bin"),
      documentOf({ title: "Bill" }),
      fileOf("scan", scan, "bill.pdf"),
      fileOf("pages", two, "2.bin"),
    ]);
    const file = (name: string, bytes: Buffer, type: string) => ({
      name,
      size: bytes.length,
      sha256: sha256(bytes),
      type,
    });
    expect([status, body]).toMatchObject([
      201,
      {
        title: "Bill",
        scan: file("bill.pdf", scan, "application/pdf"),
        pages: [
          file("1.bin", one, "application/octet-stream"),
          file("2.bin", two, "application/octet-stream"),
        ],
        _meta: { version: 1 },
      },
    ]);
    const id = text(body, "id");
    expect([headers.get("etag"), headers.get("location")]).toEqual(['"1"', `/v1/shop/main/papers/${id}`]);
    expect((await vault.send("GET", `papers/${id}`, { token })).body).toEqual(body);
    const got = await vault.bring("GET", `papers/${id}/_files/scan/${text(body, "scan", "id")}`, { token });
    expect(got.bytes.equals(scan)).toBe(true);
    const named = (await vault.records("names")).find(({ document }) => document === id);
    expect(named).toMatchObject({ files: [{ field: "pages" }, { field: "scan" }, { field: "pages" }] });
  });

  it("counts against the quota until the document is gone, and survives the sweep", async () => {
    const used = async () => (await realmUsage(vault.store("shop"))).bytes;
    const before = await used();
    const { body } = await create([documentOf({ title: "a" }), fileOf("scan", randomBytes(1_000))]);
    expect(await used()).toBe(before + 1_000);
    await vault.swept();
    const path = `papers/${text(body, "id")}`;
    expect(
      (await vault.bring("GET", `${path}/_files/scan/${text(body, "scan", "id")}`, { token })).status,
    ).toBe(200);
    await vault.send("DELETE", path, { token });
    expect(await used()).toBe(before);
  });

  it("may have no file, and a field in which none was chosen has none", async () => {
    const none = await create([documentOf({ title: "a" })]);
    expect([none.status, none.body]).toMatchObject([201, { title: "a" }]);
    expect(none.body).not.toHaveProperty("scan");
    const empty = await create([
      documentOf({ title: "a" }),
      { headers: 'name="scan"; filename=""', type: "application/octet-stream", bytes: "" },
    ]);
    expect([empty.status, empty.body]).toMatchObject([201, { title: "a" }]);
    expect(empty.body).not.toHaveProperty("scan");
  });

  it("is what fetch makes of FormData, its document a Blob or a text", async () => {
    for (const document of [new Blob(['{"title":"a"}'], { type: "application/json" }), '{"title":"a"}']) {
      const form = new FormData();
      form.append("document", document);
      form.append("scan", new Blob([pdf(10)], { type: "application/pdf" }), "bill.pdf");
      const headers = { authorization: `Bearer ${token}` };
      const response = await fetch(`${vault.url}/v1/shop/main/papers/_form`, {
        method: "POST",
        headers,
        body: form,
      });
      expect([response.status, await response.json()]).toMatchObject([
        201,
        { title: "a", scan: { name: "bill.pdf" } },
      ]);
    }
  });

  it("has its images' versions made, as after an upload", async () => {
    const { body } = await create(
      [documentOf({ title: "a" }), fileOf("cover", await picture())],
      {},
      "pictures",
    );
    expect(body["cover"]).toMatchObject({ width: 60, versions: { thumb: "pending" } });
    await until(async () =>
      expect(await statesOf(vault, text(body, "id"), "cover")).toEqual({ thumb: "ready" }),
    );
  });

  it("with an Idempotency-Key is answered once; other files under the key are refused", async () => {
    const parts = (bytes: string) => [documentOf({ title: "a" }), fileOf("scan", bytes)];
    const again = (bytes: string) => create(parts(bytes), { headers: { "idempotency-key": "once" } });
    const first = await again("one");
    const left = async () => JSON.stringify([(await vault.lying()).toSorted(), await vault.records("blobs")]);
    const before = await left();
    const second = await again("one");
    expect([first.status, second.status, second.headers.get("idempotent-replayed")]).toEqual([
      201,
      201,
      "true",
    ]);
    expect(second.body).toEqual(first.body);
    const other = await again("two");
    expect([other.status, code(other)]).toEqual([422, "idempotency_key_reused"]);
    expect(await left()).toBe(before);
  });

  it("by an administrator is past the rules, and audited with its uploads", async () => {
    const { token: boss } = await vault.person("boss@example.com", "boss");
    const parts = [documentOf({ title: "forbidden" }), fileOf("sealed", "x", "s.txt")];
    const answer = await create(parts, { token: boss }, "/v1/shop/_admin/data/main/papers");
    expect([answer.status, answer.body]).toMatchObject([201, { sealed: { name: "s.txt" } }]);
    expect((await vault.audit()).slice(-2)).toMatchObject([
      { action: "data.create" },
      { action: "data.upload", details: { field: "sealed", name: "s.txt", size: 1 } },
    ]);
  });

  it("may be large where its field's write rule reads no size, and not where it does", async () => {
    expect((await create([documentOf({ title: "a" }), fileOf("small", "123456789")])).status).toBe(201);
    const refused = await create([documentOf({ title: "a" }), fileOf("small", "1234567890")]);
    expect([refused.status, code(refused)]).toEqual([403, "forbidden"]);
  });
});

it("A field of files that is called document has its file beside the document", async () => {
  const parts = [fileOf("document", "x", "a.txt"), documentOf({ title: "a" })];
  const answer = await create(parts, {}, "scans");
  expect([answer.status, answer.body]).toMatchObject([
    201,
    { title: "a", document: { name: "a.txt", size: 1 } },
  ]);
});

it("Collections without fields of files have no such route", async () => {
  const answer = await create([documentOf({ title: "a" })], {}, "plain");
  expect([answer.status, code(answer)]).toEqual([405, "method_not_allowed"]);
});
