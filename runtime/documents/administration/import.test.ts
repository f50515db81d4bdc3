import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { field } from "../../filter/fields.ts";
import type { JsonObject, JsonValue } from "../../json.ts";
import { storeNameOf } from "../../realm/definition.ts";
import { denied } from "../../rules/index.ts";
import { importLease, importShape } from "../importing/record.ts";
import { code, collection, fields, paths, type Shop, startShop } from "../testing/shop.ts";

const slug = { name: "slug", keys: [{ field: fields.slug, descending: false }], unique: true };
const chosen = collection("chosen", {
  customId: { duplicateLimit: 2 },
  rules: { read: denied, create: denied },
  softDelete: {},
  indexes: [slug],
});
const parts = collection("parts", {
  references: {
    of: { database: "main", collection: "chosen", field: field("owner", "string"), key: "id", many: false },
  },
});

let shop: Shop;
let key: string;
beforeAll(async () => {
  shop = await startShop("enabled", [chosen, parts]);
  key = await shop.key({ name: "admin", admin: ["data"] });
});
afterAll(() => shop.stop());

const send = (body: JsonValue, name = "chosen", token = key) =>
  shop.send("POST", `../_admin/data/main/${name}/_import`, { body, token });
const titleOf = async (id: string) =>
  JSON.parse((await shop.stored(chosen).get(id, "all"))?.text ?? "{}").title;

describe("Administrator routes: _import", () => {
  test("Administrator routes: _import writes what fits and names the rest by place, in one transaction", async () => {
    const documents: JsonObject[] = [
      { id: "a", title: "one", slug: "s" },
      { id: "b", title: "" },
      { title: "no id" },
      { id: "c", title: "three", slug: "s" },
      { id: "d", title: "four", "a.b": 1 },
      { id: "e", title: "five", _meta: { owner: "x" } },
    ];
    const { status, body } = await send({ documents });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        written: 2,
        replaced: 0,
        rejected: [
          { at: 1, id: "b", error: "title must have at least 1 character" },
          { at: 2, id: null, error: expect.stringContaining("id is required") },
          { at: 3, id: "c", error: "slug must be unique" },
          { at: 4, id: "d", error: expect.stringContaining("member names must not") },
        ],
      },
    });
    const { text } = (await shop.stored(chosen).get("e", "live")) ?? { text: "{}" };
    expect(JSON.parse(text)._meta).toMatchObject({ owner: null, created_by: "key:admin", version: 1 });
  });

  test("Administrator routes: _import replaces and merges, and keeps _meta as it comes", async () => {
    await send({ documents: [{ id: "m", title: "before", qty: 1 }] });
    const merged = await send({ mode: "merge", documents: [{ id: "m", qty: null, lang: "en" }] });
    expect(merged.body).toEqual({ written: 1, replaced: 1, rejected: [] });
    expect(JSON.parse((await shop.stored(chosen).get("m", "live"))?.text ?? "")).toMatchObject({
      ...{ title: "before", lang: "en" },
      _meta: { version: 2 },
    });
    const times = { created_at: "2026-01-01T00:00:00.000Z", updated_at: "2026-01-02T00:00:00.000Z" };
    const _meta = { ...times, version: 9, owner: "somebody", deleted_at: "2026-01-03T00:00:00.000Z" };
    await send({ mode: "replace", meta: true, documents: [{ id: "m", title: "gone", _meta }] });
    const gone = await shop.stored(chosen).get("m", "deleted");
    expect(gone?.text).toBe(JSON.stringify({ id: "m", title: "gone", _meta }));
    expect((await send({ documents: [{ id: "m", title: "again" }] })).body).toMatchObject({
      rejected: [{ at: 0, id: "m", error: "a document with this id exists" }],
    });
  });

  test("Administrator routes: what _import's documents name must be there, or be said to come", async () => {
    const documents = [{ title: "p", owner: "later" }];
    expect((await send({ documents }, "parts")).body).toMatchObject({
      written: 0,
      rejected: [{ at: 0, error: 'owner: there is no document of main/chosen whose id is "later"' }],
    });
    const upcoming = [{ collection: "main/chosen", key: "id", values: ["later"] }];
    expect((await send({ documents, upcoming }, "parts")).body).toMatchObject({ written: 1 });
  });

  test("Audit records: an _import leaves one, that says how many and nothing of them", async () => {
    const before = (await shop.audit()).length;
    await send({ documents: [{ id: "audited", title: "secret words" }, { id: "x y" }] });
    const [record, ...others] = (await shop.audit()).slice(before);
    expect(others).toEqual([]);
    expect(record).toMatchObject({
      ...{ action: "data.import", actor: "key:admin", target: "collection:main/chosen" },
      details: { mode: "create", meta: false, created: 1, replaced: 0, rejected: 1 },
    });
    expect(JSON.stringify(record)).not.toContain("secret words");
  });

  test("Administrator routes: _import is for who changes data, within the scopes of their key", async () => {
    const documents = [{ id: "nobody", title: "x" }];
    const reader = await shop.person("reader@example.com", "reader");
    const scoped = await shop.key({
      ...{ name: "scoped", admin: ["data"] },
      scopes: { read: "*", write: ["main/parts"] },
    });
    for (const token of [reader.token, scoped, await shop.key({ name: "robot" })])
      expect((await send({ documents }, "chosen", token)).status).toBe(403);
    expect(await shop.stored(chosen).get("nobody", "all")).toBeUndefined();
  });

  test.each([
    [{}, ["documents"]],
    [{ documents: Array.from({ length: 1_001 }, () => ({})) }, ["documents"]],
    [{ documents: [{ id: "a" }, { id: "b" }, { id: "a" }] }, ["documents.2.id"]],
    [{ documents: ["a"], mode: "add" }, ["mode", "documents.0"]],
    [{ documents: [{}], position: { import: "i", number: 0, state: {} } }, ["documents"]],
    [
      { documents: [], position: { import: "", number: -1, state: {} } },
      ["position.import", "position.number"],
    ],
    [
      { documents: [], position: { import: "i", number: 1, state: { a: "x".repeat(9_000) } } },
      ["position.state"],
    ],
  ])("Administrator routes: an _import that makes no sense is 400: %#", async (body, named) => {
    const answer = await send(body);
    expect([answer.status, code(answer)]).toEqual([400, "validation_error"]);
    expect(paths(answer)).toEqual(named);
  });
});

