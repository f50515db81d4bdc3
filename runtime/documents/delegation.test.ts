import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eq } from "../filter/algebra.ts";
import { ownershipFields } from "../filter/fields.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import type { KeyScopes } from "../realm/caller.ts";
import type { FieldReadRule, ReadRule, WriteRule } from "../realm/rule.ts";
import { byCaller, denied } from "../rules/index.ts";
import { code, collection, fields, type Received, type Shop, startShop, text } from "./testing/shop.ts";

const isUser = byCaller(({ user }) => user !== undefined);
const ownedBy = (document: JsonObject, id: string | undefined) =>
  id !== undefined && isJsonObject(document["_meta"]) && document["_meta"]["owner"] === id;
const own: ReadRule & WriteRule & FieldReadRule = {
  filter: ({ user }) => eq(ownershipFields["_meta.owner"], user?.id),
  check: ({ user }, document) => ownedBy(document, user?.id),
};
const declared = { ...fields, ...ownershipFields };

/** Everybody has their own. */
const mine = collection("mine", {
  fields: declared,
  rules: { create: isUser, read: own, update: own, delete: own, restore: own, purge: own },
  softDelete: {},
  fieldRules: [{ path: ["salary"], read: denied, write: denied }],
  aggregate: { groupBy: [], metrics: [] },
  references: {
    other: { database: "main", collection: "other", field: fields.owner, key: "id", many: false },
  },
});
const other = collection("other", { fields: declared, rules: { create: isUser, read: isUser } });
/** The rules allow nothing. */
const closed = collection("closed", { rules: { create: denied, read: denied }, softDelete: {} });

let shop: Shop;
let ada: { readonly token: string; readonly id: string };
let bob: { readonly token: string; readonly id: string };
beforeAll(async () => {
  shop = await startShop("enabled", [mine, other, closed]);
  ada = await shop.signUp("ada@example.com");
  bob = await shop.signUp("bob@example.com");
});
afterAll(() => shop.stop());

let keys = 0;
/** A key that may act for users. */
async function delegate(scopes?: KeyScopes): Promise<string> {
  keys += 1;
  return shop.key({ name: `delegate ${keys}`, onBehalfOf: true, scopes });
}

const acting = (
  token: string,
  user: string,
  method: string,
  path: string,
  body?: JsonObject,
  headers: Readonly<Record<string, string>> = {},
): Promise<Received> =>
  shop.send(method, path, {
    token,
    headers: { ...headers, "x-svc-on-behalf-of": user },
    ...(body && { body }),
  });

async function create(user: { readonly token: string }, name = "mine", body: JsonObject = {}) {
  return text(
    (await shop.send("POST", name, { body: { title: "a", ...body }, token: user.token })).body,
    "id",
  );
}

/** What the whole of a document's life answers to a key that acts for a user. */
async function life(token: string, user: string, name: string, id: string): Promise<readonly number[]> {
  const path = `${name}/${id}`;
  const batch = { operations: [{ op: "create", collection: name, document: { title: "a" } }] };
  const answers = [
    await acting(token, user, "GET", path),
    await acting(token, user, "GET", name),
    await acting(token, user, "GET", `${name}?deleted=include`),
    await acting(token, user, "POST", name, { title: "a" }),
    await acting(token, user, "POST", "_batch", batch),
    await acting(token, user, "PUT", path, { title: "b" }),
    await acting(token, user, "PATCH", path, { title: "c" }),
    await acting(token, user, "DELETE", path),
    await acting(token, user, "POST", `${path}/restore`),
    await acting(token, user, "DELETE", `${path}?purge=true`),
  ];
  return answers.map(({ status }) => status);
}

const allDone = [200, 200, 200, 201, 200, 200, 200, 204, 200, 204];
const refused = allDone.map(() => 403);
const onlyReads = [200, 200, 200, ...refused.slice(3)];
const onlyWrites = [403, 403, 403, ...allDone.slice(3)];

describe("Authentication 5: a key that acts for a user is held by the rules and by its scopes", () => {
  test.each([
    ["no scopes", undefined, allDone],
    ["all scopes", { read: "*", write: "*" }, allDone],
    ["the collection", { read: ["main/mine"], write: ["main/mine"] }, allDone],
    ["read", { read: "*" }, onlyReads],
    ["read and write elsewhere", { read: ["main"], write: ["main/other"] }, onlyReads],
    ["write", { write: ["main/mine"] }, onlyWrites],
    ["another collection", { read: ["main/other"], write: ["main/other"] }, refused],
    ["none", {}, refused],
  ] as const)("Authentication 5: rules allow, scopes: %s", async (_, scopes, statuses) => {
    const id = await create(ada);
    expect(await life(await delegate(scopes), ada.id, "mine", id)).toEqual(statuses);
  });

  test.each([
    ["no scopes", undefined],
    ["all scopes", { read: "*", write: "*" }],
    ["none", {}],
  ] as const)("Authentication 5: rules allow nothing, scopes: %s", async (_, scopes) => {
    const key = await shop.key({ name: `alone ${keys}` });
    const made = await shop.send("POST", "closed", { body: { title: "a" }, token: key });
    expect(await life(await delegate(scopes), ada.id, "closed", text(made.body, "id"))).toEqual(refused);
  });

  test("Authentication 5: another user's documents are not there for it, though the key alone has them", async () => {
    const token = await delegate();
    const id = await create(bob);
    expect((await acting(token, ada.id, "GET", `mine/${id}`)).status).toBe(404);
    expect((await acting(token, ada.id, "PATCH", `mine/${id}`, { title: "b" })).status).toBe(404);
    expect((await acting(token, ada.id, "DELETE", `mine/${id}?purge=true`)).status).toBe(404);
    expect((await acting(token, bob.id, "GET", `mine/${id}`)).status).toBe(200);
    expect((await shop.send("GET", `mine/${id}`, { token })).status).toBe(200);
  });

  test("Authentication 5: field rules hold for it", async () => {
    const token = await delegate();
    const write = await acting(token, ada.id, "POST", "mine", { title: "a", salary: 1 });
    expect([write.status, code(write)]).toEqual([403, "forbidden"]);
    const made = await shop.send("POST", "mine", { body: { title: "a", salary: 1 }, token });
    expect(made.status).toBe(201);
    const id = await create(ada);
    await shop.send("PATCH", `mine/${id}`, { body: { salary: 2 }, token });
    expect((await shop.send("GET", `mine/${id}`, { token })).body["salary"]).toBe(2);
    expect((await acting(token, ada.id, "GET", `mine/${id}`)).body).not.toHaveProperty("salary");
  });
});

