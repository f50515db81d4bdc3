import { afterAll, beforeAll, expect, test } from "vitest";
import { eq, exists, not, or } from "../filter/algebra.ts";
import { ownershipFields } from "../filter/fields.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import type { ReadRule, WriteRule } from "../realm/rule.ts";
import { allowed, byCaller, denied } from "../rules/index.ts";
import {
  code,
  collection,
  fields,
  paths,
  type Received,
  type Shop,
  startShop,
  text,
} from "./testing/shop.ts";

const signedIn = byCaller(({ user }) => user !== undefined);
const ownerOf = (document: JsonObject) =>
  isJsonObject(document["_meta"]) ? document["_meta"]["owner"] : undefined;
const own: ReadRule<JsonObject> & WriteRule<JsonObject, JsonObject> = {
  filter: ({ user }) => eq(ownershipFields["_meta.owner"], user?.id),
  check: ({ user }, document) => user !== undefined && ownerOf(document) === user.id,
};
const publicOrOwn: ReadRule<JsonObject> = {
  filter: (context) => or(eq(fields.lang, "en"), own.filter(context)),
  check: (context, document) => document["lang"] === "en" || own.check(context, document, {}),
};
const ownNotFinal: WriteRule<JsonObject, JsonObject> = {
  possible: ({ user }) => user !== undefined,
  check: (context, document, data) => own.check(context, document, {}) && data["slug"] !== "final",
};

const notes = collection("notes", {
  indexes: [{ name: "title", keys: [{ field: fields.title, descending: false }], unique: true }],
  rules: {
    read: publicOrOwn,
    create: { possible: () => true, check: (_, __, data) => data["qty"] !== 13 },
    update: ownNotFinal,
    delete: own,
  },
});
const closed = collection("closed", { rules: {} });
const bare = collection("bare");
const inbox = collection("inbox", { rules: { create: allowed } });
const staff = collection("staff", {
  rules: { create: signedIn, read: signedIn, update: signedIn, delete: denied },
});
const unowned = collection("unowned", {
  rules: {
    create: allowed,
    read: { filter: () => not(exists(fields.slug)), check: (_, document) => document["slug"] === undefined },
    update: own,
    delete: own,
  },
});

let shop: Shop;
let ann: { readonly token: string; readonly id: string };
let bob: { readonly token: string; readonly id: string };
beforeAll(async () => {
  shop = await startShop("enabled", [notes, closed, bare, inbox, staff, unowned]);
  ann = await shop.signUp("ann@example.com");
  bob = await shop.signUp("bob@example.com");
});
afterAll(() => shop.stop());

let titles = 0;
async function create(body: JsonObject = {}, token?: string, name = "notes"): Promise<Received> {
  titles += 1;
  return shop.send("POST", name, { body: { title: `t${titles}`, ...body }, ...(token && { token }) });
}

const idOf = ({ body }: Received): string => text(body, "id");

function everyRequest(name: string, id: string): readonly [string, string, JsonObject?][] {
  return [
    ["GET", name],
    ["POST", name, { title: "x" }],
    ["GET", `${name}/${id}`],
    ["PUT", `${name}/${id}`, { title: "x" }],
    ["PATCH", `${name}/${id}`, {}],
    ["DELETE", `${name}/${id}`],
  ];
}

test("Authentication 2 and 9: owner, created_by and updated_by by user, key and anonymous caller", async () => {
  const key = await shop.key({ name: "importer" });
  const metaOf = ({ body }: Received) => body["_meta"];
  const byUser = await create({ lang: "en" }, ann.token);
  const actor = `user:${ann.id}`;
  expect(metaOf(byUser)).toMatchObject({ owner: ann.id, created_by: actor, updated_by: actor });
  const byKey = await create({}, key);
  expect(metaOf(byKey)).toMatchObject({
    owner: null,
    created_by: "key:importer",
    updated_by: "key:importer",
  });
  const byNobody = await create({ lang: "en" });
  expect(metaOf(byNobody)).toMatchObject({ owner: null, created_by: "anonymous", updated_by: "anonymous" });
  const updated = await shop.send("PATCH", `notes/${idOf(byUser)}`, { token: key, body: {} });
  expect(metaOf(updated)).toMatchObject({
    owner: ann.id,
    created_by: actor,
    updated_by: "key:importer",
    version: 2,
  });
});

test("Document 2: documents older than ownership gain updated_by at their next write, not owner and created_by", async () => {
  const at = "2020-01-01T00:00:00.000Z";
  const old = `{"id":"older","title":"older","_meta":{"created_at":"${at}","updated_at":"${at}","version":1}}`;
  await shop.stored(staff).insert({ id: "older", version: 1, text: old, createdAt: Date.parse(at) });
  const { body } = await shop.send("PATCH", "staff/older", { token: ann.token, body: {} });
  expect(Object.keys(Object(body["_meta"]))).toEqual(["created_at", "updated_at", "version", "updated_by"]);
});

