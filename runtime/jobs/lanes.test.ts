import { describe, expect, test, vi } from "vitest";
import { until } from "../testing/until.ts";
import { JobFailure } from "./kind.ts";
import { laneCollection } from "./lanes.ts";
import { cancelJob, type NewJob, retryJob } from "./queue.ts";
import { counting, kind, minute, nothing, type StepOf, waiting, workshop } from "./testing/workshop.ts";

const shop = workshop();
const { queue, job, statuses, run, worker } = shop;

describe("limits", () => {
  test("of a kind bound the steps that a worker does at once, and hold up no other kind", async () => {
    const slow = waiting();
    const ids: string[] = [];
    for (const target of ["a", "b", "c", "d", "e"]) ids.push(await queue({}, { target }));
    const quick = await queue({}, { kind: "quick" });
    const one = worker(kind(slow.step, { limit: 2 }), kind(nothing, { name: "quick", limit: 1 }));
    one.wake();
    await until(async () => expect((await job(quick)).status).toBe("succeeded"));
    expect(slow.begun).toEqual(["a", "b"]);
    slow.end("b");
    await until(() => expect(slow.begun).toEqual(["a", "b", "c"]));
    slow.end("a");
    slow.end("c");
    await until(() => expect(slow.begun).toHaveLength(5));
    slow.end("d");
    slow.end("e");
    await one.idle();
    expect(new Set(await statuses(ids))).toEqual(new Set(["succeeded"]));
  });
});

describe("a lane", () => {
  const laneOf = (lane: string, target: string, more: Partial<NewJob> = {}) =>
    queue({ n: 0, to: 1 }, { lane, target, ...more });
  const noLanes = async () =>
    expect(await shop.store.collection(laneCollection).count({ op: "true" }, "all")).toBe(0);

  test("is gone through in the order in which its jobs were queued, one at a time, whatever others do", async () => {
    const steps: string[] = [];
    for (const target of ["a1", "a2", "a3"]) await laneOf("a", target);
    for (const target of ["b1", "b2"]) await laneOf("b", target);
    const step: StepOf = (realm, job, hold) => {
      steps.push(job.target);
      return counting(realm, job, hold);
    };
    await run(step);
    const of = (lane: string) => steps.filter((target) => target.startsWith(lane));
    expect(of("a")).toEqual(["a1", "a1", "a2", "a2", "a3", "a3"]);
    expect(of("b")).toEqual(["b1", "b1", "b2", "b2"]);
    await noLanes();
  });

  test("holds back what comes after a job that is tried again, and nobody else", async () => {
    const first = await laneOf("a", "first");
    const second = await laneOf("a", "second");
    const other = await laneOf("b", "other");
    const failing: StepOf = async (_, { target }) => {
      if (target === "first") throw new Error("not yet");
      return {};
    };
    await run(failing);
    expect(await statuses([first, second, other])).toEqual(["queued", "queued", "succeeded"]);
    shop.clock.advance(minute);
    await run(nothing);
    expect(await statuses([first, second])).toEqual(["succeeded", "succeeded"]);
    await noLanes();
  });

  test("goes on after a job that failed for good; retried, it comes last", async () => {
    const order: string[] = [];
    const first = await laneOf("a", "first");
    await laneOf("a", "second");
    let fails = true;
    const step: StepOf = async (_, { target }) => {
      order.push(target);
      if (target === "first" && fails) throw new JobFailure("never");
      return {};
    };
    await run(step);
    expect(order).toEqual(["first", "second"]);
    fails = false;
    await laneOf("a", "third", { delay: minute });
    await retryJob(shop.realm, first);
    await run(step);
    expect(order).toEqual(["first", "second"]);
    shop.clock.advance(minute);
    await run(step);
    expect(order).toEqual(["first", "second", "third", "first"]);
    await noLanes();
  });

  test("is left by its last job in the transaction that finishes all who end about the same time", async () => {
    const slow = waiting();
    const targets = ["a", "b", "c"];
    const ids = [];
    for (const target of targets) ids.push(await laneOf(target, target));
    const one = worker(kind(slow.step));
    one.wake();
    await until(() => expect(slow.begun).toEqual(targets));
    const transaction = vi.spyOn(shop.store, "transaction");
    for (const target of targets) slow.end(target);
    await one.idle();
    expect(transaction).toHaveBeenCalledTimes(1);
    transaction.mockRestore();
    expect(new Set(await statuses(ids))).toEqual(new Set(["succeeded"]));
    await noLanes();
  });

  test("takes what is queued while its first job is done, and passes over what was cancelled", async () => {
    const first = waiting();
    const running = await laneOf("a", "first");
    const one = worker(kind(first.step));
    one.wake();
    await until(() => expect(first.begun).toEqual(["first"]));
    const [second, third, fourth] = [await laneOf("a", "2"), await laneOf("a", "3"), await laneOf("a", "4")];
    await cancelJob(shop.realm, second);
    await cancelJob(shop.realm, third);
    first.end("first");
    await until(() => expect(first.begun).toEqual(["first", "4"]));
    first.end("4");
    await one.idle();
    expect(await statuses([running, second, third, fourth])).toEqual([
      "succeeded",
      "cancelled",
      "cancelled",
      "succeeded",
    ]);
    await noLanes();
  });

  test("ends with what was cancelled, and begins anew", async () => {
    const first = await laneOf("a", "first");
    const last = await laneOf("a", "last");
    await cancelJob(shop.realm, last);
    await cancelJob(shop.realm, first);
    await noLanes();
    const next = await laneOf("a", "next");
    await run(counting);
    expect(await statuses([first, last, next])).toEqual(["cancelled", "cancelled", "succeeded"]);
    await noLanes();
  });
});
