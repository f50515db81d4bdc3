import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { field, ownershipFields } from "../../filter/fields.ts";
import { textIndex } from "../../filter/search/index.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { allowed, denied } from "../../rules/index.ts";
import {
  code,
  collection,
  day,
  details,
  fields,
  paths,
  type Received,
  type Shop,
  startShop,
  text,
} from "../testing.ts";

const salary = field("salary", "integer");
const closed = {
  create: denied,
  read: denied,
  update: denied,
  delete: denied,
  restore: denied,
  purge: denied,
};
const hidden = [
  { path: ["salary"], read: denied, write: denied },
  { path: ["slug"], read: denied, write: denied },
];

/** Nobody may do anything to them, nor see two of their fields. */
const staff = collection("staff", {
  fields: { ...fields, ...ownershipFields, salary },
  rules: closed,
  fieldRules: hidden,
  softDelete: { retention: day },
  publicMaxAge: 60,
  indexes: [{ name: "slug", keys: [{ field: fields.slug, descending: false }], unique: true }],
  text: textIndex({ fields: [{ field: fields.slug, weight: 1 }], defaultLanguage: "en" }),
  aggregate: { groupBy: [fields.slug], metrics: [{ field: salary, functions: ["sum"] }] },
  references: {
    boss: { database: "main", collection: "bosses", field: fields.owner, key: "id", many: false },
    by_slug: { database: "main", collection: "staff", field: fields.slug, key: "slug", many: false },
  },
});
const bosses = collection("bosses", {
  fields: { ...fields, salary },
  rules: closed,
  fieldRules: hidden,
});
/** No rules at all. */
const unruled = collection("unruled");
const open = collection("open", { rules: { create: allowed, read: allowed }, fieldRules: hidden });
const chosen = collection("chosen", { customId: { duplicateLimit: 2 }, rules: closed });
const own = collection("own", { customId: { is: "user", duplicateLimit: 20 }, rules: closed });
const everything = [staff, bosses, unruled, open, chosen, own];

let shop: Shop;
let plain: Shop;
let key: string;
let plainKey: string;
let boss: { readonly token: string; readonly id: string };
beforeAll(async () => {
  shop = await startShop("enabled", everything);
  plain = await startShop("disabled", [unruled, bosses]);
  key = await shop.key({ name: "admin", admin: true });
  plainKey = await plain.key({ name: "admin", admin: ["data"] });
  boss = await shop.person("boss@example.com", "boss");
});
afterAll(() => Promise.all([shop.stop(), plain.stop()]));

/** A request to `/_admin/data/main/…`. */
const admin = (
  method: string,
  path: string,
  body?: JsonObject,
  headers: Readonly<Record<string, string>> = {},
  token = key,
): Promise<Received> =>
  shop.send(method, `../_admin/data/main/${path}`, { token, headers, ...(body && { body }) });

async function create(name: string, body: JsonObject = {}): Promise<string> {
  const answer = await admin("POST", name, { title: "a", ...body });
  expect(answer.status).toBe(201);
  return text(answer.body, "id");
}

function items({ status, body }: Received): readonly JsonObject[] {
  expect([status, body]).toMatchObject([200, { items: expect.any(Array) }]);
  return Array.isArray(body["items"]) ? body["items"].filter(isJsonObject) : [];
}

const where = (condition: JsonObject) => `where=${encodeURIComponent(JSON.stringify(condition))}`;

