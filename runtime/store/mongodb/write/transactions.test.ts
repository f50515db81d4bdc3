import { beforeEach, expect, test } from "vitest";
import { TRUE } from "../../../filter/algebra.ts";
import { DuplicateId, TransactionConflict } from "../../contract/errors.ts";
import { bodyOf, failureOf, written } from "../../testing/suite/fixtures.ts";
import { useFaulty } from "../testing/faulty.ts";
import { describeMongo } from "../testing/server.ts";

describeMongo("Transactions", () => {
  const faulty = useFaulty();
  beforeEach(() => faulty.people.insert(written("a", { size: 0 })));

  test("work runs again from its beginning when another write came in between", async () => {
    const seen: unknown[] = [];
    const answer = await faulty.store.transaction(async (transaction) => {
      const own = transaction.collection("app.people");
      const { version = 0, ...document } = (await own.get("a", "live")) ?? {};
      seen.push(bodyOf(await own.get("a", "live"))["size"]);
      if (seen.length === 1) await faulty.people.replace(1, written("a", { size: 7 }, { version: 2 }));
      await own.insert(written("b", { size: seen.length }));
      return own.replace(
        version,
        written("a", { size: 8, was: Object.keys(document).length }, { version: version + 1 }),
      );
    });
    expect(answer).toBe(true);
    expect(seen).toEqual([0, 7]);
    expect(await faulty.people.get("a", "live")).toMatchObject({ version: 3 });
    expect(bodyOf(await faulty.people.get("b", "live"))["size"]).toBe(2);
  });

  test("after the last attempt nothing of it is there", async () => {
    let version = 1;
    const work = faulty.store.transaction(async (transaction) => {
      const own = transaction.collection("app.people");
      await own.insert(written("b", {}));
      await faulty.people.replace(version, written("a", {}, { version: ++version }));
      await own.replace(version - 1, written("a", {}, { version }));
    });
    expect(await failureOf(work)).toBeInstanceOf(TransactionConflict);
    expect(version).toBeGreaterThan(3);
    expect(await faulty.people.get("b", "all")).toBeUndefined();
  });

  test("a failure that the work passes over ends it all the same", async () => {
    const failures: unknown[] = [];
    const work = faulty.store.transaction(async (transaction) => {
      const own = transaction.collection("app.people");
      await own.insert(written("b", {}));
      failures.push(await failureOf(own.insert(written("a", {}))));
      failures.push(await failureOf(own.insert(written("c", {}))));
      failures.push(await failureOf(own.get("a", "live")));
    });
    expect(await failureOf(work)).toBeInstanceOf(DuplicateId);
    expect(failures).toEqual([
      new DuplicateId("a"),
      new Error("the transaction can only be given up"),
      new Error("the transaction can only be given up"),
    ]);
    expect(await faulty.people.count(TRUE, "all")).toBe(1);
  });

  test("operations sent at once run one after another", async () => {
    await faulty.store.transaction(async (transaction) => {
      const own = transaction.collection("app.people");
      const [, read, replaced] = await Promise.all([
        own.insert(written("b", { size: 1 })),
        own.get("b", "live"),
        own.replace(1, written("b", { size: 2 }, { version: 2 })),
      ]);
      expect(bodyOf(read)["size"]).toBe(1);
      expect(replaced).toBe(true);
    });
    expect(bodyOf(await faulty.people.get("b", "live"))["size"]).toBe(2);
  });

  test("one that nobody waits for is done before the end, or not at all", async () => {
    const left: Promise<unknown>[] = [];
    await faulty.store.transaction(async (transaction) => {
      left.push(transaction.collection("app.people").insert(written("b", {})));
    });
    expect(await Promise.all(left)).toEqual([undefined]);
    expect(await faulty.people.get("b", "live")).toBeDefined();
  });

  test("one that only reads, and one that does nothing", async () => {
    expect(await faulty.store.transaction(async () => 1)).toBe(1);
    const read = faulty.store.transaction((transaction) =>
      transaction.collection("app.people").get("a", "live"),
    );
    expect(await read).toMatchObject({ id: "a" });
  });
});
