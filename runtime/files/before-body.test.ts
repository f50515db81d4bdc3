/** What rules refuse is refused before any byte of the file is taken. */
import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { code, collection } from "../documents/testing/shop.ts";
import type { JsonObject } from "../json.ts";
import type { WriteRule } from "../realm/rule.ts";
import { allowed, byCaller } from "../rules/index.ts";
import { ask, claim, pdf } from "./testing/direct.ts";
import { formHeaders } from "./testing/forms.ts";
import { fileField, startVault, type Vault } from "./testing/vault.ts";

const editor = byCaller(({ user }) => user?.email === "editor@example.com");
const open: WriteRule<JsonObject | undefined> = { check: (_, document) => document?.["title"] === "open" };
const everyone = { create: allowed, read: allowed, delete: allowed };
const files = [fileField("scan", { upload: "any", maxFiles: 3 })];
const collections = [
  collection("edited", {
    files,
    rules: { ...everyone, update: allowed },
    fieldRules: [{ path: ["scan"], write: editor }],
  }),
  collection("closed", {
    files,
    rules: { ...everyone, update: allowed },
    fieldRules: [{ path: ["scan"], write: open }],
  }),
  collection("ruled", { files, rules: { ...everyone, update: open } }),
  collection("sealed", {
    files,
    rules: { ...everyone, update: allowed },
    fieldRules: [{ path: ["scan"], write: { check: () => false } }],
  }),
];

let vault: Vault;
let token = "";
beforeAll(async () => {
  vault = await startVault("enabled", collections, { quota: 10_000_000 });
  token = (await vault.signUp("ann@example.com")).token;
});
afterAll(() => vault.stop());

/** The answer to a request that waits to be told that its body is wanted. */
async function unsent(path: string, headers: Readonly<Record<string, string>>): Promise<string> {
  const { hostname, port } = new URL(vault.url);
  const socket = connect(Number(port), hostname);
  const all = { host: "shop", authorization: `Bearer ${token}`, expect: "100-continue", ...headers };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  socket.write(`POST /v1/shop/main/${path} HTTP/1.1\r\n${head.join("\r\n")}\r\n\r\n`);
  const [first] = await once(socket.setEncoding("latin1"), "data");
  socket.destroy();
  return String(first).split("\r\n", 1)[0] ?? "";
}

const part = { "tus-resumable": "1.0.0", "content-type": "application/offset+octet-stream" };

describe.each(collections.map(({ name }) => name))("Of a document of %s", (name) => {
  it.each([
    ["with its length", "", { "content-length": "1000000" }],
    ["in chunks", "", { "transfer-encoding": "chunked" }],
    ["in a form", "", { "transfer-encoding": "chunked", ...formHeaders }],
    ["in exchange", "?replace=true", { "content-length": "1000000" }],
    ["of a type", "", { "content-length": "1000000", "content-type": "application/pdf" }],
    ["in a resumable way", "/_tus", { ...part, "content-length": "1000", "upload-length": "1000" }],
  ])("an upload %s is 403 before its body", async (_, at, headers) => {
    const id = await vault.made(name, {}, "", token);
    expect(await unsent(`${name}/${id}/_files/scan${at}`, headers)).toBe("HTTP/1.1 403 Forbidden");
  });

  it("direct and resumable uploads are not begun, and hold nothing", async () => {
    const id = await vault.made(name, {}, "", token);
    const at = `${name}/${id}/_files/scan`;
    const direct = await ask(vault, at, claim(pdf(1_000)), { token });
    const headers = { "tus-resumable": "1.0.0", "upload-length": "1000" };
    const resumable = await vault.bring("POST", `${at}/_tus`, { token, headers });
    for (const refused of [direct, resumable])
      expect([refused.status, code(refused)]).toEqual([403, "forbidden"]);
    for (const of of ["uploads", "resumable", "usage"] as const) expect(await vault.records(of)).toEqual([]);
    expect(await vault.lying()).toEqual([]);
  });
});

it("who may write the field is let in by each of them", async () => {
  const { token: by } = await vault.signUp("editor@example.com");
  for (const [name, title] of [
    ["edited", "a"],
    ["closed", "open"],
    ["ruled", "open"],
  ] as const) {
    const id = await vault.made(name, { title }, "", by);
    await vault.uploaded(`${name}/${id}/_files/scan`, 10, { token: by });
    expect((await ask(vault, `${name}/${id}/_files/scan`, claim(pdf(10)), { token: by })).status).toBe(201);
  }
});
