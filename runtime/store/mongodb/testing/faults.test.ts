import { MongoClient, type MongoServerError } from "mongodb";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { FaultProxy } from "./faults.ts";
import { describeMongo, dropTestDatabases, testLocation } from "./server.ts";

/** What the driver makes of each fault, so that tests of the store rest on what MongoDB's drivers specify. */
describeMongo("The proxy between driver and server", () => {
  const location = testLocation();
  let proxy: FaultProxy;
  let client: MongoClient;

  beforeAll(async () => {
    proxy = await FaultProxy.open(location.uri);
  });
  afterAll(async () => {
    await proxy.close();
    await dropTestDatabases(location);
  });
  beforeEach(async () => {
    client = new MongoClient(proxy.uri, { serverSelectionTimeoutMS: 10_000 });
    await client.connect();
  });
  afterEach(async () => {
    await proxy.reset();
    await client.close();
  });

  const items = () => client.db(`${location.prefix}faults`).collection<{ _id: string }>("items");
  const failureOf = async (work: Promise<unknown>): Promise<MongoServerError> =>
    work.then(
      () => {
        throw new Error("did not fail");
      },
      (error) => error,
    );

  test("is a replica set with itself as the only member", async () => {
    const { hosts, me, isWritablePrimary } = await client.db("admin").command({ hello: 1 });
    expect({ hosts, isWritablePrimary }).toEqual({ hosts: [me], isWritablePrimary: true });
    expect(proxy.uri).toContain(me);
    await items().insertOne({ _id: "through" });
    expect(await items().findOne({ _id: "through" })).toEqual({ _id: "through" });
  });

  test("a retryable write is sent again with its number when it failed so", async () => {
    const failed = proxy.inject("insert", { error: "InterruptedAtShutdown", done: true });
    await items().insertOne({ _id: "once" });
    expect(failed.struck).toBe(1);
    const numbers = proxy.sent("insert").map(({ body }) => body["txnNumber"]);
    expect(numbers).toHaveLength(2);
    expect(new Set(numbers).size).toBe(1);
    expect(await items().countDocuments({ _id: "once" })).toBe(1);
  });

  test("and when its connection broke, before or after", async () => {
    for (const drop of ["before", "after"] as const) {
      proxy.inject("insert", { drop });
      await items().insertOne({ _id: drop });
    }
    expect(proxy.sent("insert")).toHaveLength(4);
    expect(await items().countDocuments({ _id: { $in: ["before", "after"] } })).toBe(2);
  });

  test("an error that no attempt mends is answered as it is", async () => {
    proxy.inject("insert", { error: "Unauthorized", errmsg: "not authorized on a to execute command" });
    const error = await failureOf(items().insertOne({ _id: "never" }));
    expect(error).toMatchObject({ code: 13, codeName: "Unauthorized" });
    expect(error.message).toContain("not authorized on a");
    expect(proxy.sent("insert")).toHaveLength(1);
  });

  test("an unconfirmed write was done", async () => {
    proxy.inject("insert", { writeConcern: "WriteConcernFailed" });
    const error = await failureOf(
      items().insertOne({ _id: "unconfirmed" }, { writeConcern: { w: "majority" } }),
    );
    expect(error).toMatchObject({ code: 64 });
    expect(await items().countDocuments({ _id: "unconfirmed" })).toBe(1);
  });

  test("without a primary operations wait for the election, and see at once when it is over", async () => {
    await proxy.stepDown();
    const waiting = items().findOne({ _id: "nothing" });
    const { primary } = await client.db("admin").command({ hello: 1 }, { readPreference: "secondary" });
    expect(primary).toBeUndefined();
    proxy.elect();
    expect(await waiting).toBeNull();
  });

  test("transactions under way end with an election, and run again", async () => {
    let runs = 0;
    await client.withSession((session) =>
      session.withTransaction(async () => {
        runs += 1;
        await items().insertOne({ _id: "elected" }, { session });
        if (runs > 1) return;
        await proxy.stepDown();
        proxy.elect();
      }),
    );
    expect(runs).toBe(2);
    expect(await items().countDocuments({ _id: "elected" })).toBe(1);
  });

  test("a server that is gone is found again", async () => {
    await proxy.vanish();
    expect(proxy.connections).toBe(0);
    const waiting = items().findOne({ _id: "nothing" });
    await proxy.appear();
    expect(await waiting).toBeNull();
  });

  test("a held command reaches the server when it is let go", async () => {
    let release: () => void = () => undefined;
    const hold = new Promise<void>((resolve) => {
      release = resolve;
    });
    const held = proxy.inject("insert", { hold });
    const written = items().insertOne({ _id: "held" });
    await held.met;
    expect(await items().countDocuments({ _id: "held" })).toBe(0);
    release();
    await written;
    expect(await items().countDocuments({ _id: "held" })).toBe(1);
  });
});
