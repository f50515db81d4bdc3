import { afterAll, beforeAll, expect, test } from "vitest";
import {
  code,
  collection,
  fields,
  type Received,
  type Shop,
  startShop,
  text,
} from "../documents/testing/shop.ts";
import { allowed } from "../rules/index.ts";
import { describeMongo, dropTestDatabases, testLocation } from "../store/mongodb/testing/server.ts";
import { until } from "../testing/until.ts";

const rules = { read: allowed, create: allowed, update: allowed, delete: allowed };
const slug = { name: "slug", keys: [{ field: fields.slug, descending: false }], unique: true };
const lang = { name: "lang", keys: [{ field: fields.lang, descending: false }], unique: false };

/** Notes as a bundle has them, and as the next one does: one more index, and another collection beside them. */
const before = [collection("notes", { rules, indexes: [slug], realtime: true })];
const after = [
  collection("notes", { rules, indexes: [slug, lang], realtime: true }),
  collection("tags", { rules }),
];

describeMongo("An old and a new bundle on one database", () => {
  const location = testLocation();
  let old: Shop;
  let young: Shop;
  let token: string;
  beforeAll(async () => {
    old = await startShop("enabled", before, { settings: { store: location } });
    young = await startShop("enabled", after, { settings: { store: location } });
    token = await old.key();
  });
  afterAll(async () => {
    await Promise.all([old.stop(), young.stop()]);
    await dropTestDatabases(location);
  });

  const create = (shop: Shop, body: Record<string, string>, headers: Record<string, string> = {}) =>
    shop.send("POST", "notes", { token, body, headers });
  const statuses = (answers: readonly Received[]) => answers.map(({ status }) => status).sort();

  test("each sees what the other wrote, and its version", async () => {
    for (const [writer, reader] of [
      [old, young],
      [young, old],
    ] as const) {
      const made = await create(writer, { title: "one", lang: "de" });
      expect(made.status).toBe(201);
      const path = `notes/${text(made.body, "id")}`;
      const read = await reader.send("GET", path, { token });
      expect(read.body).toEqual(made.body);
      const change = { token, body: { title: "two" }, headers: { "if-match": read.tag ?? "" } };
      expect((await reader.send("PATCH", path, change)).status).toBe(200);
      expect((await writer.send("PATCH", path, change)).status).toBe(412);
      expect((await writer.send("GET", path, { token })).body["title"]).toBe("two");
      expect((await writer.send("DELETE", path, { token })).status).toBe(204);
      expect((await reader.send("GET", path, { token })).status).toBe(404);
    }
  });

  test("a unique value that is raced at both is there once, an idempotency key runs once", async () => {
    for (let round = 0; round < 5; round += 1) {
      const unique = await Promise.all(
        [old, young].map((shop) => create(shop, { title: "u", slug: `s${round}` })),
      );
      expect(statuses(unique)).toEqual([201, 409]);
      const keyed = await Promise.all(
        [old, young].map((shop) =>
          create(shop, { title: `k${round}` }, { "idempotency-key": `key${round}` }),
        ),
      );
      const made = new Set(keyed.filter(({ status }) => status === 201).map(({ body }) => text(body, "id")));
      expect(made.size).toBe(1);
      for (const answer of keyed)
        if (answer.status !== 201) expect(code(answer)).toBe("idempotency_in_progress");
    }
  });

  test("a session of one is one of the other, until it ends", async () => {
    const { token: session } = await old.signUp("two@example.com");
    expect((await young.send("GET", "notes", { token: session })).status).toBe(200);
    expect((await old.send("POST", "../_auth/logout", { token: session })).status).toBe(204);
    expect((await young.send("GET", "notes", { token: session })).status).toBe(401);
  });

  test("the feed of each has the changes that the other made", async () => {
    const [from, to] = [old.store("shop").feed, young.store("shop").feed];
    const positions = await Promise.all([from.head(), to.head()]);
    const ids = [
      text((await create(old, { title: "f" })).body, "id"),
      text((await create(young, { title: "f" })).body, "id"),
    ];
    for (const [at, feed] of [from, to].entries()) {
      let position = positions[at] ?? "";
      const seen = new Set<string>();
      await until(async () => {
        const page = await feed.read(position, 100);
        for (const change of page.changes) if ("id" in change) seen.add(String(change.id));
        position = page.position;
        expect([...seen]).toEqual(expect.arrayContaining(ids));
      });
    }
  });
});
