/** File fields in bodies of documents: what a body says of them is so already, or refused. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { code, collection, type Received } from "../documents/testing/shop.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { allowed, byCaller } from "../rules/index.ts";
import { fileField, startVault, type Vault } from "./testing/vault.ts";

const everyone = { create: allowed, read: allowed, update: allowed, delete: allowed };
const papers = collection("papers", {
  files: [fileField("scan"), fileField("pages", { maxFiles: 3 }), fileField("secret")],
  fieldRules: [{ path: ["secret"], read: byCaller(({ user }) => user === undefined) }],
  rules: everyone,
});

let vault: Vault;
let token = "";
beforeAll(async () => {
  vault = await startVault("enabled", [papers]);
  token = (await vault.signUp("ann@example.com")).token;
});
afterAll(() => vault.stop());

async function filled(): Promise<{ readonly id: string; readonly body: JsonObject }> {
  const id = await vault.made("papers", {}, "", token);
  for (const field of ["scan", "pages", "pages"])
    await vault.uploaded(`papers/${id}/_files/${field}`, 9, { token });
  const { body } = await vault.send("GET", `papers/${id}?file_links=true`, { token });
  return { id, body };
}

type Send = (id: string, body: JsonObject) => Promise<Received>;
const inBatch =
  (op: "replace" | "patch"): Send =>
  (id, body) => {
    const operation = { op, collection: "papers", id, [op === "replace" ? "document" : "patch"]: body };
    return vault.send("POST", "_batch", { body: { operations: [operation] }, token });
  };
const ways: readonly (readonly [string, string, Send])[] = [
  ["PUT", "", (id, body) => vault.send("PUT", `papers/${id}`, { body: { title: "b", ...body }, token })],
  ["PATCH", "", (id, body) => vault.send("PATCH", `papers/${id}`, { body, token })],
  ["a batch that replaces", "0.", (id, body) => inBatch("replace")(id, { title: "b", ...body })],
  ["a batch that patches", "0.", inBatch("patch")],
];

const pathsOf = ({ body }: Received) => {
  const { error } = body;
  const details = isJsonObject(error) ? error["details"] : undefined;
  return Array.isArray(details) ? details.map((detail) => Object(detail).path) : [];
};
const other = { id: "forged", name: "x", type: "text/plain", size: 1, sha256: "0", created_at: "2026" };

describe.each(ways)("In the body of %s", (_, at, send) => {
  it("files as they were read are ignored, with or without their addresses and states", async () => {
    const { id, body } = await filled();
    const plain = (await vault.send("GET", `papers/${id}`, { token })).body;
    for (const read of [body, plain]) {
      const { scan, pages } = read;
      const written = await send(id, { ...(scan && { scan }), ...(pages && { pages }) });
      expect([written.status, written.text]).toEqual([200, expect.stringContaining("scan")]);
    }
    const now = (await vault.send("GET", `papers/${id}`, { token })).body;
    expect([now["scan"], now["pages"]]).toEqual([plain["scan"], plain["pages"]]);
  });

  it("a field that is left out stays as it is", async () => {
    const { id } = await filled();
    const before = (await vault.send("GET", `papers/${id}`, { token })).body;
    expect((await send(id, { slug: "s" })).status).toBe(200);
    const now = (await vault.send("GET", `papers/${id}`, { token })).body;
    expect([now["scan"], now["pages"]]).toEqual([before["scan"], before["pages"]]);
  });

  it.each<[string, string, (body: JsonObject) => JsonValue]>([
    ["null", "scan", () => null],
    ["a text", "scan", () => "photo.png"],
    ["false", "scan", () => false],
    ["another file", "scan", () => other],
    ["another name", "scan", ({ scan }) => ({ ...(isJsonObject(scan) ? scan : {}), name: "other" })],
    ["a list of it", "scan", ({ scan }) => [scan ?? null]],
    ["no files", "pages", () => []],
    ["one less", "pages", ({ pages }) => (Array.isArray(pages) ? pages.slice(1) : null)],
    ["one more", "pages", ({ pages }) => (Array.isArray(pages) ? [...pages, other] : null)],
    ["another order", "pages", ({ pages }) => (Array.isArray(pages) ? pages.toReversed() : null)],
    ["what is hidden", "secret", () => other],
  ])("%s is 400 at its path, naming the routes, and changes nothing", async (__, field, value) => {
    const { id, body } = await filled();
    const before = await vault.send("GET", `papers/${id}`, { token });
    const refused = await send(id, { slug: "changed", [field]: value(body) });
    expect([refused.status, code(refused), pathsOf(refused)]).toEqual([
      400,
      "validation_error",
      [at + field],
    ]);
    expect(refused.text).toContain(`DELETE …/_files/${field}/{file}`);
    expect((await vault.send("GET", `papers/${id}`, { token })).body).toEqual(before.body);
  });

  it("null and an empty list say of a field without files what is so", async () => {
    const id = await vault.made("papers", {}, "", token);
    expect((await send(id, { scan: null, pages: [], secret: null })).status).toBe(200);
  });

  it("nothing is told of files that are hidden: null and all else are answered as where there are none", async () => {
    const key = await vault.key({ name: `key of ${at}${Math.random()}` });
    const answers = [];
    for (const isThere of [true, false]) {
      const id = await vault.made("papers", {}, "", token);
      if (isThere) await vault.uploaded(`papers/${id}/_files/secret`, 9, { token: key });
      const { body } = await vault.send("GET", `papers/${id}`, { token: key });
      for (const secret of [null, other, body["secret"] ?? other]) {
        const { status, text } = await send(id, { secret });
        answers.push([status, status === 200 ? "" : text.replace(/"request_id":"[^"]*"/, "")]);
      }
      expect((await vault.send("GET", `papers/${id}`, { token: key })).body["secret"]).toEqual(
        body["secret"],
      );
    }
    expect(answers.slice(0, 3)).toEqual(answers.slice(3));
  });
});

describe("In the body of a create", () => {
  it("a file is 400 at its path, naming the route that adds one", async () => {
    for (const value of [other, "photo.png", [other], {}]) {
      const refused = await vault.send("POST", "papers", { body: { title: "a", scan: value }, token });
      expect([refused.status, code(refused), pathsOf(refused)]).toEqual([400, "validation_error", ["scan"]]);
      expect(refused.text).toContain("POST …/_files/scan");
    }
  });

  it("null and an empty list are no file", async () => {
    const made = await vault.send("POST", "papers", { body: { title: "a", scan: null, pages: [] }, token });
    expect(made.status).toBe(201);
    expect(made.body).not.toHaveProperty("scan");
  });
});
