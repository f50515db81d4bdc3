import { afterAll, beforeAll, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../json.ts";
import type { WriteRule } from "../realm/rule.ts";
import { allowed } from "../rules/index.ts";
import {
  code,
  collection,
  fields,
  minute,
  type Received,
  type Sent,
  type Shop,
  startShop,
  text,
} from "./testing/shop.ts";

const generated = collection("generated");
const chosen = collection("chosen", { customId: { duplicateLimit: 3 } });
const softly = collection("softly", { customId: { duplicateLimit: 100 }, softDelete: { retention: minute } });
const slugged = collection("slugged", {
  customId: { duplicateLimit: 100 },
  indexes: [{ name: "slug", keys: [{ field: fields.slug, descending: false }], unique: true }],
});
const patterned = collection("patterned", { customId: { pattern: /^[a-z]+$/, duplicateLimit: 20 } });
const startingWithOk: WriteRule<JsonObject, JsonObject> = {
  check: (_, __, data) => typeof data["id"] === "string" && data["id"].startsWith("ok-"),
};
const profiles = collection("profiles", {
  customId: { is: "user", duplicateLimit: 20 },
  rules: { create: allowed, read: allowed },
});
const named = collection("named", {
  customId: { duplicateLimit: 2 },
  rules: {
    read: allowed,
    create: startingWithOk,
  },
});
const closed = collection("closed", { customId: { duplicateLimit: 2 }, rules: { read: allowed } });

let shop: Shop;
let members: Shop;
beforeAll(async () => {
  shop = await startShop("disabled", [generated, chosen, softly, slugged, patterned]);
  members = await startShop("enabled", [profiles, named, closed], { settings: { metrics: "on" } });
});
afterAll(() => Promise.all([shop.stop(), members.stop()]));

const create = (name: string, id: JsonValue | undefined, sent: Sent = {}, on = shop): Promise<Received> =>
  on.send("POST", name, { ...sent, body: { title: "a", ...(id !== undefined && { id }) } });

test("Custom ids: the client's id is the document's, in the answer and the path", async () => {
  const answer = await create("chosen", "my.first~id-1");
  expect(answer).toMatchObject({ status: 201, body: { id: "my.first~id-1", title: "a" } });
  expect(answer.headers.get("location")).toBe("/v1/shop/main/chosen/my.first~id-1");
  expect(await shop.send("GET", "chosen/my.first~id-1")).toMatchObject({ status: 200, text: answer.text });
});

test("Custom ids 1: an existing id is 409 id_taken and never overwrites; PUT and PATCH stay update-only", async () => {
  await create("softly", "taken");
  const again = await shop.send("POST", "softly", { body: { id: "taken", title: "other" } });
  expect([again.status, code(again)]).toEqual([409, "id_taken"]);
  expect((await shop.send("GET", "softly/taken")).body).toMatchObject({ title: "a", _meta: { version: 1 } });
  expect((await shop.send("PUT", "softly/unborn", { body: { title: "a" } })).status).toBe(404);
  expect((await shop.send("PATCH", "softly/unborn", { body: { title: "a" } })).status).toBe(404);
});

test("Custom ids 1: of parallel creates with one id exactly one succeeds", async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => create("softly", "raced")));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 7 }, () => 409)]);
});

test("Custom ids 1: an existing id is id_taken also where unique values clash as well, as in a create sent twice", async () => {
  const body = { id: "twice", title: "a", slug: "twice" };
  expect((await shop.send("POST", "slugged", { body })).status).toBe(201);
  expect(code(await shop.send("POST", "slugged", { body }))).toBe("id_taken");
  expect(code(await shop.send("POST", "slugged", { body: { ...body, id: "other" } }))).toBe("conflict");
});

test("Fine points: an id in the trash is taken, until the document is purged", async () => {
  await create("softly", "trashed");
  await shop.send("DELETE", "softly/trashed");
  expect((await create("softly", "trashed")).status).toBe(409);
  shop.clock.advance(minute);
  expect((await create("softly", "trashed")).status).toBe(201);
});

test("Custom ids 2: a missing id is 400 id_required", async () => {
  const answer = await create("chosen", undefined);
  expect([answer.status, code(answer)]).toEqual([400, "id_required"]);
});

test.each(["", ".", "..", "_x", "a b", "a/b", "ü", "a\n", "a".repeat(129), 5, null, true, {}, ["a"]])(
  "Custom ids 2: the id %j is outside the safety envelope: 400 invalid_id",
  async (id) => {
    const answer = await create("chosen", id);
    expect([answer.status, code(answer)]).toEqual([400, "invalid_id"]);
  },
);

test.each(["a", "...", ".a", "-", "~", "a".repeat(128), "A_b.c~d-9", "__proto__".slice(2)])(
  "Custom ids 2: the id %j is inside it",
  async (id) => {
    expect((await create("softly", id)).status).toBe(201);
    expect((await shop.send("GET", `softly/${id}`)).status).toBe(200);
  },
);

