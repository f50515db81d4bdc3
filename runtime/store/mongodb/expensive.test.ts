import { describe, expect, test } from "vitest";
import { eq, TRUE, text } from "../../filter/algebra.ts";
import { createMetrics } from "../../http/metrics.ts";
import { until } from "../../testing/until.ts";
import type { Aggregate } from "../contract/aggregate.ts";
import type { StoreCollection } from "../contract/collection.ts";
import { StoreBusy } from "../contract/errors.ts";
import { failureOf, fields, idsOf, written } from "../testing/suite/fixtures.ts";
import { useFaulty } from "./testing/faulty.ts";
import { describeMongo } from "./testing/server.ts";

const page = { filter: TRUE, visibility: "live", limit: 10, skip: 0 } as const;
const everybody: Aggregate = {
  ...page,
  groupBy: [],
  metrics: [{ op: "count" }],
  order: [],
};

/** One of each kind. */
const expensive: Record<string, (people: StoreCollection) => Promise<unknown>> = {
  "no index": (people) => people.find({ ...page, filter: eq(fields.flag, true) }),
  $icontains: (people) => people.find({ ...page, filter: text("contains", fields.name, "X", true) }),
  skip: (people) => people.find({ ...page, skip: 100_000 }),
  count: (people) => people.count(TRUE, "live"),
  aggregation: (people) => people.aggregate(everybody),
};

describeMongo("Expensive queries", () => {
  // A quarter of the connections is one.
  const faulty = useFaulty("&maxPoolSize=7&minPoolSize=0", 20_000);

  /** One of them keeps the only turn until it is let go. */
  const held = async () => {
    let release = (): void => undefined;
    const hold = new Promise<void>((go) => {
      release = go;
    });
    const injected = faulty.proxy.inject("find", { hold });
    const running = expensive["no index"]?.(faulty.people);
    await injected.met;
    return { running, release };
  };

  describe("take turns below the pool:", () => {
    test.each(Object.keys(expensive))("%s waits, gets and writes do not", async (kind) => {
      const { people, proxy } = faulty;
      await people.insert(written("a", { name: "x" }));
      const { running, release } = await held();
      const before = proxy.commands.length;
      const waiting = Array.from({ length: 16 }, () => expensive[kind]?.(people));
      // Beyond those that may wait.
      expect(await failureOf(Promise.resolve(expensive[kind]?.(people)))).toBeInstanceOf(StoreBusy);
      const metrics = (await (await createMetrics(faulty.figures)).text()).split("\n");
      expect(metrics).toContain("svc_store_expensive_running 1");
      expect(metrics).toContain("svc_store_expensive_waiting 16");
      expect(proxy.commands).toHaveLength(before);
      expect((await people.get("a", "live"))?.id).toBe("a");
      expect(idsOf(await people.find(page))).toEqual(["a"]);
      expect(idsOf(await people.find({ ...page, filter: eq(fields.name, "x") }))).toEqual(["a"]);
      await people.insert(written("b", { name: "y" }));
      expect(await people.count(eq(fields.id, "b"), "live")).toBe(1);
      release();
      await Promise.all([running, ...waiting]);
      await until(() => expect(faulty.figures()).toMatchObject({ expensive: 0, expensiveWaiting: 0 }));
    });
  });
});

describeMongo("An expensive query that finds no turn in the time of a query", () => {
  const faulty = useFaulty("&maxPoolSize=2&minPoolSize=0", 1_000);

  test("is StoreBusy, as one that finds no connection", async () => {
    const { people, proxy } = faulty;
    let release = (): void => undefined;
    const hold = new Promise<void>((go) => {
      release = go;
    });
    const injected = proxy.inject("aggregate", { hold });
    const running = people.count(TRUE, "live");
    await injected.met;
    for (const failure of await Promise.all(Object.values(expensive).map((one) => failureOf(one(people)))))
      expect(failure).toBeInstanceOf(StoreBusy);
    release();
    expect(await running).toBe(0);
  });
});
