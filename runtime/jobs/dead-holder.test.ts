import { expect, test } from "vitest";
import { describeMongo } from "../store/mongodb/testing/server.ts";
import { until } from "../testing/until.ts";
import { jobCollection, readJob, writeJob } from "./records.ts";
import { kind, waiting, workshop } from "./testing/workshop.ts";
import { lookEvery } from "./worker.ts";

describeMongo("While a process that has died holds a job that it claimed, or finished", () => {
  const shop = workshop();

  /** Writes a job in a transaction that ends, with nothing, when what it answers is called. */
  async function hold(id: string): Promise<() => Promise<void>> {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let over: Promise<unknown> = Promise.resolve();
    await new Promise<void>((held) => {
      over = shop.store
        .transaction(async (transaction) => {
          const jobs = transaction.collection(jobCollection);
          const found = await jobs.get(id, "live");
          if (found === undefined) throw new Error("there is no such job");
          const { record, version } = readJob(found);
          await jobs.replace(version, writeJob(record, version + 1));
          held();
          await released;
          throw new Error("it never ends");
        })
        .catch(() => undefined);
    });
    return async () => {
      release();
      await over;
    };
  }

  test("all others are done, and that one once it is free", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push(await shop.queue({}, { target: `org:${n}` }));
    const [first = "", ...others] = ids;
    const release = await hold(first);
    const worker = shop.worker(kind(async () => ({}), { limit: 10 }));
    worker.wake();
    await worker.idle();
    expect(new Set(await shop.statuses(others))).toEqual(new Set(["succeeded"]));
    expect(await shop.statuses([first])).toEqual(["queued"]);
    const later = await shop.queue({}, { target: "org:later" });
    worker.wake();
    await worker.idle();
    expect(await shop.statuses([first, later])).toEqual(["queued", "succeeded"]);
    await release();
    shop.clock.advance(lookEvery);
    shop.clock.advance(lookEvery);
    worker.wake();
    await worker.idle();
    expect(await shop.statuses([first])).toEqual(["succeeded"]);
    expect(shop.errors).toEqual([]);
  });

  test("claims of others are renewed, and its own is lost when its time is over", async () => {
    const [held, free] = [
      await shop.queue({}, { target: "org:held" }),
      await shop.queue({}, { target: "org:free" }),
    ];
    const steps = waiting();
    const worker = shop.worker(kind(steps.step, { limit: 10 }));
    worker.wake();
    await until(() => expect(steps.begun).toHaveLength(2));
    const due = (await shop.job(free)).due_at;
    const release = await hold(held);
    shop.clock.advance(lookEvery);
    worker.tick();
    await until(async () => expect((await shop.job(free)).due_at).not.toBe(due));
    await release();
    steps.end("org:held", {});
    steps.end("org:free", {});
    await worker.idle();
    expect(new Set(await shop.statuses([held, free]))).toEqual(new Set(["succeeded"]));
  });
});