describe("Authentication 5: what it writes", () => {
  test("Authentication 5: belongs to the user and names the user", async () => {
    const token = await delegate();
    const { body } = await acting(token, ada.id, "POST", "mine", { title: "a" });
    const actor = `user:${ada.id}`;
    expect(body["_meta"]).toMatchObject({ owner: ada.id, created_by: actor, updated_by: actor });
    const path = `mine/${text(body, "id")}`;
    expect((await shop.send("GET", path, { token: ada.token })).status).toBe(200);
    const alone = await shop.send("PATCH", path, { body: {}, token });
    expect(alone.body["_meta"]).toMatchObject({ owner: ada.id, updated_by: `key:delegate ${keys}` });
    expect((await acting(token, ada.id, "PATCH", path, {})).body["_meta"]).toMatchObject({
      updated_by: actor,
    });
    await acting(token, ada.id, "DELETE", path);
    const trash = await shop.send("GET", `${path}?deleted=only`, { token: ada.token });
    expect(trash.body["_meta"]).toMatchObject({ deleted_by: actor });
  });

  test("Authentication 5: a batch that passes the scopes once writes nothing", async () => {
    const token = await delegate({ read: "*", write: ["main/other"] });
    const create = (name: string) => ({ op: "create", collection: name, document: { title: "batch" } });
    const batch = await acting(token, ada.id, "POST", "_batch", {
      operations: [create("other"), create("mine")],
    });
    expect([batch.status, code(batch)]).toEqual([403, "forbidden"]);
    const { body } = await shop.send("GET", "other?count=true", { token });
    expect(body["total"]).toBe(0);
  });
});

describe("Authentication 5: reads within its scopes", () => {
  test("Authentication 5: a reference beyond them is null, as one to nothing", async () => {
    const target = await create(bob, "other");
    const id = await create(ada, "mine", { owner: target });
    const expanded = async (scopes?: KeyScopes) => {
      const { body } = await acting(await delegate(scopes), ada.id, "GET", `mine/${id}?expand=other(id)`);
      return body["_expanded"];
    };
    expect(await expanded()).toEqual({ other: { id: target } });
    expect(await expanded({ read: ["main"] })).toEqual({ other: { id: target } });
    expect(await expanded({ read: ["main/mine"] })).toEqual({ other: null });
  });

  test("Authentication 5: an aggregation is over what the user may read", async () => {
    const count = async (user: string, scopes?: KeyScopes) => {
      const { status, body } = await acting(await delegate(scopes), user, "GET", "mine/_aggregate");
      return status === 200 && Array.isArray(body["groups"]) ? body["groups"] : status;
    };
    const carol = await shop.signUp("carol@example.com");
    await create(carol);
    expect(await count(carol.id)).toEqual([{ key: {}, count: 1 }]);
    expect(await count(carol.id, { write: "*" })).toBe(403);
  });
});

describe("Idempotency-Key 3: private to the user and the key that acts for them", () => {
  test("Idempotency-Key 3: neither the user, another user nor another key is answered again", async () => {
    const [token, another, blind] = [await delegate(), await delegate(), await delegate({})];
    const headers = { "idempotency-key": "k" };
    const body = { title: "a" };
    const first = await acting(token, ada.id, "POST", "mine", body, headers);
    const again = await acting(token, ada.id, "POST", "mine", body, headers);
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    const others = [
      await acting(token, bob.id, "POST", "mine", body, headers),
      await acting(another, ada.id, "POST", "mine", body, headers),
      await shop.send("POST", "mine", { body, headers, token: ada.token }),
      await shop.send("POST", "mine", { body, headers, token }),
    ];
    expect(others.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(others.map((answer) => answer.headers.get("idempotent-replayed"))).toEqual([
      null,
      null,
      null,
      null,
    ]);
    expect(new Set([first, ...others].map((answer) => answer.body["id"])).size).toBe(5);
    expect((await acting(blind, ada.id, "POST", "mine", body, headers)).status).toBe(403);
  });
});

describe("Authentication 5: no administration", () => {
  test("Authentication 5: neither the key's nor the user's is lent", async () => {
    const boss = await shop.person("boss@example.com", "boss");
    keys += 1;
    const token = await shop.key({ name: `delegate ${keys}`, onBehalfOf: true, admin: true });
    for (const user of [ada, boss]) {
      for (const [method, path] of [
        ["GET", "mine"],
        ["POST", "mine"],
        ["POST", "mine/_check"],
      ] as const) {
        const answer = await acting(token, user.id, method, `../_admin/data/main/${path}`);
        expect([answer.status, code(answer)]).toEqual([403, "forbidden"]);
      }
    }
    expect((await shop.send("GET", "../_admin/data/main/mine", { token })).status).toBe(200);
    expect(await shop.audit()).toEqual([]);
  });
});
