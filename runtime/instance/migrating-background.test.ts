import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { collection, type Shop, startShop, text, validatorOf } from "../documents/testing/shop.ts";
import type { JsonObject } from "../json.ts";
import { migrationRoutes } from "../migrations/routes.ts";
import type { CollectionDefinition } from "../realm/definition.ts";
import type { MigrationDefinition, MigrationMode } from "../realm/migrations.ts";
import { allowed } from "../rules/index.ts";
import { type TestPlace, testPlace } from "../store/testing/stores.ts";
import { until } from "../testing/until.ts";

const rules = { read: allowed, create: allowed, update: allowed, delete: allowed };
const before = collection("notes", { rules, realtime: true });
const named: JsonObject = {
  type: "object",
  properties: { name: { type: "string" }, qty: { type: "integer" } },
  required: ["name"],
  additionalProperties: false,
};
const rename: MigrationDefinition = {
  number: "0001",
  name: "name",
  forward({ title, ...rest }) {
    if (title === "bad") throw new Error("bad");
    return { ...rest, name: title ?? null };
  },
};
const after: CollectionDefinition = { ...before, validate: validatorOf(named), migrations: [rename] };

let place: TestPlace;
let shop: Shop | undefined;
beforeEach(() => {
  place = testPlace();
});
afterEach(async () => {
  await shop?.stop();
  shop = undefined;
  await place.discard();
});

async function start(definition: CollectionDefinition, migrations?: MigrationMode): Promise<Shop> {
  await shop?.stop();
  shop = await startShop("enabled", [definition], {
    settings: { store: place.location },
    definition: { ...(migrations !== undefined && { migrations }) },
    routes: [migrationRoutes("shop")],
  });
  return shop;
}

const admin = (on: Shop) => on.key({ replace: true, admin: true });

async function create(on: Shop, count: number, title = "one"): Promise<string> {
  const token = await admin(on);
  let id = "";
  for (let at = 0; at < count; at += 1)
    id = text((await on.send("POST", "notes", { body: { title }, token })).body, "id");
  return id;
}

async function listed(on: Shop, query = "") {
  return on.send("GET", `../_admin/migrations${query}`, { token: await admin(on) });
}

describe("A server that migrates in the background", () => {
  test("answers at once, and has brought every document into the newest form after a while", async () => {
    await create(await start(before), 30);
    const now = await start(after, "background");
    const token = await admin(now);
    await until(async () => {
      const { body } = await now.send("GET", "notes?limit=50", { token });
      const items = Array.isArray(body["items"]) ? body["items"] : [];
      expect(items).toHaveLength(30);
      for (const item of items) expect(item).toMatchObject({ name: "one", _meta: { version: 2 } });
    });
    await until(async () => {
      expect((await listed(now)).body).toEqual({
        items: [
          {
            realm: "shop",
            collection: "main/notes",
            number: "0001",
            name: "name",
            state: "done",
            done: 30,
            total: 30,
            failed: [],
          },
        ],
        has_more: false,
      });
    });
  });

  test("names what it could not migrate", async () => {
    const old = await start(before);
    await create(old, 2);
    const bad = await create(old, 1, "bad");
    const now = await start(after, "background");
    await until(async () => {
      const { body } = await listed(now);
      expect(body["items"]).toMatchObject([{ state: "failed", done: 2, total: 3, failed: [bad] }]);
    });
  });
});

describe("GET /_admin/migrations", () => {
  test("lists what is pending, and of a realm without migrations nothing", async () => {
    const old = await start(before);
    await create(old, 1);
    expect((await listed(old)).body).toEqual({ items: [], has_more: false });
    const now = await start(after, "manual");
    expect((await listed(now)).body["items"]).toMatchObject([{ number: "0001", state: "pending", total: 0 }]);
  });

  test("comes in pages, for administrators of data alone", async () => {
    const more = ["0002", "0003"].map((number) => ({
      ...rename,
      number,
      forward: (same: JsonObject) => same,
    }));
    const now = await start({ ...after, migrations: [rename, ...more] }, "manual");
    const first = await listed(now, "?limit=2");
    expect(first.body).toMatchObject({ items: [{ number: "0001" }, { number: "0002" }], has_more: true });
    const rest = await listed(now, `?limit=2&after=${text(first.body, "next_cursor")}`);
    expect(rest.body).toMatchObject({ items: [{ number: "0003" }], has_more: false });
    const token = await now.key({ replace: true, admin: ["secrets"] });
    expect((await now.send("GET", "../_admin/migrations", { token })).status).toBe(403);
  });
});
