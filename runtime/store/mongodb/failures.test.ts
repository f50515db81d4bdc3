import { expect, test } from "vitest";
import { eq, TRUE } from "../../filter/algebra.ts";
import {
  DuplicateId,
  QueryTimeout,
  StoreUnavailable,
  TransactionConflict,
  UniqueViolation,
} from "../contract/errors.ts";
import { bodyOf, failureOf, fields, idsOf, written } from "../testing/suite/fixtures.ts";
import type { Fault } from "./testing/faults.ts";
import type { ServerErrorName } from "./testing/faults-errors.ts";
import { useFaulty } from "./testing/faulty.ts";
import { describeMongo } from "./testing/server.ts";

const everything = { filter: TRUE, visibility: "live", limit: 100, skip: 0 } as const;

/** What goes wrong once, as a server that is about to be replaced or a network does it. */
const passing: readonly (readonly [string, Fault])[] = [
  ["its connection breaks before", { drop: "before" }],
  ["its connection breaks after", { drop: "after" }],
  ["NotWritablePrimary", { error: "NotWritablePrimary" }],
  ["PrimarySteppedDown", { error: "PrimarySteppedDown" }],
  ["InterruptedDueToReplStateChange", { error: "InterruptedDueToReplStateChange" }],
  ["InterruptedAtShutdown, done", { error: "InterruptedAtShutdown", done: true }],
  ["ShutdownInProgress", { error: "ShutdownInProgress" }],
  ["HostUnreachable, done", { error: "HostUnreachable", done: true }],
  ["SocketException", { error: "SocketException" }],
];

/** What stays so for longer than the driver tries. */
const lasting: readonly ServerErrorName[] = [
  "NotWritablePrimary",
  "PrimarySteppedDown",
  "InterruptedAtShutdown",
  "InterruptedDueToReplStateChange",
  "ShutdownInProgress",
  "HostUnreachable",
  "SocketException",
  "NetworkTimeout",
];

describeMongo("A write that fails once is done exactly once", () => {
  const faulty = useFaulty();

  test.each(passing)("insert: %s", async (_, fault) => {
    const injected = faulty.proxy.inject("insert", fault);
    await faulty.people.insert(written("a", { name: "Ada" }));
    expect(injected.struck).toBe(1);
    expect(bodyOf(await faulty.people.get("a", "live"))["name"]).toBe("Ada");
  });

  test.each(passing)("replace: %s", async (_, fault) => {
    await faulty.people.insert(written("a", { name: "Ada" }));
    const injected = faulty.proxy.inject("update", fault);
    expect(await faulty.people.replace(1, written("a", { name: "Eve" }, { version: 2 }))).toBe(true);
    expect(injected.struck).toBe(1);
    expect(await faulty.people.get("a", "live")).toMatchObject({ version: 2 });
  });

  test.each(passing)("remove: %s", async (_, fault) => {
    await faulty.people.insert(written("a", { name: "Ada" }));
    const injected = faulty.proxy.inject("delete", fault);
    expect(await faulty.people.remove("a", 1)).toBe(true);
    expect(injected.struck).toBe(1);
    expect(await faulty.people.get("a", "all")).toBeUndefined();
  });

  test("what the second attempt finds in its way is still told", async () => {
    await faulty.people.insert(written("a", { name: "Ada" }));
    faulty.proxy.inject("insert", { drop: "before" }, 2);
    expect(await failureOf(faulty.people.insert(written("a", {})))).toBeInstanceOf(StoreUnavailable);
    faulty.proxy.inject("insert", { drop: "before" });
    expect(await failureOf(faulty.people.insert(written("a", {})))).toBeInstanceOf(DuplicateId);
    faulty.proxy.inject("insert", { drop: "before" });
    const same = failureOf(faulty.people.insert(written("b", { name: "Ada" })));
    expect(await same).toBeInstanceOf(UniqueViolation);
  });
});