test("Authentication 2: an API key bypasses the rules, and fields and owners of others", async () => {
  const key = await shop.key({ name: "bypass" });
  for (const name of ["closed", "bare", "notes"]) {
    const created = await create({ qty: 13 }, key, name);
    expect([name, created.status]).toEqual([name, 201]);
    for (const [method, path, body] of everyRequest(name, idOf(created))) {
      if (method === "POST") continue;
      const { status } = await shop.send(method, path, {
        token: key,
        ...(body && { body: { title: `k${name}` } }),
      });
      expect([method, path, status < 300]).toEqual([method, path, true]);
    }
  }
});

test("Authentication 3: a scoped key does only what its scopes grant; else 403", async () => {
  const target = await create({ lang: "en" }, ann.token);
  const reader = await shop.key({ name: "reader", scopes: { read: ["main/notes"] } });
  const writer = await shop.key({ name: "writer", scopes: { write: ["main"] } });
  const nothing = await shop.key({ name: "nothing", scopes: {} });
  const elsewhere = await shop.key({
    name: "elsewhere",
    scopes: { read: ["main/closed"], write: ["main/closed"] },
  });
  for (const [method, path, body] of everyRequest("notes", idOf(target))) {
    const sent = body && { body: { title: `scoped ${method}` } };
    const send = async (token: string) => (await shop.send(method, path, { token, ...sent })).status;
    const isRead = method === "GET";
    expect([method, await send(nothing)]).toEqual([method, 403]);
    expect([method, await send(elsewhere)]).toEqual([method, 403]);
    if (!isRead) expect([method, await send(reader)]).toEqual([method, 403]);
    else expect([method, await send(writer)]).toEqual([method, 403]);
    expect([method, (await send(isRead ? reader : writer)) < 300]).toEqual([method, true]);
  }
  const operations = [{ op: "create", collection: "notes", document: { title: "by batch" } }];
  expect((await shop.send("POST", "_batch", { token: reader, body: { operations } })).status).toBe(403);
  expect((await shop.send("POST", "_batch", { token: writer, body: { operations } })).status).toBe(200);
});

test("Authentication 4: an unknown credential is 401 also where anonymous callers may", async () => {
  for (const authorization of ["Bearer svs_unknown", "Bearer x", "Basic YTpi", "Bearer"]) {
    for (const [method, path, body] of everyRequest("notes", "x")) {
      const answer = await shop.send(method, path, { headers: { authorization }, ...(body && { body }) });
      expect([authorization, method, answer.status, code(answer)]).toEqual([
        authorization,
        method,
        401,
        "unauthenticated",
      ]);
    }
  }
});

test("Authentication 11: an undeclared rule denies: 401 without a credential, else 403, lists included", async () => {
  for (const name of ["closed", "bare"]) {
    for (const [method, path, body] of everyRequest(name, "x")) {
      const sent = body && { body };
      const anonymous = await shop.send(method, path, sent);
      expect([method, path, anonymous.status, code(anonymous)]).toEqual([
        method,
        path,
        401,
        "unauthenticated",
      ]);
      const user = await shop.send(method, path, { ...sent, token: ann.token });
      expect([method, path, user.status, code(user)]).toEqual([method, path, 403, "forbidden"]);
    }
  }
});

test("Refusals: a rule constantly false for this caller refuses before the document is looked at", async () => {
  expect((await shop.send("GET", "staff")).status).toBe(401);
  expect((await shop.send("GET", "staff/nobody")).status).toBe(401);
  expect((await shop.send("PUT", "staff/nobody", { body: { title: "a" } })).status).toBe(401);
  expect((await shop.send("PUT", "staff/nobody", { token: ann.token, body: { title: "a" } })).status).toBe(
    404,
  );
  expect((await shop.send("DELETE", "staff/nobody", { token: ann.token })).status).toBe(403);
});

test("Fine points: a constantly false rule answers before an id outside the safety envelope answers 404", async () => {
  for (const id of ["a%20b", "_x", "x".repeat(129)]) {
    expect((await shop.send("GET", `closed/${id}`, { token: ann.token })).status).toBe(403);
    expect((await shop.send("PUT", `closed/${id}`, { body: { title: "a" } })).status).toBe(401);
    expect((await shop.send("GET", `staff/${id}`, { token: ann.token })).status).toBe(404);
  }
});

