import { expect, test } from "vitest";
import { TRUE } from "../../filter/algebra.ts";
import { DocumentTooLarge, DuplicateId, StoreUnavailable, TransactionConflict } from "../contract/errors.ts";
import { bodyOf, failureOf, written } from "../testing/suite/fixtures.ts";
import type { Fault } from "./testing/faults.ts";
import { useFaulty } from "./testing/faulty.ts";
import { describeMongo } from "./testing/server.ts";

/** What goes wrong once, at an operation of a transaction or at its end. */
const passing: readonly (readonly [string, Fault])[] = [
  ["its connection breaks before", { drop: "before" }],
  ["its connection breaks after", { drop: "after" }],
  ["NotWritablePrimary", { error: "NotWritablePrimary" }],
  ["InterruptedDueToReplStateChange, done", { error: "InterruptedDueToReplStateChange", done: true }],
  ["ShutdownInProgress", { error: "ShutdownInProgress" }],
  ["HostUnreachable, done", { error: "HostUnreachable", done: true }],
];

describeMongo("A transaction is done once or not at all", () => {
  const faulty = useFaulty();

  let moves = 0;

  /** Moves one from a to b; answers how often that ran. */
  async function move(): Promise<number> {
    let runs = 0;
    moves += 1;
    await faulty.store.transaction(async (transaction) => {
      runs += 1;
      const people = transaction.collection("app.people");
      for (const [id, by] of [
        ["a", -1],
        ["b", 1],
      ] as const) {
        const { version = 0, text = "{}" } = (await people.get(id, "live")) ?? {};
        const size = Number(JSON.parse(text).size) + by;
        expect(await people.replace(version, written(id, { size }, { version: version + 1 }))).toBe(true);
      }
      await people.insert(written(`move${moves}`, {}));
    });
    return runs;
  }

  async function expectMoved(times: number): Promise<void> {
    const sizes = await Promise.all(["a", "b"].map((id) => faulty.people.get(id, "live")));
    expect(sizes.map((one) => bodyOf(one)["size"])).toEqual([10 - times, times]);
    expect(await faulty.people.count(TRUE, "all")).toBe(2 + times);
  }

  async function fill(): Promise<void> {
    for (const [id, size] of Object.entries({ a: 10, b: 0 }))
      await faulty.people.insert(written(id, { size }));
  }

  test.each(passing)("an operation: %s", async (_, fault) => {
    await fill();
    for (const name of ["find", "update", "insert"]) {
      const injected = faulty.proxy.inject(name, fault);
      expect(await move()).toBe(2);
      expect(injected.struck).toBe(1);
    }
    await expectMoved(3);
  });

  test.each(passing)("the commit: %s", async (_, fault) => {
    await fill();
    const injected = faulty.proxy.inject("commitTransaction", fault);
    expect(await move()).toBe(1);
    expect(injected.struck).toBe(1);
    await expectMoved(1);
  });

  test.each(["before", "after"] as const)(
    "the commit, many times: the connection breaks %s",
    async (drop) => {
      await fill();
      const injected = faulty.proxy.inject("commitTransaction", { drop }, 5);
      expect(await move()).toBe(1);
      expect(injected.struck).toBe(5);
      await expectMoved(1);
    },
  );

  test.each(["WriteConcernFailed", "PrimarySteppedDown"] as const)(
    "a commit that is not confirmed at first: %s",
    async (writeConcern) => {
      await fill();
      const injected = faulty.proxy.inject("commitTransaction", { writeConcern }, 3);
      expect(await move()).toBe(1);
      expect(injected.struck).toBe(3);
      await expectMoved(1);
    },
  );

  test("a commit that finds its transaction gone: it runs again", async () => {
    await fill();
    faulty.proxy.inject("commitTransaction", { error: "NoSuchTransaction" });
    expect(await move()).toBe(2);
    await expectMoved(1);
  });

  test("an election in its middle", async () => {
    const { proxy, store, people } = faulty;
    let runs = 0;
    const done = store.transaction(async (transaction) => {
      runs += 1;
      await transaction.collection("app.people").insert(written("a", {}));
      if (runs > 1) return;
      await proxy.stepDown();
      proxy.elect();
      await transaction.collection("app.people").insert(written("b", {}));
    });
    await done;
    expect(runs).toBe(2);
    expect(await people.count(TRUE, "all")).toBe(1);
  });

  test("conflicts again and again: TransactionConflict, and nothing is written", async () => {
    await fill();
    const conflict = faulty.proxy.inject("update", { error: "WriteConflict" }, Number.POSITIVE_INFINITY);
    expect(await failureOf(move())).toBeInstanceOf(TransactionConflict);
    expect(conflict.struck).toBeGreaterThan(2);
    conflict.end();
    await expectMoved(0);
    await move();
    await expectMoved(1);
  });

  test("too large for the server's cache: DocumentTooLarge at once, and nothing is written", async () => {
    const { store, people, proxy } = faulty;
    const injected = proxy.inject("insert", { error: "TransactionTooLargeForCache" }, 9);
    let runs = 0;
    const work = store.transaction(async (transaction) => {
      runs += 1;
      await transaction.collection("app.people").insert(written("large", {}));
    });
    expect(await failureOf(work)).toEqual(new DocumentTooLarge("transaction"));
    expect([runs, injected.struck]).toEqual([1, 1]);
    injected.end();
    expect(await people.count(TRUE, "all")).toBe(0);
  });

  test("what lasts: StoreUnavailable, and nothing is written", async () => {
    await fill();
    const lasting = faulty.proxy.inject("update", { error: "NotWritablePrimary" }, Number.POSITIVE_INFINITY);
    expect(await failureOf(move())).toBeInstanceOf(StoreUnavailable);
    lasting.end();
    await expectMoved(0);
  });

  test("a commit that nobody confirms: StoreUnavailable, and it is there or not as a whole", async () => {
    await fill();
    const lasting = faulty.proxy.inject("commitTransaction", { drop: "after" }, Number.POSITIVE_INFINITY);
    expect(await failureOf(move())).toBeInstanceOf(StoreUnavailable);
    lasting.end();
    await expectMoved(1);
  });

  test("what its work throws is thrown as it is, also when the transaction cannot be given up properly", async () => {
    const { proxy, store, people } = faulty;
    proxy.inject("abortTransaction", { drop: "after" }, 2);
    const thrown = new Error("stop");
    const failure = failureOf(
      store.transaction(async (transaction) => {
        await transaction.collection("app.people").insert(written("a", {}));
        throw thrown;
      }),
    );
    expect(await failure).toBe(thrown);
    expect(await people.get("a", "all")).toBeUndefined();
  });

  test("a duplicate is told after a first attempt that failed", async () => {
    const { proxy, store, people } = faulty;
    await people.insert(written("a", {}));
    proxy.inject("insert", { error: "HostUnreachable" });
    const failure = failureOf(
      store.transaction((transaction) => transaction.collection("app.people").insert(written("a", {}))),
    );
    expect(await failure).toBeInstanceOf(DuplicateId);
  });
});

describeMongo("A lease", () => {
  const faulty = useFaulty();

  test.each(passing)("is taken once: %s", async (_, fault) => {
    const { proxy, store } = faulty;
    const injected = proxy.inject("update", fault);
    const lease = await store.lease("job", 60_000);
    expect(injected.struck).toBe(1);
    expect(lease).toBeDefined();
    expect(await store.lease("job", 60_000)).toBeUndefined();
    proxy.inject("update", fault);
    expect(await lease?.renew()).toBe(true);
    proxy.inject("delete", fault);
    await lease?.release();
    expect(await store.lease("job", 60_000)).toBeDefined();
  });
});
