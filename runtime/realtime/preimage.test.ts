import { afterAll, beforeAll, expect, test } from "vitest";
import { collection, type Shop, startShop } from "../documents/testing/shop.ts";
import { storeNameOf } from "../realm/definition.ts";
import { allowed } from "../rules/index.ts";
import {
  describeMongo,
  dropTestDatabases,
  testClient,
  testLocation,
} from "../store/mongodb/testing/server.ts";
import { realtimeRoutes } from "./route.ts";
import { openStream } from "./testing/streams.ts";

const rules = { read: allowed, create: allowed, update: allowed, delete: allowed };
const bare = collection("bare", { realtime: true, rules });
const whole = collection("whole", { realtime: true, rules });

/** The embedded engine writes what was before beside each change: there it cannot be missing. */
describeMongo("Realtime stream events 3: a change without what was before (preimage_missing)", () => {
  const location = testLocation();
  let shop: Shop;
  beforeAll(async () => {
    const routes = [realtimeRoutes("shop")];
    shop = await startShop("disabled", [bare, whole], { routes, settings: { store: location } });
  });
  afterAll(async () => {
    await shop.stop();
    await dropTestDatabases(location);
  });

  async function made(name: string): Promise<string> {
    const { body } = await shop.send("POST", name, { body: { title: "x", qty: 1 } });
    return String(body["id"]);
  }

  test("resets the subscriptions of its collection, those of others go on, and so does the stream", async () => {
    const [one, other] = [await made("bare"), await made("whole")];
    const database = (await testClient()).db(`${location.prefix}shop`);
    await database.command({
      collMod: storeNameOf(bare),
      changeStreamPreAndPostImages: { enabled: false },
    });
    const stream = await openStream(`${shop.url}/v1/shop/_realtime`, [
      { id: "all", db: "main", collection: "bare" },
      { id: "few", db: "main", collection: "bare", where: { qty: { $gte: 1 } } },
      { id: "whole", db: "main", collection: "whole" },
    ]);
    await stream.next();
    const reset = {
      event: "reset",
      data: { subs: ["all", "few"], reason: "preimage_missing" },
      id: expect.any(String),
    };
    await shop.send("PATCH", `bare/${one}`, { body: { qty: 2 } });
    expect(await stream.next()).toEqual(reset);
    await shop.send("PATCH", `whole/${other}`, { body: { qty: 2 } });
    expect(await stream.next()).toMatchObject({
      event: "updated",
      data: { sub: "whole", doc: { id: other } },
    });
    await shop.send("DELETE", `bare/${one}`);
    expect(await stream.next()).toEqual(reset);
    // Of what is new nothing was before.
    const next = await made("bare");
    expect(await stream.until(({ data }) => data["sub"] === "few")).toMatchObject([
      { event: "created", data: { sub: "all", doc: { id: next } } },
      { event: "created", data: { sub: "few", doc: { id: next } } },
    ]);
    stream.close();
  });
});
