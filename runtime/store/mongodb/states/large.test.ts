import type { MongoClient } from "mongodb";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { documentFields, field } from "../../../filter/fields.ts";
import type { CollectionShape } from "../../contract/shape.ts";
import { openClient } from "../client.ts";
import { bookkeeping } from "../layout.ts";
import { provision, upkeepOf } from "../provision/provision.ts";
import { type TestEngine, testEngine } from "../testing/engine.ts";
import { FaultProxy } from "../testing/faults.ts";
import { describeMongo, testLocation } from "../testing/server.ts";
import type { Stored } from "../write/codec.ts";

/** The server says that it takes too long, as it does of a large collection. */
describeMongo("documents that are too many to be looked at while a start waits", () => {
  let proxy: FaultProxy;
  let client: MongoClient;
  let engine: TestEngine;
  const warnings: string[] = [];
  beforeAll(async () => {
    proxy = await FaultProxy.open(testLocation().uri);
    client = openClient(proxy.uri, { queryTime: 5_000 });
  });
  beforeEach(async () => {
    warnings.length = 0;
    proxy.commands.length = 0;
    engine = await testEngine(undefined, (_, message) => warnings.push(message), client);
    await documents().insertOne({ _id: "1", a: "x" });
  });
  afterEach(async () => {
    await proxy.reset();
    await engine.close();
  });
  afterAll(async () => {
    await client.close();
    await proxy.close();
  });

  const documents = () => engine.database.collection<Stored>("app.people");
  const a = field("a", "string");
  const shape: CollectionShape = {
    name: "app.people",
    fields: { ...documentFields, a },
    indexes: [],
    feed: false,
  };
  const regularityOn = async (of: TestEngine) => (await provision(of, [shape])).get("app.people")?.regularity;

  test("the start goes on; they are looked at later, by one instance", async () => {
    proxy.inject("aggregate", { error: "MaxTimeMSExpired" }, 2);
    const mine = await regularityOn(engine);
    const beside = engine.beside();
    const theirs = await regularityOn(beside);
    expect([mine?.isRegular(a), theirs?.isRegular(a)]).toEqual([false, false]);
    await upkeepOf(engine).tick();
    expect(mine?.isRegular(a)).toBe(true);
    await upkeepOf(beside).tick();
    expect(theirs?.isRegular(a)).toBe(true);
    expect(proxy.sent("aggregate")).toHaveLength(3);
  });

  test("another instance that looks holds up nobody", async () => {
    proxy.inject("aggregate", { error: "MaxTimeMSExpired" });
    const mine = await regularityOn(engine);
    const leases = engine.database.collection<Stored>(bookkeeping.leases);
    await leases.insertOne({ _id: "svc.look", holder: "other", since: new Date(), ttl: 60_000 });
    await upkeepOf(engine).tick();
    expect(mine?.isRegular(a)).toBe(false);
    await leases.deleteOne({ _id: "svc.look" });
    await upkeepOf(engine).tick();
    expect(mine?.isRegular(a)).toBe(true);
  });

  test("an instance that waits for another one's provisioning says so, and goes on when that is done", async () => {
    const leases = engine.database.collection<Stored>(bookkeeping.leases);
    await leases.insertOne({ _id: "svc.provision", holder: "other", since: new Date(), ttl: 60_000 });
    const waiting = regularityOn(engine);
    await expect.poll(() => warnings, { timeout: 20_000 }).toHaveLength(1);
    expect(warnings[0]).toBe("another instance holds svc.provision: waiting until it is done");
    await leases.deleteOne({ _id: "svc.provision" });
    expect((await waiting)?.isRegular(a)).toBe(true);
  });

  test("an instance whose mark is gone leaves another one", async () => {
    await regularityOn(engine);
    const instances = engine.database.collection(bookkeeping.instances);
    await instances.deleteMany({});
    await upkeepOf(engine).tick();
    expect(await instances.countDocuments()).toBe(1);
    await upkeepOf(engine).end();
    await upkeepOf(engine).tick();
    expect(await instances.countDocuments()).toBe(0);
  });
});