test("Refusals: a document the caller may not read is 404 for every operation", async () => {
  const hidden = idOf(await create({ lang: "de" }, ann.token));
  for (const [method, path, body] of everyRequest("notes", hidden)) {
    if (!path.endsWith(hidden)) continue;
    const answer = await shop.send(method, path, { token: bob.token, ...(body && { body }) });
    expect([method, answer.status]).toEqual([method, 404]);
  }
  expect((await shop.send("GET", `notes/${hidden}`)).status).toBe(404);
  expect((await shop.send("GET", `notes/${hidden}`, { token: ann.token })).status).toBe(200);
});

test("Refusals: a readable document whose update or delete rule is false: 403, or 401 without a credential", async () => {
  const id = idOf(await create({ lang: "en" }, ann.token));
  for (const [method, path, body] of everyRequest("notes", id).slice(3)) {
    const sent = body && { body };
    expect((await shop.send(method, path, { token: bob.token, ...sent })).status).toBe(403);
    expect((await shop.send(method, path, sent)).status).toBe(401);
  }
  expect(
    (await shop.send("PATCH", `notes/${id}`, { token: ann.token, body: { slug: "final" } })).status,
  ).toBe(403);
  expect(
    (await shop.send("PATCH", `notes/${id}`, { token: ann.token, body: { slug: "other" } })).status,
  ).toBe(200);
  expect((await shop.send("DELETE", `notes/${id}`, { token: ann.token })).status).toBe(204);
});

test("An absent caller value never matches a document without the field", async () => {
  const { body } = await create({}, await shop.key({ name: "ownerless" }), "unowned");
  const id = text(body, "id");
  expect((await shop.send("GET", `unowned/${id}`)).status).toBe(200);
  expect((await shop.send("PATCH", `unowned/${id}`, { body: {} })).status).toBe(401);
  expect((await shop.send("DELETE", `unowned/${id}`)).status).toBe(401);
});

test("Fine points: a create that the rule refuses because of its data: 403, or 401 without a credential", async () => {
  expect((await create({ qty: 13 }, ann.token)).status).toBe(403);
  expect((await create({ qty: 13 })).status).toBe(401);
});

test("Fine points: order on a create: JSON, constantly false rule, schema, rule with data", async () => {
  const post = (name: string, text: string) => shop.send("POST", name, { token: ann.token, text });
  expect(code(await post("closed", "{"))).toBe("invalid_json");
  expect(code(await post("closed", "{}"))).toBe("forbidden");
  expect(code(await post("notes", '{"qty":13}'))).toBe("validation_error");
  expect(code(await post("notes", '{"qty":13,"title":"a"}'))).toBe("forbidden");
});

test("Fine points: order on an update: rule, body, readable, If-Match, schema, rule with data", async () => {
  const id = idOf(await create({ lang: "en" }, ann.token));
  const put = (path: string, text: string, token: string, match?: string) =>
    shop.send("PUT", path, { token, text, ...(match && { headers: { "if-match": match } }) });
  expect(code(await put("closed/x", "{", ann.token))).toBe("forbidden");
  expect(code(await put("notes/nobody", "{", ann.token))).toBe("invalid_json");
  expect(code(await put("notes/nobody", "{}", ann.token, '"9"'))).toBe("not_found");
  expect(code(await put(`notes/${id}`, "{}", bob.token, '"9"'))).toBe("version_mismatch");
  expect(code(await put(`notes/${id}`, "{}", bob.token, '"1"'))).toBe("validation_error");
  expect(code(await put(`notes/${id}`, '{"title":"a"}', bob.token, '"1"'))).toBe("forbidden");
});

test("Fine points: a unique clash is never reported to a caller whom the rule refuses", async () => {
  await create({ title: "secret" }, ann.token);
  const mine = idOf(await create({ lang: "en" }, ann.token));
  expect((await create({ title: "secret", qty: 13 }, bob.token)).status).toBe(403);
  const update = { token: bob.token, body: { title: "secret", lang: "en" } };
  expect((await shop.send("PUT", `notes/${mine}`, update)).status).toBe(403);
  const clash = await create({ title: "secret" }, bob.token);
  expect([clash.status, paths(clash)]).toEqual([409, ["title"]]);
});

test("Fine points: a writer receives the stored document even if they may not read it afterwards", async () => {
  const created = await create({ title: "mail" }, undefined, "inbox");
  expect([created.status, created.body["title"], created.tag]).toEqual([201, "mail", '"1"']);
  expect((await shop.send("GET", `inbox/${idOf(created)}`)).status).toBe(401);
  const note = idOf(await create({}, ann.token, "unowned"));
  const updated = await shop.send("PATCH", `unowned/${note}`, { token: ann.token, body: { slug: "gone" } });
  expect([updated.status, updated.body["slug"]]).toEqual([200, "gone"]);
  expect((await shop.send("GET", `unowned/${note}`, { token: ann.token })).status).toBe(404);
});
