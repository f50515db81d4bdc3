import { afterEach, beforeEach, expect, test } from "vitest";
import { LeaseLost } from "../contract/errors.ts";
import type { Lease } from "../contract/lease.ts";
import type { Store } from "../contract/store.ts";
import { shape, start, written } from "../testing/suite/fixtures.ts";
import { bookkeeping } from "./layout.ts";
import { openMongoStore } from "./store.ts";
import { describeMongo, dropTestDatabases, endLeases, testClient, testLocation } from "./testing/server.ts";

describeMongo("Leases of several instances", () => {
  const location = testLocation();
  /** Of the second instance; the first one's stands where it began. */
  const clock = { time: start, now: () => clock.time };
  let stores: readonly Store[];
  const [one, other] = [() => instance(0), () => instance(1)];
  const database = async () => (await testClient()).db(`${location.prefix}test`);

  function instance(at: number): Store {
    const store = stores[at];
    if (store === undefined) throw new Error("no such instance");
    return store;
  }

  beforeEach(async () => {
    clock.time = start;
    const client = await testClient();
    const options = { client, prefix: location.prefix, realm: "test", queryTime: 5_000 };
    stores = [
      await openMongoStore({ ...options, clock: { now: () => start } }),
      await openMongoStore({ ...options, clock }),
    ];
  });
  afterEach(async () => {
    for (const store of stores) await store.close();
    await dropTestDatabases(location);
  });

  test("one has it, until it gives it back", async () => {
    const lease = await one().lease("job", 60_000);
    expect(lease).toBeDefined();
    expect(await other().lease("job", 60_000)).toBeUndefined();
    await lease?.release();
    expect(await other().lease("job", 60_000)).toBeDefined();
  });

  test.each([90_000, -90_000])("is held by one, however their clocks differ: %i ms", async (skew) => {
    clock.time = start + skew;
    const lease = await one().lease("job", 60_000);
    expect(await other().lease("job", 60_000)).toBeUndefined();
    await lease?.release();
    expect(await other().lease("job", 60_000)).toBeDefined();
    expect(await one().lease("job", 60_000)).toBeUndefined();
  });

  test("ends by the server's clock", async () => {
    const lease = await one().lease("job", 1);
    await expect.poll(() => lease?.renew()).toBe(false);
    expect(await other().lease("job", 60_000)).toBeDefined();
  });

  test("of an instance that died another has it after its time, and the first has lost it", async () => {
    const lost = await one().lease("job", 60_000);
    await endLeases(await database());
    expect(await lost?.renew()).toBe(false);
    expect(await other().lease("job", 60_000)).toBeDefined();
    expect(await lost?.renew()).toBe(false);
    await lost?.release();
    expect(await one().lease("job", 60_000)).toBeUndefined();
  });

  test("renewed, it lasts for its time from then on", async () => {
    const lease = await one().lease("job", 60_000);
    const before = await (await database()).collection(bookkeeping.leases).findOne();
    await expect
      .poll(async () => {
        await lease?.renew();
        return (await (await database()).collection(bookkeeping.leases).findOne())?.["since"];
      })
      .not.toEqual(before?.["since"]);
  });

  test("who lost it without knowing commits nothing, and who has it now does", async () => {
    for (const store of stores) await store.provision([shape("app.people")]);
    const write = (store: Store, id: string, lease: Lease | undefined, meanwhile = async () => {}) =>
      store.transaction(
        async (transaction) => {
          await transaction.collection("app.people").insert(written(id, {}));
          await meanwhile();
        },
        { lease },
      );
    const lost = await one().lease("job", 60_000);
    let taken: Lease | undefined;
    const take = async () => {
      await endLeases(await database());
      taken ??= await other().lease("job", 60_000);
    };
    await expect(write(one(), "during", lost, take)).rejects.toBeInstanceOf(LeaseLost);
    expect(taken).toBeDefined();
    await expect(write(one(), "after", lost)).rejects.toBeInstanceOf(LeaseLost);
    await write(other(), "theirs", taken);
    expect(await (await database()).collection("app.people").distinct("_id")).toEqual(["theirs"]);
  });

  test("those of the dead do not pile up", async () => {
    for (let n = 0; n < 5; n++) await other().lease(`job${n}`, 60_000);
    await endLeases(await database());
    const kept = await other().lease("kept", 600_000);
    clock.time += 60_000;
    await other().lease("job", 60_000);
    expect(await (await database()).collection(bookkeeping.leases).countDocuments()).toBe(2);
    expect(await kept?.renew()).toBe(true);
  });
});
