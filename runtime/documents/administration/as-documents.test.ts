import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../json.ts";
import { code, details, paths, type Shop, text } from "../testing/shop.ts";
import { type DataShop, startData, where } from "./testing/collections.ts";

let data: DataShop;
let shop: Shop;
let key: string;
let boss: DataShop["boss"];
let admin: DataShop["admin"];
let create: DataShop["create"];
beforeAll(async () => {
  data = await startData();
  ({ shop, key, boss, admin, create } = data);
});
afterAll(() => data.stop());

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