describe("Administrator routes: every operation, past rules that deny it", () => {
  test.each([
    ["an API key", () => key, "key:admin"],
    ["an administrator's session", () => boss.token, () => `user:${boss.id}`],
  ])(
    "Administrator routes: documents made, read, replaced, patched, deleted, restored, purged by %s",
    async (_, tokenOf, actorOf) => {
      const as = (method: string, path: string, body?: JsonObject) =>
        admin(method, path, body, {}, tokenOf());
      const actor = typeof actorOf === "string" ? actorOf : actorOf();
      const made = await as("POST", "staff", { title: "a", salary: 1, slug: "one" });
      const id = text(made.body, "id");
      const path = `staff/${id}`;
      expect(made).toMatchObject({ status: 201, tag: '"1"' });
      const _meta = {
        created_at: expect.any(String),
        updated_at: expect.any(String),
        version: 1,
        owner: null,
        created_by: actor,
        updated_by: actor,
      };
      expect(made.body).toEqual({ id, title: "a", salary: 1, slug: "one", _meta });
      expect((await as("GET", path)).body).toEqual(made.body);
      expect(items(await as("GET", `staff?${where({ id })}`))).toEqual([made.body]);
      const put = await as("PUT", path, { title: "b", salary: 2, slug: "one" });
      expect([put.status, put.tag, put.body["salary"]]).toEqual([200, '"2"', 2]);
      const patched = await as("PATCH", path, { salary: 3 });
      expect(patched.body).toMatchObject({ title: "b", salary: 3, slug: "one", _meta: { version: 3 } });
      expect((await as("DELETE", path)).status).toBe(204);
      expect((await as("GET", path)).status).toBe(404);
      const trash = await as("GET", `${path}?deleted=only`);
      expect(trash.body["_meta"]).toMatchObject({ deleted_by: actor, purge_at: expect.any(String) });
      const restored = await as("POST", `${path}/restore`);
      expect([restored.status, restored.body]).toMatchObject([200, { salary: 3, _meta: { version: 5 } }]);
      expect((await as("DELETE", `${path}?purge=true`)).status).toBe(204);
      expect(items(await as("GET", `staff?deleted=include&${where({ id })}`))).toEqual([]);
    },
  );

  test("Administrator routes: a batch, all or nothing", async () => {
    const id = await create("bosses");
    const batch = await admin("POST", "_batch", {
      operations: [
        { op: "create", collection: "bosses", document: { title: "new", salary: 1 } },
        { op: "patch", collection: "bosses", id, patch: { salary: 9 } },
        { op: "delete", collection: "bosses", id, if_match: "2" },
      ],
    });
    expect([batch.status, batch.body]).toMatchObject([
      200,
      { results: [{ salary: 1 }, { id, salary: 9, _meta: { version: 2 } }, { id }] },
    ]);
    const failed = await admin("POST", "_batch", {
      operations: [
        { op: "create", collection: "bosses", document: { title: "none" } },
        { op: "delete", collection: "bosses", id },
      ],
    });
    expect([failed.status, paths(failed)]).toEqual([404, ["1"]]);
    expect(items(await admin("GET", `bosses?${where({ title: "none" })}`))).toEqual([]);
  });

  test("Administrator routes: a collection without rules, and without soft delete", async () => {
    const id = await create("unruled");
    expect((await admin("DELETE", `unruled/${id}?purge=true`)).status).toBe(400);
    expect((await admin("POST", `unruled/${id}/restore`)).status).toBe(404);
    expect((await admin("DELETE", `unruled/${id}`)).status).toBe(204);
  });

  test("Administrator routes: what they see, others still do not", async () => {
    const id = await create("open", { slug: "seen", salary: 1 });
    expect((await admin("GET", `open/${id}`)).body).toMatchObject({ slug: "seen", salary: 1 });
    const { body } = await shop.send("GET", `open/${id}`, { token: boss.token });
    expect([body["slug"], body["salary"]]).toEqual([undefined, undefined]);
    const bossId = await create("bosses");
    expect((await shop.send("GET", `bosses/${bossId}`, { token: boss.token })).status).toBe(403);
  });
});

describe("Administrator routes: hidden fields", () => {
  let target: string;
  beforeAll(async () => {
    target = await create("bosses", { salary: 100 });
    await create("staff", { slug: "wolf", salary: 7, owner: target });
    await create("staff", { slug: "wolves", salary: 8 });
  });

  test("Administrator routes: where, order_by and cursors over fields that rules hide", async () => {
    const found = await admin(
      "GET",
      `staff?${where({ salary: { $gte: 7 } })}&order_by=-salary&limit=1&count=true`,
    );
    expect(items(found).map(({ slug }) => slug)).toEqual(["wolves"]);
    expect(found.body["total"]).toBe(2);
    const after = encodeURIComponent(text(found.body, "next_cursor"));
    const next = await admin(
      "GET",
      `staff?${where({ salary: { $gte: 7 } })}&order_by=-salary&limit=1&after=${after}`,
    );
    expect(items(next).map(({ slug }) => slug)).toEqual(["wolf"]);
  });

  test("Administrator routes: a search over a field that rules hide", async () => {
    const found = await admin("GET", `staff?${where({ $search: "wolf" })}&order_by=_relevance`);
    expect(items(found).map(({ slug }) => slug)).toContain("wolf");
  });

  test("Administrator routes: an aggregation over fields that rules hide", async () => {
    const condition = where({ salary: { $gte: 7 } });
    const { status, body } = await admin(
      "GET",
      `staff/_aggregate?group_by=slug&metrics=sum:salary&${condition}`,
    );
    expect([status, body["groups"]]).toEqual([
      200,
      [
        { key: { slug: "wolf" }, "sum:salary": 7 },
        { key: { slug: "wolves" }, "sum:salary": 8 },
      ],
    ]);
  });

  test("Administrator routes: references to documents that rules hide, by fields that they hide", async () => {
    const found = await admin("GET", `staff?${where({ slug: "wolf" })}&expand=boss(salary),by_slug(slug)`);
    expect(items(found).map(({ _expanded }) => _expanded)).toEqual([
      { boss: { id: target, salary: 100 }, by_slug: { id: expect.any(String), slug: "wolf" } },
    ]);
    expect(found.headers.get("x-svc-expand-docs")).toBe("2");
  });
});

