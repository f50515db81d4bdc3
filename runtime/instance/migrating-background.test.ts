import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { administrationRoutes } from "../auth/administration/routes.ts";
import { collection, type Shop, startShop, text, validatorOf } from "../documents/testing/shop.ts";
import { jobRoutes } from "../jobs/routes.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { migrateCollection } from "../migrations/pass.ts";
import { migrationRoutes } from "../migrations/routes.ts";
import type { CollectionDefinition } from "../realm/definition.ts";
import type { MigrationDefinition, MigrationMode } from "../realm/migrations.ts";
import { allowed } from "../rules/index.ts";
import { type TestPlace, testPlace } from "../store/testing/stores.ts";
import { until } from "../testing/until.ts";
import type { StartOptions } from "./testing/servers.ts";

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

async function start(
  definition: CollectionDefinition,
  migrations?: MigrationMode,
  more: Pick<StartOptions, "repeat"> = {},
): Promise<Shop> {
  await shop?.stop();
  shop = await startShop("enabled", [definition], {
    ...more,
    settings: { store: place.location },
    definition: { ...(migrations !== undefined && { migrations }) },
    routes: [migrationRoutes("shop"), jobRoutes("shop"), administrationRoutes("shop")],
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

describe("PATCH /_admin/migrations/{number}", () => {
  const patch = async (on: Shop, body: JsonObject, number = "0001") =>
    on.send("PATCH", `../_admin/migrations/${number}`, { body, token: await admin(on) });
  const pass = (on: Shop) =>
    migrateCollection({
      ...{ store: on.store("shop"), definition: after, authored: true, clock: on.clock },
      pausable: true,
    });

  test("slows down, pauses and lets go on what is running, from the next batch on", async () => {
    await create(await start(before), 30);
    const now = await start(after, "manual");
    expect((await patch(now, { rate: 1 })).body).toEqual({
      items: [expect.objectContaining({ collection: "main/notes", number: "0001", rate: 1 })],
      has_more: false,
    });
    const running = pass(now);
    await until(async () => {
      expect((await listed(now)).body["items"]).toMatchObject([
        { state: "running", done: expect.any(Number) },
      ]);
    });
    await patch(now, { paused: true });
    expect(await running).toBe("paused");
    const { items } = (await listed(now)).body;
    expect(items).toMatchObject([{ state: "running", total: 30, rate: 1, paused: true }]);
    expect(Array.isArray(items) && isJsonObject(items[0]) && Number(items[0]["done"])).toBeLessThan(30);
    // Nothing is begun while it is paused.
    expect(await pass(now)).toBe("paused");
    expect((await listed(now)).body["items"]).toEqual(items);
    const freed = await patch(now, { rate: null, paused: false });
    expect(Array.isArray(freed.body["items"]) && freed.body["items"][0]).not.toHaveProperty("rate");
    expect(await pass(now)).toBe("done");
    expect((await listed(now)).body["items"]).toMatchObject([{ state: "done", done: 30 }]);
  });

  test("a server that migrates in the background waits while it is paused, and then goes on", async () => {
    await create(await start(before), 3);
    await patch(await start(after, "manual"), { paused: true });
    const ticks: (() => void)[] = [];
    const repeat: StartOptions["repeat"] = (_, work) => {
      ticks.push(work);
      return () => undefined;
    };
    const now = await start(after, "background", { repeat });
    await until(async () => {
      const { body } = await now.send("GET", "../_admin/jobs", { token: await admin(now) });
      expect(body["items"]).toContainEqual(
        expect.objectContaining({ kind: "migration", started_at: expect.any(String) }),
      );
    });
    expect((await listed(now)).body["items"]).toMatchObject([{ state: "pending", paused: true }]);
    await patch(now, { paused: false });
    await until(async () => {
      now.clock.advance(1_000);
      for (const tick of ticks) tick();
      expect((await listed(now)).body["items"]).toMatchObject([{ state: "done", done: 3 }]);
    });
  });

  test("a start that must migrate goes by the rate, and by no pause: nobody could end it", async () => {
    await create(await start(before), 3);
    await patch(await start(after, "manual"), { paused: true, rate: 1_000 });
    expect((await listed(await start(after, "start"))).body["items"]).toMatchObject([
      { state: "done", done: 3 },
    ]);
  });

  test("refuses what is no pace, and numbers that nobody has; is audited", async () => {
    const now = await start(after, "manual");
    for (const body of [{ rate: 0 }, { rate: 1.5 }, { rate: 1_000_001 }, { paused: 1 }, { speed: 1 }])
      expect([body, (await patch(now, body)).status]).toEqual([body, 400]);
    for (const number of ["0002", "1", "x%2F0001"])
      expect([number, (await patch(now, { paused: true }, number)).status]).toEqual([number, 404]);
    await patch(now, { paused: true });
    const { body } = await now.send("GET", "../_admin/audit", { token: await admin(now) });
    const items = Array.isArray(body["items"]) ? body["items"] : [];
    expect(items.filter((item) => isJsonObject(item) && item["action"] === "migration.pace")).toMatchObject([
      { target: "migration:0001", details: { paused: true } },
    ]);
  });
});