describeMongo("A read that fails once is answered", () => {
  const faulty = useFaulty();

  test.each(passing)("%s", async (_, fault) => {
    for (const id of ["a", "b"]) await faulty.people.insert(written(id, { name: id, size: 1 }));
    const { proxy, people } = faulty;
    const reads = [
      proxy.inject(({ name }) => name === "find", fault),
      proxy.inject(({ name }) => name === "aggregate", fault),
    ];
    expect(await people.get("a", "live")).toMatchObject({ id: "a" });
    proxy.inject(({ name }) => name === "find", fault);
    expect(idsOf(await people.find(everything))).toEqual(["a", "b"]);
    expect(await people.count(eq(fields.size, 1), "live")).toBe(2);
    const lookup = { key: fields.id, values: ["b"], filter: TRUE, limit: 5 };
    proxy.inject(({ name }) => name === "find" || name === "aggregate", fault);
    expect(idsOf(await people.lookup(lookup))).toEqual(["b"]);
    const total = { filter: TRUE, visibility: "live", groupBy: [], order: [], limit: 1 } as const;
    proxy.inject("aggregate", fault);
    const { groups } = await people.aggregate({ ...total, metrics: [{ op: "count" }] });
    expect(groups[0]?.metrics).toEqual([2]);
    expect(reads.map(({ struck }) => struck)).toEqual([1, 1]);
  });
});

describeMongo("An election", () => {
  const faulty = useFaulty();

  test("is waited for by reads and writes", async () => {
    const { proxy, people } = faulty;
    await people.insert(written("a", { name: "Ada" }));
    await proxy.stepDown();
    const work = Promise.all([
      people.insert(written("b", { name: "Bob" })),
      people.replace(1, written("a", { name: "Eve" }, { version: 2 })),
      people.find(everything),
      people.get("a", "live"),
    ]);
    proxy.elect();
    const [, replaced, found, got] = await work;
    expect(replaced).toBe(true);
    expect(found.length).toBeGreaterThan(0);
    expect(got?.id).toBe("a");
    expect(idsOf(await people.find(everything))).toEqual(["a", "b"]);
  });

  test("in the middle of a write and its answer", async () => {
    const { proxy, people } = faulty;
    let release: () => void = () => undefined;
    const hold = new Promise<void>((resolve) => {
      release = resolve;
    });
    const held = proxy.inject("insert", { hold });
    const insert = people.insert(written("a", { name: "Ada" }));
    await held.met;
    proxy.inject("insert", { error: "NotWritablePrimary" });
    await proxy.stepDown();
    release();
    proxy.elect();
    await insert;
    expect(await people.count(TRUE, "all")).toBe(1);
  });

  test("that ends too late is told, and work goes on by itself after it", async () => {
    const { proxy, store, people } = faulty;
    await proxy.stepDown();
    const failures = await Promise.all([
      failureOf(people.insert(written("a", {}))),
      failureOf(people.replace(1, written("a", {}, { version: 2 }))),
      failureOf(people.remove("a")),
      failureOf(people.get("a", "live")),
      failureOf(people.find(everything)),
      failureOf(people.count(TRUE, "live")),
      failureOf(store.lease("job", 1_000)),
      failureOf(store.transaction((transaction) => transaction.collection("app.people").get("a", "live"))),
      failureOf(store.health()),
    ]);
    for (const failure of failures) expect(failure).toBeInstanceOf(StoreUnavailable);
    proxy.elect();
    await store.health();
    await people.insert(written("a", {}));
    expect(await people.count(TRUE, "live")).toBe(1);
  });
});

describeMongo("What lasts is StoreUnavailable", () => {
  const faulty = useFaulty();

  test.each(lasting)("%s", async (error) => {
    const { proxy, store, people } = faulty;
    const strike = (name: string) => proxy.inject(name, { error }, Number.POSITIVE_INFINITY);
    const faults = ["insert", "update", "delete", "find", "aggregate"].map(strike);
    const work = [
      () => people.insert(written("a", {})),
      () => people.replace(1, written("a", {}, { version: 2 })),
      () => people.remove("a"),
      () => people.get("a", "live"),
      () => people.find(everything),
      () => people.count(eq(fields.size, 1), "live"),
      () => store.lease("job", 1_000),
    ];
    for (const one of work) expect(await failureOf(one())).toBeInstanceOf(StoreUnavailable);
    for (const fault of faults) fault.end();
    await people.insert(written("a", {}));
  });

  test.each(["WriteConcernFailed", "UnsatisfiableWriteConcern"] as const)(
    "%s of a write that is done: nobody knows whether it stays",
    async (writeConcern) => {
      const { proxy, people } = faulty;
      proxy.inject("insert", { writeConcern }, 2);
      expect(await failureOf(people.insert(written("a", { name: "Ada" })))).toBeInstanceOf(StoreUnavailable);
      proxy.inject("update", { writeConcern }, 2);
      const replaced = people.replace(1, written("a", { name: "Eve" }, { version: 2 }));
      expect(await failureOf(replaced)).toBeInstanceOf(StoreUnavailable);
      proxy.inject("delete", { writeConcern }, 2);
      expect(await failureOf(people.remove("a", 2))).toBeInstanceOf(StoreUnavailable);
    },
  );
});

