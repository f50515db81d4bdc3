import { describe, expect, test } from "vitest";
import { until } from "../testing/until.ts";
import { kind, minute, nothing, waiting, workshop } from "./testing/workshop.ts";

const shop = workshop();
const { queue, job, statuses, worker } = shop;

describe("a standing job", () => {
  test("is one for all workers, and due again after each run, whatever came of it", async () => {
    const runs: number[] = [];
    const began = shop.clock.now();
    const standing = kind(
      async () => {
        runs.push(shop.clock.now() - began);
        if (runs.length === 2) throw new Error("once");
        return { result: { runs: runs.length } };
      },
      { name: "sweep", limit: 1, every: minute, backoff: [] },
    );
    const [one, other] = [worker(standing), worker(standing)];
    const round = async () => {
      one.tick();
      other.tick();
      await Promise.all([one.idle(), other.idle()]);
    };
    await round();
    expect(await job("sweep")).toMatchObject({ status: "queued", target: "realm", result: { runs: 1 } });
    await round();
    shop.clock.advance(minute);
    await round();
    expect(await job("sweep")).toMatchObject({ status: "queued", error: expect.any(String) });
    shop.clock.advance(minute);
    await round();
    expect(runs).toEqual([0, minute, 2 * minute]);
    expect(await job("sweep")).toMatchObject({ status: "queued", error: null, finished_at: null });
  });
});

describe("a worker that stops", () => {
  test("begins nothing more, and waits for what is under way", async () => {
    const ids = [await queue({}, { target: "a" }), await queue({}, { target: "b" })];
    const slow = waiting();
    const one = worker(kind(slow.step, { limit: 1 }));
    one.wake();
    await until(() => expect(slow.begun).toEqual(["a"]));
    const stopped = one.stop(minute);
    slow.end("a");
    await stopped;
    expect(await statuses(ids)).toEqual(["succeeded", "queued"]);
  });

  test("does what is due yet of kinds that drain", async () => {
    const ids = [await queue(), await queue(), await queue({}, { kind: "other" })];
    const one = worker(kind(nothing, { limit: 1, drains: true }), kind(nothing, { name: "other" }));
    await one.stop(minute);
    expect(await statuses(ids)).toEqual(["succeeded", "succeeded", "queued"]);
  });
});
