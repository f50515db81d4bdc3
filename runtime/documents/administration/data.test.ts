import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../json.ts";
import { code, paths, type Shop, startShop, text } from "../testing/shop.ts";
import { bosses, type DataShop, items, startData, unruled, where } from "./testing/collections.ts";

let data: DataShop;
let shop: Shop;
let key: string;
let boss: DataShop["boss"];
/** Where accounts are off. */
let plain: Shop;
let plainKey: string;
let admin: DataShop["admin"];
let create: DataShop["create"];
beforeAll(async () => {
  data = await startData();
  ({ shop, key, boss, admin, create } = data);
  plain = await startShop("disabled", [unruled, bosses]);
  plainKey = await plain.key({ name: "admin", admin: ["data"] });
});
afterAll(() => Promise.all([data.stop(), plain.stop()]));

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