describeMongo("An answer in several batches", () => {
  const faulty = useFaulty("", 20_000);

  test("whose cursor the new primary does not have is StoreUnavailable", async () => {
    const { proxy, people } = faulty;
    const large = "x".repeat(900_000);
    for (let at = 0; at < 20; at += 1) await people.insert(written(`d${at}`, { large }));
    for (const error of ["CursorNotFound", "InterruptedDueToReplStateChange"] as const) {
      const lost = proxy.inject("getMore", { error });
      expect(await failureOf(people.find(everything))).toBeInstanceOf(StoreUnavailable);
      expect(lost.struck).toBe(1);
    }
    proxy.inject("getMore", { drop: "before" });
    expect(await failureOf(people.find(everything))).toBeInstanceOf(StoreUnavailable);
    expect(await people.find(everything)).toHaveLength(20);
  });
});

describeMongo("The time limit", () => {
  const faulty = useFaulty();

  test("goes with every operation: reads are told QueryTimeout, writes of a document that another one holds it", async () => {
    const { proxy, store, people } = faulty;
    await people.insert(written("a", { name: "Ada", size: 1 }));
    const slow = proxy.inject(() => true, { error: "MaxTimeMSExpired" }, Number.POSITIVE_INFINITY);
    const total = { filter: TRUE, visibility: "live", groupBy: [], order: [], limit: 1 } as const;
    const writes = [
      () => people.insert(written("b", {})),
      () => people.replace(1, written("a", {}, { version: 2 })),
      () => people.remove("a"),
    ];
    const others = [
      () => people.removeExpired(10),
      () => people.get("a", "live"),
      () => people.find(everything),
      () => people.count(eq(fields.size, 1), "live"),
      () => people.lookup({ key: fields.id, values: ["a"], filter: TRUE, limit: 5 }),
      () => people.aggregate({ ...total, metrics: [{ op: "count" }] }),
      () => people.scan(undefined, 10),
      () => people.load([written("c", {})]),
      () => store.lease("job", 1_000),
      () => store.transaction((transaction) => transaction.collection("app.people").get("a", "live")),
    ];
    const isWrite = (one: () => Promise<unknown>) => writes.some((write) => write === one);
    for (const one of [...writes, ...others]) {
      proxy.commands.length = 0;
      const told = isWrite(one) ? TransactionConflict : QueryTimeout;
      expect(await failureOf(one()), String(one)).toBeInstanceOf(told);
      const limits = proxy.commands
        .filter(({ name }) => name !== "abortTransaction")
        .map(({ name, body }) => [name, Number(body["maxTimeMS"])] as const);
      expect(limits.length, String(one)).toBeGreaterThan(0);
      for (const [name, limit] of limits) expect(limit, `${one}: ${name}`).toBeGreaterThan(0);
    }
    slow.end();
  });
});

describeMongo("The time limit, generous", () => {
  const faulty = useFaulty("", 20_000);

  test("is on every command of an operation that takes several", async () => {
    const { proxy, store, people } = faulty;
    const large = "x".repeat(900_000);
    for (let at = 0; at < 20; at += 1) await people.insert(written(`d${at}`, { large }));
    await people.insert(written("gone", {}, { deletedAt: 1, purgeAt: 2 }));
    await people.insert(written("gone", { name: "Ada" }));
    expect(await failureOf(people.insert(written("d0", { name: "Ada" })))).toBeInstanceOf(DuplicateId);
    await people.find(everything);
    await people.scan(undefined, 100);
    await people.load([written("d0", {}), written("e", {})]);
    await people.removeExpired(10);
    await store.transaction(async (transaction) => {
      const own = transaction.collection("app.people");
      await own.replace(1, written("e", {}, { version: 2 }));
      await own.remove("e", 2);
    });
    const lease = await store.lease("job", 60_000);
    await lease?.renew();
    await lease?.release();
    await store.health();
    // A cursor has its limit from the beginning; what ends sessions and transactions is short.
    const without = proxy.commands
      .filter(({ body }) => !(Number(body["maxTimeMS"]) > 0))
      .map(({ name }) => name)
      .filter((name) => !["getMore", "abortTransaction", "endSessions", "killCursors"].includes(name));
    expect(without).toEqual([]);
    expect(proxy.sent("commitTransaction")).toHaveLength(1);
  });
});
