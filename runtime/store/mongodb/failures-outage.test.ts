import { expect, test } from "vitest";
import { TRUE } from "../../filter/algebra.ts";
import { StoreBusy, StoreUnavailable } from "../contract/errors.ts";
import { failureOf, idsOf, written } from "../testing/suite/fixtures.ts";
import { useFaulty } from "./testing/faulty.ts";
import { describeMongo } from "./testing/server.ts";

const everything = { filter: TRUE, visibility: "live", limit: 100, skip: 0 } as const;

/** Tries again as long as the store is unavailable. */
async function firstSuccess(work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      expect(error).toBeInstanceOf(StoreUnavailable);
    }
  }
}

describeMongo("A server that is gone", () => {
  const faulty = useFaulty();

  test("is told, and found again when it is back, with all that was acknowledged", async () => {
    const { proxy, store, people } = faulty;
    await people.insert(written("a", {}));
    await proxy.vanish();
    const failures = await Promise.all([
      failureOf(people.insert(written("b", {}))),
      failureOf(people.find(everything)),
      failureOf(
        store.transaction((transaction) => transaction.collection("app.people").insert(written("b", {}))),
      ),
      failureOf(store.lease("job", 1_000)),
      failureOf(store.health()),
      failureOf(store.provision([])),
    ]);
    for (const failure of failures) expect(failure).toBeInstanceOf(StoreUnavailable);
    await proxy.appear();
    await people.insert(written("c", {}));
    expect(idsOf(await people.find(everything))).toEqual(["a", "c"]);
    await store.health();
  });

  test("without a word is found out", async () => {
    const { proxy, people } = faulty;
    await people.insert(written("a", {}));
    proxy.mute();
    expect(await failureOf(people.find(everything))).toBeInstanceOf(StoreUnavailable);
    proxy.unmute();
    // What the monitor has asked of the silent network it waits for, five seconds at most.
    await firstSuccess(() => people.find(everything));
    expect(idsOf(await people.find(everything))).toEqual(["a"]);
  });
});

// Of one connection: the driver tries once more, and of several dead ones it may take the next for that.
describeMongo("A server that is gone for a moment", () => {
  const faulty = useFaulty("&maxPoolSize=1&minPoolSize=0");

  test("that comes back while requests wait answers them", async () => {
    const { proxy, people } = faulty;
    await proxy.vanish();
    const work = Promise.all([people.insert(written("a", {})), people.find(everything)]);
    await proxy.appear();
    await work;
    expect(await people.get("a", "live")).toBeDefined();
  });
});

describeMongo("A pool of two connections", () => {
  const faulty = useFaulty("&maxPoolSize=2&minPoolSize=0");

  test("gives operations a connection for as long as they may wait, then StoreBusy", async () => {
    const { proxy, people } = faulty;
    await people.insert(written("a", {}));
    let release: () => void = () => undefined;
    const hold = new Promise<void>((resolve) => {
      release = resolve;
    });
    proxy.inject("find", { hold }, 2);
    const slow = [people.find(everything), people.find(everything)];
    const busy = await Promise.all([
      failureOf(people.insert(written("b", {}))),
      ...Array.from({ length: 200 }, () => failureOf(people.get("a", "live"))),
    ]);
    for (const failure of busy) expect(failure).toBeInstanceOf(StoreBusy);
    release();
    for (const found of await Promise.all(slow)) expect(idsOf(found)).toEqual(["a"]);
    expect(await people.get("b", "all")).toBeUndefined();
    await people.insert(written("b", {}));
  });
});