test("Custom ids 2: an id outside the pattern is 400 invalid_id", async () => {
  expect((await create("patterned", "abc")).status).toBe(201);
  expect(code(await create("patterned", "abc1"))).toBe("invalid_id");
});

test("Custom ids 2: custom_id: user takes only the creating user's id", async () => {
  const { id, token } = await members.signUp("own@example.com");
  expect((await create("profiles", id, { token }, members)).status).toBe(201);
  expect(code(await create("profiles", "somebody", { token }, members))).toBe("invalid_id");
  expect(code(await create("profiles", id, {}, members))).toBe("invalid_id");
  expect(code(await create("profiles", id, { token: await members.key({ name: "k1" }) }, members))).toBe(
    "invalid_id",
  );
});

test("Custom ids 2: an id sent to a collection that generates ids is 400 id_not_allowed", async () => {
  for (const id of ["x", null, 5]) {
    const answer = await create("generated", id);
    expect([answer.status, code(answer)]).toEqual([400, "id_not_allowed"]);
  }
});

test("Custom ids 3: id, then the create rule (which sees it), then insert; who is refused is refused for every id", async () => {
  const { token } = await members.signUp("rule@example.com");
  expect((await create("named", "ok-1", { token }, members)).status).toBe(201);
  expect((await create("named", "no-1", { token }, members)).status).toBe(403);
  expect(code(await create("named", "no/1", { token }, members))).toBe("invalid_id");
  const key = await members.key({ name: "k2" });
  expect((await create("named", "no-2", { token: key }, members)).status).toBe(201);
  expect((await create("named", "no-2", { token }, members)).status).toBe(403);
  expect((await create("named", "no-2", {}, members)).status).toBe(401);
  expect((await create("closed", "a", { token }, members)).status).toBe(403);
  expect(code(await create("closed", "a/b", { token }, members))).toBe("invalid_id");
});

test("Custom ids 4: after duplicate_limit id_taken answers in a minute, 429 with Retry-After on any create there", async () => {
  await create("chosen", "dup");
  shop.clock.advance(minute);
  for (let taken = 0; taken < 3; taken += 1) {
    expect((await create("chosen", "dup")).status).toBe(409);
    shop.clock.advance(10_000);
  }
  for (const id of ["dup", "fresh", undefined]) {
    const limited = await create("chosen", id);
    expect([limited.status, code(limited), limited.headers.get("retry-after")]).toEqual([
      429,
      "too_many_requests",
      "30",
    ]);
  }
  expect((await create("softly", "elsewhere")).status).toBe(201);
  expect((await shop.send("PATCH", "chosen/dup", { body: {} })).status).toBe(200);
  shop.clock.advance(30_000);
  expect((await create("chosen", "fresh")).status).toBe(201);
});

test("Custom ids 4: counted by user, key or address, and by the metric svc_id_conflicts_total", async () => {
  const [one, other] = [await members.signUp("one@example.com"), await members.signUp("other@example.com")];
  const key = await members.key({ name: "k3" });
  await create("named", "ok-dup", { token: key }, members);
  for (const token of [one.token, key]) {
    for (const status of [409, 409, 429])
      expect((await create("named", "ok-dup", { token }, members)).status).toBe(status);
  }
  expect((await create("named", "ok-dup", { token: other.token }, members)).status).toBe(409);
  expect((await create("named", "ok-dup", {}, members)).status).toBe(409);
  const metrics = await (await fetch(`${members.url}/metrics`)).text();
  expect(metrics).toMatch(/^svc_id_conflicts_total\{[^}]*collection="named"[^}]*\} 6$/m);
});

test("Custom ids 4: creates sent at once get no more id_taken answers than those sent one by one", async () => {
  const { token } = await members.signUp("parallel@example.com");
  await create("named", "ok-parallel", { token: await members.key({ name: "k4" }) }, members);
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => create("named", "ok-parallel", { token }, members)),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([
    409,
    409,
    ...Array.from({ length: 10 }, () => 429),
  ]);
  for (const limited of answers.filter(({ status }) => status === 429))
    expect([code(limited), limited.headers.get("retry-after")]).toEqual(["too_many_requests", "60"]);
});

test("Custom ids 5: the same applies to batch creates", async () => {
  const batch = (token: string, ...ids: readonly string[]) =>
    members.send("POST", "_batch", {
      token,
      body: {
        operations: ids.map((id) => ({ op: "create", collection: "named", id, document: { title: "a" } })),
      },
    });
  const { token } = await members.signUp("batch@example.com");
  expect((await batch(token, "ok-b1", "ok-b2")).status).toBe(200);
  expect(code(await batch(token, "ok-b3", "b/4"))).toBe("invalid_id");
  for (const status of [409, 409, 429]) expect((await batch(token, "ok-b3", "ok-b1")).status).toBe(status);
  expect((await create("named", "ok-b5", { token }, members)).status).toBe(429);
  expect((await members.send("GET", "named/ok-b3")).status).toBe(404);
});

test("Custom ids: the id of a created document is in its text", async () => {
  expect(text((await create("chosen", "in-text")).body, "id")).toBe("in-text");
});