describe("Administrator routes: the position of _import", () => {
  const at = (number: number, state: JsonObject | null = {}, name = "one") => ({
    position: { import: name, number, state },
  });
  const none = { written: 0, replaced: 0, rejected: [] };

  test("Administrator routes: each request of an _import is done once, and answered as it was", async () => {
    const first = { documents: [{ id: "p1", title: "1" }, { id: "p2" }], ...at(1, { line: 2 }) };
    const answer = await send(first);
    expect(answer.body).toEqual({
      ...{ written: 1, replaced: 0, rejected: [{ at: 1, id: "p2", error: "title is required" }] },
      position: { import: "one", number: 1, state: { line: 2 }, created: 1, replaced: 0, rejected: 1 },
    });
    const audited = (await shop.audit()).length;
    expect((await send(first)).text).toBe(answer.text);
    expect((await send({ documents: [], ...at(0) })).text).toBe(answer.text);
    expect(await shop.audit()).toHaveLength(audited);
    expect(await titleOf("p1")).toBe("1");
    const next = { mode: "merge", documents: [{ id: "p1", title: "2" }], ...at(2, { line: 3 }) };
    expect((await send(next)).body).toMatchObject({
      position: { number: 2, state: { line: 3 }, created: 1, replaced: 1, rejected: 1 },
    });
    expect((await send({ documents: [], ...at(2, null) })).body).toEqual(none);
    expect((await send({ documents: [], ...at(0) })).body).toEqual(none);
  });

  test("Administrator routes: an _import whose turn it is not, or that is another one than before, is 409", async () => {
    await send({ documents: [{ id: "q1", title: "1" }], ...at(1) });
    for (const number of [1, 3]) {
      const answer = await send({ documents: [{ id: "q2", title: "2" }], ...at(number) });
      expect([answer.status, code(answer)]).toEqual([409, "conflict"]);
    }
    expect(await shop.stored(chosen).get("q2", "all")).toBeUndefined();
    // Another import begins anew.
    const other = await send({ documents: [{ id: "q2", title: "2" }], ...at(1, {}, "two") });
    expect(other.body).toMatchObject({ written: 1, position: { import: "two", number: 1, created: 1 } });
    await send({ documents: [], ...at(0, null, "two") });
  });

  test("Administrator routes: while somebody else imports, an _import with a position is 503", async () => {
    const lease = await shop.store("shop").lease(importLease(storeNameOf(chosen)), 30_000);
    const refused = await send({ documents: [{ id: "r1", title: "1" }], ...at(1) });
    await lease?.release();
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    expect((await send({ documents: [{ id: "r1", title: "1" }], ...at(1) })).body).toMatchObject({
      written: 1,
    });
    expect(await shop.store("shop").collection(importShape.name).get("main.chosen", "live")).toBeDefined();
  });

  test("Administrator routes: the same request of an _import sent many times at once is done once", async () => {
    const documents = Array.from({ length: 50 }, (_, n) => ({ id: `many-${n}`, title: "x" }));
    const body = { documents, ...at(1, {}, "at once") };
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(body)));
    const done = answers.filter(({ status }) => status === 200);
    expect(done.length).toBeGreaterThan(0);
    for (const answer of done) expect(answer.body).toMatchObject({ written: 50, rejected: [] });
    expect(answers.every(({ status }) => status === 200 || status === 503)).toBe(true);
  });
});
