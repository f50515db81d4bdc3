import { afterEach, beforeEach, expect, test } from "vitest";
import type { Store } from "../contract.ts";
import { start } from "../suite/fixtures.ts";
import { bookkeeping } from "./layout.ts";
import { openMongoStore } from "./store.ts";
import { describeMongo, dropTestDatabases, testClient, testLocation } from "./testing/server.ts";

describeMongo("Leases of several instances", () => {
  const location = testLocation();
  const clock = { time: start, now: () => clock.time };
  let stores: readonly Store[];
  const [one, other] = [() => instance(0), () => instance(1)];

  function instance(at: number): Store {
    const store = stores[at];
    if (store === undefined) throw new Error("no such instance");
    return store;
  }

  beforeEach(async () => {
    clock.time = start;
    const options = {
      client: await testClient(),
      prefix: location.prefix,
      realm: "test",
      clock,
      queryTime: 5_000,
    };
    stores = [await openMongoStore(options), await openMongoStore(options)];
  });
  afterEach(async () => {
    for (const store of stores) await store.close();
    await dropTestDatabases(location);
  });

  test("one has it, until it gives it back", async () => {
    const lease = await one().lease("job", 1000);
    expect(lease).toBeDefined();
    expect(await other().lease("job", 1000)).toBeUndefined();
    await lease?.release();
    expect(await other().lease("job", 1000)).toBeDefined();
  });

  test("of an instance that died another has it after its time, and the first has lost it", async () => {
    const lost = await one().lease("job", 1000);
    clock.time += 999;
    expect(await other().lease("job", 1000)).toBeUndefined();
    clock.time += 1;
    expect(await lost?.renew()).toBe(false);
    expect(await other().lease("job", 1000)).toBeDefined();
    expect(await lost?.renew()).toBe(false);
    await lost?.release();
    expect(await one().lease("job", 1000)).toBeUndefined();
  });

  test("renewed, it lasts for its time from then on", async () => {
    const lease = await one().lease("job", 1000);
    clock.time += 999;
    expect(await lease?.renew()).toBe(true);
    clock.time += 999;
    expect(await other().lease("job", 1000)).toBeUndefined();
    clock.time += 1;
    expect(await other().lease("job", 1000)).toBeDefined();
  });

  test("those of the dead do not pile up", async () => {
    for (let n = 0; n < 5; n++) await one().lease(`job${n}`, 1000);
    const kept = await one().lease("kept", 600_000);
    clock.time += 60_000;
    await one().lease("job", 1000);
    const client = await testClient();
    const leases = client.db(`${location.prefix}test`).collection(bookkeeping.leases);
    expect(await leases.countDocuments()).toBe(2);
    expect(await kept?.renew()).toBe(true);
  });
});
