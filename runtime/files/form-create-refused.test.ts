/** Forms from which no document is made leave nothing: no document, no bytes, nothing counted. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { code, collection, fields } from "../documents/testing/shop.ts";
import type { JsonObject } from "../json.ts";
import { allowed, byCaller } from "../rules/index.ts";
import { untilHolds } from "../testing/until.ts";
import { pdf } from "./testing/direct.ts";
import { formHeaders, formOf, type Part } from "./testing/forms.ts";
import { fileField, startVault, type Vault } from "./testing/vault.ts";

const mib = 1024 * 1024;
const papers = collection("papers", {
  files: [
    fileField("scan"),
    fileField("photo", { accept: ["image/png"] }),
    fileField("pages", { maxFiles: 2 }),
    fileField("sealed"),
    fileField("film", { upload: "resumable", maxSize: 4 * mib }),
  ],
  rules: {
    create: { check: ({ user }, _, data) => user !== undefined && data["title"] !== "forbidden" },
    read: allowed,
    update: allowed,
    delete: allowed,
  },
  fieldRules: [{ path: ["sealed"], write: byCaller(() => false) }],
  indexes: [{ name: "slug", keys: [{ field: fields.slug, descending: false }], unique: true }],
});

let vault: Vault;
let token = "";
beforeAll(async () => {
  vault = await startVault("enabled", [papers], { quota: 2 * mib }, { settings: { maxBodyBytes: 10_000 } });
  token = (await vault.signUp("ann@example.com")).token;
  await vault.made("papers", { slug: "taken" }, "", token);
});
afterAll(() => vault.stop());

const documentOf = (document: JsonObject | string): Part => ({
  headers: 'name="document"',
  bytes: typeof document === "string" ? document : JSON.stringify(document),
});
const good = documentOf({ title: "a" });
const fileOf = (field: string, bytes: Part["bytes"], type?: string): Part => ({
  headers: `name="${field}"; filename="a.bin"`,
  bytes,
  ...(type !== undefined && { type }),
});
const large = randomBytes(500_000);

/** All that an attempt could leave. */
async function left() {
  const { body } = await vault.send("GET", "papers?count=true", { token });
  const records = await Promise.all((["names", "blobs", "usage"] as const).map((of) => vault.records(of)));
  return JSON.stringify([body["items"], await vault.lying(), records]);
}

