import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { collections } from "../../auth/collections.ts";
import type { JsonObject } from "../../json.ts";
import { allowed, denied } from "../../rules/index.ts";
import type { Transaction, TransactionCollection } from "../../store/contract/transaction.ts";
import { code, collection, fields, type Received, type Shop, startShop, text } from "../testing/shop.ts";

const notes = collection("notes", { rules: { create: denied, read: allowed } });
const bin = collection("bin", {
  rules: { create: allowed },
  softDelete: {},
  indexes: [{ name: "slug", keys: [{ field: fields.slug, descending: false }], unique: true }],
});
const chosen = collection("chosen", { customId: { duplicateLimit: 100 } });

let shop: Shop;
let key: string;
beforeAll(async () => {
  shop = await startShop("enabled", [notes, bin, chosen]);
  key = await shop.key({ name: "admin", admin: true });
});
afterAll(() => shop.stop());

let told = 0;
/** What was recorded since it was asked last: action, target, details. */
async function recorded(): Promise<readonly (readonly unknown[])[]> {
  const all = await shop.audit();
  const entries = all.slice(told).map(({ action, target, details }) => [action, target, details]);
  told = all.length;
  return entries;
}

const admin = (
  method: string,
  path: string,
  body?: JsonObject,
  headers: Readonly<Record<string, string>> = {},
): Promise<Received> =>
  shop.send(method, `../_admin/data/main/${path}`, { token: key, headers, ...(body && { body }) });

const create = async (name: string, body: JsonObject = { title: "a" }) =>
  text((await admin("POST", name, body)).body, "id");

