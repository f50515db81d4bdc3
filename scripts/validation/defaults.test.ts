/** Defaults of a compiled realm with `defaults: apply`. Every answer is held against its OpenAPI document. */
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createKey } from "../../runtime/auth/command-keys.ts";
import { type Started, startRealm } from "../../runtime/instance/testing/servers.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";
import { compileRealm } from "../compiled.ts";
import { insertSession, insertUser } from "../people.ts";

type Headers = Readonly<Record<string, string>>;

let server: Started;
let person: Headers;
let editor: Headers;
let keeper: Headers;
beforeAll(async () => {
  const config = fileURLToPath(new URL("config", import.meta.url));
  server = await startRealm([await compileRealm(config, "desk")]);
  const { clock } = server;
  const store = server.store("desk");
  const bearer = async (id: string, roles: readonly string[]): Promise<Headers> => {
    await insertUser(store, clock, id, { roles: [...roles] });
    return { authorization: `Bearer ${await insertSession(store, clock, id, `session-${id}`)}` };
  };
  person = await bearer("person", []);
  editor = await bearer("editor", ["editor"]);
  keeper = { authorization: `Bearer ${await createKey(store, clock, { name: "keeper", admin: true })}` };
});
afterAll(() => server.stop());

interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

async function ask(method: string, path: string, body?: JsonValue, headers = person): Promise<Answer> {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const response = await fetch(`${server.url}/v1/desk/${path}`, {
    method,
    headers: { ...headers, ...(body !== undefined && { "content-type": type }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const value: unknown = await response.json();
  return { status: response.status, body: isJsonObject(value) ? value : {} };
}

/** A document's own members. */
function own({ body: { id, _meta, ...members } }: Answer): JsonObject {
  return members;
}

async function created(body: JsonObject, headers = person): Promise<string> {
  const answer = await ask("POST", "main/orders", body, headers);
  expect(answer.status).toBe(201);
  return String(answer.body["id"]);
}

const preset = { status: "open", tags: ["new"], due: "2026-01-01T00:00:00.000Z", approved: false };

describe("Defaults: a create that leaves members out has them", () => {
  test("before the schema and the rules look at it; dates come in their stored form", async () => {
    const answer = await ask("POST", "main/orders", {});
    expect([answer.status, own(answer)]).toEqual([201, preset]);
    // What the caller may not read is set all the same.
    const seen = await ask("GET", `main/orders/${String(answer.body["id"])}`, undefined, editor);
    expect(own(seen)).toEqual({ ...preset, note: "none" });
  });

  test("in objects and items that are there", async () => {
    const answer = await ask("POST", "main/orders", {
      address: { city: "Bern" },
      lines: [{ sku: "a" }, { sku: "b", amount: 2 }],
    });
    expect(own(answer)).toEqual({
      ...preset,
      address: { city: "Bern", country: "CH" },
      lines: [
        { sku: "a", amount: 1 },
        { sku: "b", amount: 2 },
      ],
    });
  });

  test("what is sent stays, and rules see it; what does not fit is refused", async () => {
    const sent = await ask("POST", "main/orders", { tags: [], due: "2027-02-03T04:05:06Z" });
    expect(own(sent)).toEqual({ ...preset, tags: [], due: "2027-02-03T04:05:06.000Z" });
    expect((await ask("POST", "main/orders", { status: "closed" })).status).toBe(403);
    expect((await ask("POST", "main/orders", { lines: [{}] })).body["error"]).toMatchObject({
      code: "validation_error",
      details: [{ path: "lines.0.sku", reason: "is required" }],
    });
  });

  test("in batches, which replace too", async () => {
    const id = await created({ tags: ["old"] });
    const operations = [
      { op: "create", collection: "orders", document: { lines: [{ sku: "x" }] } },
      { op: "replace", collection: "orders", id, document: { address: {} } },
    ];
    const { status, body } = await ask("POST", "main/_batch", { operations });
    expect(status).toBe(200);
    expect(body["results"]).toMatchObject([
      { ...preset, lines: [{ sku: "x", amount: 1 }] },
      { ...preset, id, address: { country: "CH" } },
    ]);
  });

  test("in imports, but not in those of documents with their _meta, which are copies", async () => {
    const imported = (mode: string, meta: boolean, document: JsonObject) =>
      ask("POST", "_admin/data/main/orders/_import", { mode, meta, documents: [document] }, keeper);
    const read = async (id: string) => own(await ask("GET", `main/orders/${id}`));
    const id = await created({});
    const written = { status: 200, body: { written: 1, replaced: 1, rejected: [] } };
    expect(await imported("replace", false, { id, address: {}, lines: [{ sku: "i" }] })).toEqual(written);
    const whole = { ...preset, address: { country: "CH" }, lines: [{ sku: "i", amount: 1 }] };
    expect(await read(id)).toEqual(whole);
    expect(await imported("merge", false, { id, tags: null, lines: null })).toEqual(written);
    const { tags, lines, ...merged } = whole;
    expect(await read(id)).toEqual(merged);
    const { body: stored } = await ask("GET", `main/orders/${id}`, undefined, editor);
    const { note, ...copy } = stored;
    expect(await imported("replace", true, copy)).toEqual(written);
    expect((await ask("GET", `main/orders/${id}`, undefined, editor)).body).toEqual(copy);
  });
});

describe("Defaults: a replacement has them, a patch has not", () => {
  test("PUT", async () => {
    const id = await created({ tags: ["a"], address: { country: "DE" } });
    const put = await ask("PUT", `main/orders/${id}`, { status: "closed" });
    expect([put.status, own(put)]).toEqual([200, { ...preset, status: "closed" }]);
  });

  test("PATCH: null removes what the schema does not require, and nothing else is set", async () => {
    const id = await created({});
    const patched = await ask("PATCH", `main/orders/${id}`, { tags: null, due: null, address: {} });
    expect(patched.status).toBe(400);
    const { tags, due, ...rest } = preset;
    expect(own(await ask("PATCH", `main/orders/${id}`, { tags: null, due: null }))).toEqual(rest);
    expect((await ask("PATCH", `main/orders/${id}`, { status: null })).status).toBe(400);
  });
});

describe("Defaults: the server sets them, rules of fields are not asked", () => {
  const refused = (path: string) => ({
    code: "forbidden",
    details: [{ path, reason: "may not be written" }],
  });

  test("a create without the field is allowed, one that names it asks", async () => {
    expect((await ask("POST", "main/orders", {})).status).toBe(201);
    for (const approved of [true, false])
      expect((await ask("POST", "main/orders", { approved })).body["error"]).toMatchObject(
        refused("approved"),
      );
    expect((await ask("POST", "main/orders", { note: "none" })).body["error"]).toMatchObject(refused("note"));
    expect((await ask("POST", "main/orders", { approved: true }, editor)).status).toBe(201);
  });

  test("a replacement does not bring a value back to its default that its caller may not change", async () => {
    const id = await created({ approved: true, note: "mine" }, editor);
    expect((await ask("PUT", `main/orders/${id}`, {})).body["error"]).toMatchObject(refused("approved"));
    const put = await ask("PUT", `main/orders/${id}`, { approved: true });
    expect([put.status, own(put)]).toEqual([200, { ...preset, approved: true }]);
    // Hidden fields that are left out keep what is stored.
    expect(own(await ask("GET", `main/orders/${id}`, undefined, editor))).toMatchObject({ note: "mine" });
    const reset = await ask("PUT", `main/orders/${id}`, {}, editor);
    expect(own(reset)).toEqual({ ...preset, note: "none" });
  });

  test("a replacement sets what a patch has removed", async () => {
    const id = await created({});
    expect((await ask("PATCH", `main/orders/${id}`, { note: null }, editor)).status).toBe(200);
    expect((await ask("PUT", `main/orders/${id}`, {})).status).toBe(200);
    expect(own(await ask("GET", `main/orders/${id}`, undefined, editor))).toMatchObject({ note: "none" });
  });
});

describe("Defaults: descriptions", () => {
  test("requests may leave them out, documents have those that the schema requires", async () => {
    const { body } = await ask("GET", "_openapi.json");
    const schemas = isJsonObject(body["components"]) ? body["components"]["schemas"] : undefined;
    const required = (name: string) => {
      const schema = isJsonObject(schemas) ? schemas[name] : undefined;
      return isJsonObject(schema) ? schema["required"] : undefined;
    };
    expect(required("MainOrdersInput")).toBeUndefined();
    expect(required("MainOrdersLineInput")).toEqual(["sku"]);
    expect(required("MainOrdersDocument")).toEqual(["id", "_meta", "status", "approved"]);
  });
});