describe("Administrator routes: as the document routes do", () => {
  test("Administrator routes: unknown realms, databases, collections and ids are 404", async () => {
    for (const path of [
      "nothing",
      "nothing/x",
      "staff/nothing",
      "staff/.",
      "../other/staff",
      "staff/_check/x",
    ]) {
      const answer = await admin("GET", path);
      expect([path, answer.status, code(answer)]).toEqual([path, 404, "not_found"]);
    }
    expect((await admin("POST", "../other/_batch", { operations: [] })).status).toBe(404);
    const other = await shop.send("GET", "../../other/_admin/data/main/staff", { token: key });
    expect(other.status).toBe(404);
  });

  test("Administrator routes: other methods are 405", async () => {
    for (const [method, path, allow] of [
      ["PUT", "staff", "GET, HEAD, POST, OPTIONS"],
      ["GET", "_batch", "POST, OPTIONS"],
      ["GET", "staff/_check", "POST, OPTIONS"],
      ["DELETE", "staff/_aggregate", "GET, HEAD, OPTIONS"],
    ] as const) {
      const answer = await admin(method, path);
      expect([path, answer.status, answer.headers.get("allow")]).toEqual([path, 405, allow]);
    }
  });

  test("Administrator routes: the schema holds, and all of what is wrong is named", async () => {
    const refused = await admin("POST", "staff", { salary: "much", more: 1 });
    expect([refused.status, code(refused)]).toEqual([400, "validation_error"]);
    expect(paths(refused).toSorted()).toEqual(["more", "salary", "title"]);
    const id = await create("staff");
    const path = `staff/${id}`;
    expect(paths(await admin("PATCH", path, { title: null }))).toEqual(["title"]);
    expect((await admin("PUT", path, { title: "" })).status).toBe(400);
    await create("staff", { slug: "taken" });
    const clash = await admin("PATCH", path, { slug: "taken" });
    expect([clash.status, details(clash)]).toEqual([409, [{ path: "slug", reason: "must be unique" }]]);
    expect((await admin("GET", path)).tag).toBe('"1"');
  });

  test("Administrator routes: ETag, If-None-Match and If-Match", async () => {
    const id = await create("staff");
    const path = `staff/${id}`;
    expect((await admin("GET", path, undefined, { "if-none-match": '"1"' })).status).toBe(304);
    const list = await admin("GET", "staff");
    expect(list.tag).toMatch(/^W\//);
    expect((await admin("GET", "staff", undefined, { "if-none-match": list.tag ?? "" })).status).toBe(304);
    for (const [method, to, body] of [
      ["PUT", path, { title: "b" }],
      ["PATCH", path, { title: "b" }],
      ["DELETE", path, undefined],
      ["DELETE", `${path}?purge=true`, undefined],
    ] as const) {
      const refused = await admin(method, to, body, { "if-match": '"2"' });
      expect([method, refused.status, code(refused), refused.tag]).toEqual([
        method,
        412,
        "version_mismatch",
        '"1"',
      ]);
    }
    expect((await admin("PATCH", path, { title: "b" }, { "if-match": "2" })).status).toBe(400);
    expect((await admin("PATCH", path, { title: "b" }, { "if-match": '"1"' })).tag).toBe('"2"');
  });

  test("Administrator routes: Location is the document's own path", async () => {
    const made = await admin("POST", "bosses", { title: "a" });
    expect(made.headers.get("location")).toBe(`/v1/shop/main/bosses/${text(made.body, "id")}`);
  });

  test("Administrator routes: nobody keeps an answer, also of a public collection, also an error", async () => {
    const id = await create("staff");
    for (const path of ["staff", `staff/${id}`, "staff/_aggregate", "staff/nothing"]) {
      const { headers } = await admin("GET", path);
      expect([path, headers.get("cache-control")]).toEqual([path, "no-store"]);
    }
    expect((await shop.send("GET", "../_admin/data/main/staff")).headers.get("cache-control")).toBe(
      "no-store",
    );
  });

  test("Administrator routes: query parameters are those of the document routes", async () => {
    for (const [path, parameter] of [
      ["staff?nothing=1", "nothing"],
      ["staff?limit=101", "limit"],
      ["staff?org=x", "org"],
      [`staff?${where({ nothing: 1 })}`, "where.nothing"],
      ["staff/x?limit=1", "limit"],
    ] as const) {
      const answer = await admin("GET", path);
      expect([path, code(answer), paths(answer)]).toEqual([path, "invalid_query", [parameter]]);
    }
    const org = await admin("POST", "staff?org=x", { title: "a" });
    expect([org.status, code(org)]).toEqual([400, "org_not_allowed"]);
    expect(code(await admin("POST", "staff?team=x", { title: "a" }))).toBe("team_not_allowed");
    expect(code(await admin("POST", "_batch?org=x", { operations: [] }))).toBe("org_not_allowed");
    expect(code(await admin("PATCH", "staff/x?purge=true", {}))).toBe("invalid_query");
    expect((await admin("POST", "bosses?expand=(", { title: "a" })).status).toBe(201);
  });

  test("Administrator routes: media types and bodies", async () => {
    const asText = await admin("POST", "bosses", { title: "a" }, { "content-type": "text/plain" });
    expect(asText.status).toBe(415);
    const id = await create("bosses");
    const asJson = await admin(
      "PATCH",
      `bosses/${id}`,
      { title: "b" },
      { "content-type": "application/json" },
    );
    expect(asJson.status).toBe(415);
    expect(code(await admin("POST", "bosses"))).toBe("invalid_json");
  });
});

describe("Custom ids 5: on the administrator data route", () => {
  test("Custom ids 5: an id is needed, may exist once, and is not taken where ids are generated", async () => {
    expect(code(await admin("POST", "chosen", { title: "a" }))).toBe("id_required");
    expect(code(await admin("POST", "chosen", { title: "a", id: "_x" }))).toBe("invalid_id");
    expect(code(await admin("POST", "staff", { title: "a", id: "x" }))).toBe("id_not_allowed");
    expect((await admin("POST", "chosen", { title: "a", id: "mine" })).body["id"]).toBe("mine");
    for (const name of ["chosen", "_batch"]) {
      const body = { title: "b", id: "mine" };
      const batch = { operations: [{ op: "create", collection: "chosen", document: body }] };
      const taken = await admin("POST", name, name === "chosen" ? body : batch);
      expect([name, taken.status, code(taken)]).toEqual([name, 409, "id_taken"]);
    }
    const limited = await admin("POST", "chosen", { title: "a", id: "other" });
    expect([limited.status, code(limited)]).toEqual([429, "too_many_requests"]);
    expect(limited.headers.get("retry-after")).toMatch(/^\d+$/);
  });

  test("Custom ids 5: where the id is that of the creating user, it is the administrator's own", async () => {
    for (const id of [boss.id, "somebody"]) {
      expect(code(await admin("POST", "own", { title: "a", id }))).toBe("invalid_id");
    }
    const mine = await admin("POST", "own", { title: "a", id: boss.id }, {}, boss.token);
    expect([mine.status, mine.body["_meta"]]).toMatchObject([201, { owner: null }]);
  });
});

describe("Idempotency-Key 3: on the administrator data route", () => {
  const send = (name: string, value: string, body: JsonObject, token = key) =>
    admin("POST", name, body, { "idempotency-key": value }, token);

  test("Idempotency-Key 4: the answer again, for the same administrator alone", async () => {
    const first = await send("bosses", "one", { title: "a" });
    const again = await send("bosses", "one", { title: "a" });
    expect([again.status, again.text, again.tag]).toEqual([201, first.text, first.tag]);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(code(await send("bosses", "one", { title: "b" }))).toBe("idempotency_key_reused");
    expect((await send("bosses", "one", { title: "a" }, boss.token)).body["id"]).not.toBe(first.body["id"]);
  });

  test("Idempotency-Key 3: what the document route answered is another request", async () => {
    const headers = { "idempotency-key": "two" };
    const body = { title: "a" };
    const seen = await shop.send("POST", "open", { body, headers, token: key });
    const made = await send("open", "two", body);
    expect([made.status, made.headers.get("idempotent-replayed")]).toEqual([201, null]);
    expect(made.body["id"]).not.toBe(seen.body["id"]);
  });

  test("Idempotency-Key 4: a batch", async () => {
    const body = { operations: [{ op: "create", collection: "bosses", document: { title: "a" } }] };
    const first = await send("_batch", "three", body);
    const again = await send("_batch", "three", body);
    expect([again.text, again.headers.get("idempotent-replayed")]).toEqual([first.text, "true"]);
  });
});

describe("Administrator routes: server-owned members", () => {
  const forged = {
    _id: "x",
    _meta: { owner: "eve", created_by: "user:eve", version: 99, org: "o" },
    _expanded: {},
  };

  test("Administrator routes: id and _meta in bodies are ignored, _meta stays the server's", async () => {
    const made = await admin("POST", "bosses", { title: "a", ...forged });
    const { id } = made.body;
    const meta = { version: 1, owner: null, created_by: "key:admin" };
    expect(made.body).toEqual({ id, title: "a", _meta: expect.objectContaining(meta) });
    expect(made.body["_meta"]).not.toHaveProperty("org");
    const path = `bosses/${String(id)}`;
    const put = await admin("PUT", path, { title: "b", id: "other", ...forged });
    expect(put.body).toEqual({ id, title: "b", _meta: expect.objectContaining({ ...meta, version: 2 }) });
    const patched = await admin("PATCH", path, { id: null, _meta: null, title: "c" });
    expect(patched.body).toMatchObject({ id, title: "c", _meta: { ...meta, version: 3 } });
  });

  test("Administrator routes: an owner is kept, whoever writes later", async () => {
    const made = await shop.send("POST", "open", { body: { title: "a" }, token: boss.token });
    const patched = await admin("PATCH", `open/${text(made.body, "id")}`, { title: "b" });
    expect(patched.body["_meta"]).toMatchObject({
      owner: boss.id,
      created_by: `user:${boss.id}`,
      updated_by: "key:admin",
    });
  });

  test("Administrator routes: __proto__ and constructor are data, never prototypes", async () => {
    const sent =
      '{"title":"a","extra":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}';
    const send = (method: string, path: string, body: string) =>
      shop.send(method, `../_admin/data/main/${path}`, { text: body, token: key });
    const made = await send("POST", "bosses", sent);
    expect(made.status).toBe(201);
    expect(made.text).toContain(
      '"extra":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
    );
    const patched = await send(
      "PATCH",
      `bosses/${text(made.body, "id")}`,
      '{"extra":{"__proto__":{"more":2}}}',
    );
    expect(patched.text).toContain('"__proto__":{"polluted":1,"more":2}');
    expect(paths(await send("POST", "bosses", '{"title":"a","__proto__":{"title":"b"}}'))).toEqual([
      "__proto__",
    ]);
    expect(Object.prototype).not.toHaveProperty("polluted");
    for (const path of ["__proto__", "constructor", "bosses/__proto__", "bosses/constructor"]) {
      expect((await admin("GET", path)).status).toBe(404);
    }
    const batch = { operations: [{ op: "delete", collection: "__proto__", id: "x" }] };
    expect((await admin("POST", "_batch", batch)).status).toBe(404);
  });
});

describe("Administrator routes: in a realm with auth: disabled", () => {
  const send = (method: string, path: string, body?: JsonObject, token: string | undefined = plainKey) =>
    plain.send(method, `../_admin/data/main/${path}`, { ...(body && { body }), ...(token && { token }) });

  test("Administrator routes: documents name nobody there", async () => {
    const made = await send("POST", "unruled", { title: "a" });
    const at = expect.any(String);
    expect(made.body["_meta"]).toEqual({ created_at: at, updated_at: at, version: 1 });
    const path = `unruled/${text(made.body, "id")}`;
    expect((await send("PATCH", path, {})).body["_meta"]).toEqual({
      created_at: at,
      updated_at: at,
      version: 2,
    });
    expect((await send("DELETE", path)).status).toBe(204);
  });

  test("Administrator routes: they need an API key there too; document routes still ask nobody", async () => {
    expect((await send("GET", "unruled", undefined, "")).status).toBe(401);
    expect((await send("GET", "unruled", undefined, "svk_unknown")).status).toBe(401);
    expect((await send("GET", "unruled", undefined, await plain.key({ name: "none" }))).status).toBe(403);
    expect((await plain.send("GET", "unruled", { token: "svk_unknown" })).status).toBe(200);
  });

  test("Idempotency-Key 2: not in a realm without authentication", async () => {
    const refused = await plain.send("POST", "../_admin/data/main/unruled", {
      body: { title: "a" },
      token: plainKey,
      headers: { "idempotency-key": "k" },
    });
    expect([refused.status, code(refused)]).toEqual([400, "invalid_header"]);
  });
});
