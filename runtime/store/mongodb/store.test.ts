import { Db } from "mongodb";
import { expect, test, vi } from "vitest";
import { systemClock } from "../../clock.ts";
import { TRUE } from "../../filter/algebra.ts";
import { StoreUnavailable } from "../contract/errors.ts";
import { failureOf, shape, written } from "../testing/suite/fixtures.ts";
import { openClient } from "./client.ts";
import { openMongoStore } from "./store.ts";
import { useFaulty } from "./testing/faulty.ts";
import { describeMongo, dropTestDatabases, testClient, testLocation } from "./testing/server.ts";

describeMongo("Stores of one client", () => {
  test("each realm has a database of its own, and closing one leaves the others", async () => {
    const location = testLocation();
    const options = {
      client: await testClient(),
      prefix: location.prefix,
      clock: systemClock,
      queryTime: 5_000,
    };
    const [shop, desk] = await Promise.all(
      ["shop", "desk"].map((realm) => openMongoStore({ ...options, realm })),
    );
    if (shop === undefined || desk === undefined) throw new Error("two stores were opened");
    try {
      for (const store of [shop, desk]) await store.provision([shape("app.people")]);
      await shop.collection("app.people").insert(written("a", {}));
      await shop.close();
      await shop.close();
      expect(await desk.collection("app.people").count(TRUE, "all")).toBe(0);
      const database = options.client.db(`${location.prefix}shop`);
      expect(await database.collection("app.people").countDocuments()).toBe(1);
    } finally {
      await desk.close();
      await dropTestDatabases(location);
    }
  });

  test("a closed one refuses everything", async () => {
    const location = testLocation();
    const { prefix } = location;
    const options = {
      client: await testClient(),
      prefix,
      realm: "test",
      clock: systemClock,
      queryTime: 5_000,
    };
    const store = await openMongoStore(options);
    await store.provision([shape("app.people")]);
    const people = store.collection("app.people");
    const lease = await store.lease("held", 60_000);
    await store.close();
    const query = { filter: TRUE, visibility: "all", limit: 1, skip: 0 } as const;
    const refused = [
      () => store.provision([]),
      () => store.transaction(async () => 1),
      () => store.lease("job", 1000),
      () => store.health(),
      () => people.get("a", "live"),
      () => people.find(query),
      () => people.count(TRUE, "all"),
      () => people.scan(undefined, 1),
      () => people.load([]),
      () => people.insert(written("a", {})),
      () => people.remove("a"),
      () => people.removeExpired(1),
    ];
    for (const operation of refused)
      expect(await failureOf(operation())).toEqual(new Error("the store is closed"));
    // Who holds one may give it back while everything closes.
    await lease?.release();
    await dropTestDatabases(location);
  });
});

describeMongo("Health", () => {
  const faulty = useFaulty();

  test("does not wait for a server that does not answer", async () => {
    faulty.proxy.mute();
    // Told by the limit of its own: monitors find out later.
    expect(await failureOf(faulty.store.health())).toMatchObject({
      cause: { name: "MongoOperationTimeoutError" },
    });
    faulty.proxy.unmute();
  });

  test("behind a router is that of the shard that has the data", async () => {
    const said = vi.spyOn(Db.prototype, "command");
    said.mockResolvedValue({ isWritablePrimary: true, msg: "isdbgrid" });
    try {
      await faulty.store.health();
      faulty.proxy.inject("find", { error: "NotPrimaryNoSecondaryOk" }, Number.POSITIVE_INFINITY);
      expect(await failureOf(faulty.store.health())).toBeInstanceOf(StoreUnavailable);
    } finally {
      said.mockRestore();
    }
  });
});

test("opening asks for no server; what needs one says that there is none", async () => {
  const client = openClient("mongodb://127.0.0.1:1/?replicaSet=none", { queryTime: 100 });
  const store = await openMongoStore({
    client,
    prefix: "x-",
    realm: "test",
    clock: systemClock,
    queryTime: 100,
  });
  expect(await failureOf(store.health())).toBeInstanceOf(StoreUnavailable);
  expect(await failureOf(store.lease("job", 1000))).toBeInstanceOf(StoreUnavailable);
  expect(await failureOf(store.provision([shape("app.people")]))).toBeInstanceOf(StoreUnavailable);
  // Nothing is to be asked.
  expect(await store.transaction(async () => 1)).toBe(1);
  expect(() => store.collection("app.people")).toThrow("collection app.people is not provisioned");
  await store.close();
  await client.close();
});