describe("Audit records: of administrators' data writes", () => {
  test("Audit records: each kind of write leaves one, with the version and nothing of the content", async () => {
    const id = await create("bin", { title: "secret", salary: 5 });
    const path = `bin/${id}`;
    await admin("PUT", path, { title: "secret" });
    await admin("PATCH", path, { title: "secret" });
    await admin("DELETE", path);
    await admin("POST", `${path}/restore`);
    await admin("DELETE", `${path}?purge=true`);
    const note = await create("notes");
    await admin("DELETE", `notes/${note}`);
    const target = `document:main/bin/${id}`;
    expect(await recorded()).toEqual([
      ["data.create", target, { version: 1 }],
      ["data.replace", target, { version: 2 }],
      ["data.patch", target, { version: 3 }],
      ["data.delete", target, { version: 4 }],
      ["data.restore", target, { version: 5 }],
      ["data.purge", target, {}],
      ["data.create", `document:main/notes/${note}`, { version: 1 }],
      ["data.delete", `document:main/notes/${note}`, {}],
    ]);
    expect(JSON.stringify(await shop.audit())).not.toContain("secret");
  });

  test("Audit records: who, when, from where, and the request", async () => {
    const { token, id } = await shop.person("boss@example.com", "boss");
    shop.clock.advance(1_000);
    await shop.send("POST", "../_admin/data/main/notes", {
      body: { title: "a" },
      token,
      headers: { "x-request-id": "request-7" },
    });
    const last = (await shop.audit()).at(-1);
    expect(last).toEqual({
      id: expect.stringMatching(/^[0-9a-z]{20}$/),
      at: "2026-01-01T00:00:01.000Z",
      action: "data.create",
      actor: `user:${id}`,
      target: expect.stringMatching(/^document:main\/notes\//),
      address: "127.0.0.1",
      request_id: "request-7",
      details: { version: 1 },
    });
    await recorded();
    await create("notes");
    expect((await shop.audit()).at(-1)?.actor).toBe("key:admin");
    await recorded();
  });

  test("Audit records: a batch leaves one for each operation, in their order", async () => {
    const [note, bad] = [await create("notes"), await create("bin")];
    await recorded();
    const { body } = await admin("POST", "_batch", {
      operations: [
        { op: "create", collection: "notes", document: { title: "a" } },
        { op: "create", collection: "notes", document: { title: "b" } },
        { op: "patch", collection: "notes", id: note, patch: {} },
        { op: "replace", collection: "notes", id: note, document: { title: "c" } },
        { op: "delete", collection: "notes", id: note },
        { op: "delete", collection: "bin", id: bad },
      ],
    });
    const results = JSON.parse(JSON.stringify(body["results"]));
    expect(await recorded()).toEqual([
      ["data.create", `document:main/notes/${results[0].id}`, { version: 1 }],
      ["data.create", `document:main/notes/${results[1].id}`, { version: 1 }],
      ["data.patch", `document:main/notes/${note}`, { version: 2 }],
      ["data.replace", `document:main/notes/${note}`, { version: 3 }],
      ["data.delete", `document:main/notes/${note}`, {}],
      ["data.delete", `document:main/bin/${bad}`, { version: 2 }],
    ]);
  });

  test("Audit records: refused writes leave none, nor do reads", async () => {
    const id = await create("bin", { title: "a", slug: "taken" });
    await create("chosen", { title: "a", id: "taken" });
    await recorded();
    const path = `bin/${id}`;
    const operations = [
      { op: "create", collection: "notes", document: { title: "a" } },
      { op: "delete", collection: "notes", id: "nothing" },
    ];
    const refused = [
      await admin("POST", "bin", { title: 1 }),
      await admin("POST", "bin", { title: "b", slug: "taken" }),
      await admin("POST", "chosen", { title: "b", id: "taken" }),
      await admin("PATCH", path, { title: null }),
      await admin("PUT", path, { title: "a" }, { "if-match": '"9"' }),
      await admin("DELETE", path, undefined, { "if-match": '"9"' }),
      await admin("DELETE", "bin/nothing"),
      await admin("DELETE", "notes/nothing"),
      await admin("DELETE", "bin/nothing?purge=true"),
      await admin("POST", `${path}/restore`),
      await admin("POST", "_batch", { operations }),
      await shop.send("POST", "../_admin/data/main/notes", { body: { title: "a" } }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([
      400, 409, 409, 400, 412, 412, 404, 404, 404, 404, 404, 401,
    ]);
    await admin("GET", path);
    await admin("GET", "bin");
    await admin("GET", "bin/_aggregate");
    await admin("POST", "bin/_check");
    expect(await recorded()).toEqual([]);
  });

  test("Audit records: a replayed answer leaves no other", async () => {
    const headers = { "idempotency-key": "k" };
    const { body } = await admin("POST", "notes", { title: "a" }, headers);
    const again = await admin("POST", "notes", { title: "a" }, headers);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(await recorded()).toEqual([["data.create", `document:main/notes/${body["id"]}`, { version: 1 }]]);
  });

  test("Audit records: document routes leave none, with the same key", async () => {
    const { body } = await shop.send("POST", "bin", { body: { title: "a" }, token: key });
    await shop.send("DELETE", `bin/${body["id"]}`, { token: key });
    expect(await recorded()).toEqual([]);
  });

  test("Audit records: of parallel writes to one document each that was done leaves one", async () => {
    const id = await create("notes");
    await recorded();
    const writes = Array.from({ length: 8 }, (_, n) => admin("PATCH", `notes/${id}`, { qty: n }));
    const done = (await Promise.all(writes)).filter(({ status }) => status === 200);
    const versions = done.map(({ body }) => JSON.parse(JSON.stringify(body))._meta.version);
    const entries = await recorded();
    expect(entries.map(([, , details]) => details)).toEqual(
      versions.toSorted((one, other) => one - other).map((version) => ({ version })),
    );
    expect((await admin("GET", `notes/${id}`)).tag).toBe(`"${done.length + 1}"`);
    expect(done.length).toBeGreaterThan(0);
  });

  test("Audit records: in a realm with auth: disabled they name the key", async () => {
    const plain = await startShop("disabled", [notes]);
    try {
      const token = await plain.key({ name: "operator", admin: true });
      await plain.send("POST", "../_admin/data/main/notes", { body: { title: "a" }, token });
      const [entry] = await plain.audit();
      expect([entry?.action, entry?.actor]).toEqual(["data.create", "key:operator"]);
    } finally {
      await plain.stop();
    }
  });
});

describe("Audit records: the write and its record are one", () => {
  const broken = new Error("the store broke");

  /** The store breaks in every transaction: instead of a record, or right after one. */
  function breakStore(when: "before" | "after"): void {
    const store = shop.store("shop");
    const transaction = store.transaction.bind(store);
    const breaking = (records: TransactionCollection): TransactionCollection => ({
      get: (...given) => records.get(...given),
      insert: () => Promise.reject(broken),
      replaceAll: (...given) => records.replaceAll(...given),
      claim: () => Promise.reject(broken),
      insertAll: async (documents) => {
        if (when === "after") await records.insertAll(documents);
        throw broken;
      },
      replace: (...given) => records.replace(...given),
      remove: (...given) => records.remove(...given),
      removeAll: (...given) => records.removeAll(...given),
      modify: (...given) => records.modify(...given),
    });
    vi.spyOn(store, "transaction").mockImplementation((work) =>
      transaction((within: Transaction) =>
        work({
          collection: (name) =>
            name === collections.audit ? breaking(within.collection(name)) : within.collection(name),
        }),
      ),
    );
  }

  test.each(["before", "after"] as const)(
    "Audit records: a failure %s the record leaves neither",
    async (when) => {
      const [live, deleted] = [await create("bin"), await create("bin")];
      await admin("DELETE", `bin/${deleted}`);
      await recorded();
      const headers = { "idempotency-key": `broken-${when}` };
      const before = await admin("GET", "bin?deleted=include&count=true");
      vi.spyOn(console, "error").mockReturnValue();
      breakStore(when);
      const failed = [
        await admin("POST", "bin", { title: "lost" }),
        await admin("POST", "bin", { title: "lost" }, headers),
        await admin("PUT", `bin/${live}`, { title: "lost" }),
        await admin("PATCH", `bin/${live}`, { title: "lost" }),
        await admin("DELETE", `bin/${live}`),
        await admin("DELETE", `bin/${live}?purge=true`),
        await admin("POST", `bin/${deleted}/restore`),
        await admin("POST", "_batch", { operations: [{ op: "delete", collection: "bin", id: live }] }),
      ];
      vi.restoreAllMocks();
      expect(failed.map(({ status }) => status)).toEqual(failed.map(() => 500));
      expect(failed.map(code)).toEqual(failed.map(() => "internal_error"));
      expect((await admin("GET", "bin?deleted=include&count=true")).text).toBe(before.text);
      expect(await recorded()).toEqual([]);
      expect((await admin("POST", "bin", { title: "found" }, headers)).status).toBe(201);
      await recorded();
    },
  );
});