describe("Nothing is left of a form", () => {
  it.each<[string, readonly Part[], number, string]>([
    ["without a document", [fileOf("scan", large)], 400, "validation_error"],
    ["with nothing in it", [], 400, "validation_error"],
    ["with two documents", [good, good, fileOf("scan", "x")], 400, "validation_error"],
    ["whose document is no JSON", [fileOf("scan", large), documentOf("{")], 400, "invalid_json"],
    [
      "whose document does not fit",
      [fileOf("scan", large), documentOf({ title: 1 })],
      400,
      "validation_error",
    ],
    [
      "whose document names a file",
      [fileOf("scan", large), documentOf({ title: "a", scan: { id: "x" } })],
      400,
      "validation_error",
    ],
    [
      "whose document is too large",
      [documentOf({ title: "x".repeat(10_000) }), fileOf("scan", "x")],
      413,
      "payload_too_large",
    ],
    [
      "whose document has an id",
      [documentOf({ title: "a", id: "x" }), fileOf("scan", "x")],
      400,
      "id_not_allowed",
    ],
    ["with a file of no field", [good, fileOf("scan", large), fileOf("title", "x")], 400, "validation_error"],
    [
      "with a text beside",
      [good, fileOf("scan", large), { headers: 'name="title"', bytes: "x" }],
      400,
      "validation_error",
    ],
    ["with a text as file", [good, { headers: 'name="scan"', bytes: "x" }], 400, "validation_error"],
    ["with two files for one", [good, fileOf("scan", large), fileOf("scan", "x")], 409, "too_many_files"],
    [
      "with three files for two",
      [good, ...["a", "b", "c"].map((each) => fileOf("pages", each))],
      409,
      "too_many_files",
    ],
    ["with a file that is too large", [good, fileOf("scan", randomBytes(mib + 1))], 413, "payload_too_large"],
    [
      "with a file that is to be resumable",
      [good, fileOf("film", randomBytes(mib + 1))],
      409,
      "upload_mode_mismatch",
    ],
    [
      "with a file of a type that is not taken",
      [good, fileOf("scan", large), fileOf("photo", pdf(100))],
      415,
      "unsupported_file_type",
    ],
    [
      "with a file of another type than it says",
      [good, fileOf("scan", pdf(100), "image/png")],
      415,
      "unsupported_file_type",
    ],
    [
      "beyond the quota",
      [good, fileOf("scan", randomBytes(mib)), fileOf("pages", randomBytes(mib)), fileOf("pages", "x")],
      413,
      "quota_exceeded",
    ],
    [
      "that the rule of creates refuses",
      [documentOf({ title: "forbidden" }), fileOf("scan", large)],
      403,
      "forbidden",
    ],
    [
      "that the rule of a field refuses",
      [good, fileOf("scan", large), fileOf("sealed", "x")],
      403,
      "forbidden",
    ],
    [
      "whose document has a value that is taken",
      [documentOf({ title: "a", slug: "taken" }), fileOf("scan", large)],
      409,
      "conflict",
    ],
  ])("%s", async (_, parts, status, expected) => {
    for (const headers of [{}, { "idempotency-key": "k" }]) {
      const before = await left();
      const answer = await vault.bring("POST", "papers/_form", {
        token,
        bytes: formOf(parts),
        headers: { ...formHeaders, ...headers },
      });
      expect([answer.status, code(answer)]).toEqual([status, expected]);
      await untilHolds(async () => (await left()) === before);
    }
  });

  it.each<[string, string, string, number, string]>([
    ["that is JSON", "application/json", '{"title":"a"}', 415, "unsupported_media_type"],
    ["without a boundary", "multipart/form-data", "", 400, "invalid_header"],
    [
      "that is cut",
      formHeaders["content-type"],
      formOf([good, fileOf("scan", large)])
        .toString("latin1")
        .slice(0, 100_000),
      400,
      "validation_error",
    ],
  ])("%s", async (_, type, bytes, status, expected) => {
    const before = await left();
    const answer = await vault.bring("POST", "papers/_form", {
      token,
      bytes,
      headers: { "content-type": type },
    });
    expect([answer.status, code(answer)]).toEqual([status, expected]);
    await untilHolds(async () => (await left()) === before);
  });

  it("whose client is nobody: 401 before its body", async () => {
    const answer = await vault.bring("POST", "papers/_form", { bytes: formOf([good]), headers: formHeaders });
    expect([answer.status, code(answer)]).toEqual([401, "unauthenticated"]);
  });

  it("whose client breaks off, wherever that is", async () => {
    const bytes = formOf([good, fileOf("scan", large), fileOf("pages", large)]);
    const before = await left();
    for (const length of [0, 200, 300_000, 700_000, bytes.length - 1]) {
      const { hostname, port } = new URL(vault.url);
      const socket = connect(Number(port), hostname);
      const head = [
        "POST /v1/shop/main/papers/_form HTTP/1.1",
        "Host: shop",
        `Authorization: Bearer ${token}`,
        `Content-Type: ${formHeaders["content-type"]}`,
        `Content-Length: ${bytes.length}`,
      ];
      socket.write(`${head.join("\r\n")}\r\n\r\n`);
      await new Promise<void>((resolve) => socket.write(bytes.subarray(0, length), () => resolve()));
      socket.destroy();
      await once(socket, "close");
    }
    await untilHolds(async () => (await left()) === before);
  });
});
