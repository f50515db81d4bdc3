import { describe, expect, test, vi } from "vitest";
import { timestamp } from "../clock.ts";
import { Outdated } from "../retry.ts";
import { StoreUnavailable } from "../store/contract/errors.ts";
import { JobFailure } from "./kind.ts";
import { findJob, queueJob, retryJob } from "./queue.ts";
import { counting, kind, minute, nothing, type StepOf, workshop } from "./testing/workshop.ts";

const shop = workshop();
const { queue, job, statuses, run, worker } = shop;

describe("a step that fails", () => {
  const breaking: StepOf = async () => {
    throw new Error("secret content");
  };

  test("is tried three times in all, later each time; what it says is not shown", async () => {
    const id = await queue();
    const tries: number[] = [];
    const work: StepOf = (...given) => {
      tries.push(shop.clock.now());
      return breaking(...given);
    };
    const began = shop.clock.now();
    await run(work);
    expect(await job(id)).toMatchObject({ status: "queued", attempts: 1 });
    for (let passed = 0; passed < 10; passed += 1) {
      shop.clock.advance(minute);
      await run(work);
    }
    expect(tries.map((at) => at - began)).toEqual([0, minute, 3 * minute]);
    const failed = await job(id);
    expect(failed).toMatchObject({ status: "failed", result: null, error: expect.any(String) });
    expect(failed.finished_at).toBe(timestamp(began + 3 * minute));
    expect(failed.error).not.toContain("secret");
    expect(shop.errors).toHaveLength(3);
  });

  test("is tried as often, and as late, as its kind says", async () => {
    const id = await queue();
    const began = shop.clock.now();
    const tries: number[] = [];
    const work = kind(
      async (...given) => {
        tries.push(shop.clock.now() - began);
        return breaking(...given);
      },
      { backoff: [1_000] },
    );
    for (let passed = 0; passed < 5; passed += 1) {
      await run(work);
      shop.clock.advance(1_000);
    }
    expect([tries, (await job(id)).status]).toEqual([[0, 1_000], "failed"]);
  });

  test("has its attempts anew after a step that succeeded", async () => {
    const id = await queue({ n: 0, to: 4 });
    let calls = 0;
    const work: StepOf = (...given) => {
      calls += 1;
      return calls % 3 === 0 ? counting(...given) : breaking(...given);
    };
    for (let passed = 0; passed < 30; passed += 1) {
      await run(work);
      shop.clock.advance(minute);
    }
    expect(await job(id)).toMatchObject({ status: "succeeded", result: { counted: 4 } });
  });

  test("ends the job at once where it cannot be done ever, and lets it say so", async () => {
    const id = await queue();
    const said: string[] = [];
    const step: StepOf = async () => {
      throw new JobFailure("The collection is gone.");
    };
    await run(kind(step, { failed: async (_, { id }) => void said.push(id) }));
    expect(await job(id)).toMatchObject({ status: "failed", error: "The collection is gone." });
    expect(said).toEqual([id]);
  });

  test("writes nothing, neither of the step nor of the job", async () => {
    const id = await queue();
    await run(async () => async (transaction) => {
      await queueJob(shop.realm, transaction, {
        id: "other",
        kind: "other",
        target: "x",
        state: {},
        by: "x",
      });
      throw new Error("broken");
    });
    expect(await findJob(shop.store, "other")).toBeUndefined();
    expect(await job(id)).toMatchObject({ status: "queued", attempts: 1 });
  });

  test("is no failure where the shop.store is away or somebody else came in between", async () => {
    const id = await queue({ n: 0, to: 0 });
    await run(async () => {
      throw new StoreUnavailable(new Error("gone"));
    });
    expect(await job(id)).toMatchObject({ status: "running", attempts: 0 });
    shop.clock.advance(1_000);
    let lost = 0;
    await run((...given) => {
      lost += 1;
      if (lost === 1) throw new Outdated();
      return counting(...given);
    });
    expect(lost).toBe(2);
    expect(await job(id)).toMatchObject({ status: "succeeded", attempts: 0 });
  });

  test("of a job that has succeeded leaves it so", async () => {
    const id = await queue();
    let broken = false;
    const work: StepOf = (...given) => {
      if (broken) return breaking(...given);
      broken = true;
      return Promise.resolve(async () => ({ result: { done: 1 }, state: {}, pause: minute }));
    };
    for (let passed = 0; passed < 10; passed += 1) {
      await run(work);
      shop.clock.advance(minute);
    }
    expect(await job(id)).toMatchObject({
      status: "succeeded",
      result: { done: 1 },
      due_at: null,
      error: null,
    });
  });
});

test("a shop.store that fails is told, and the next look goes on", async () => {
  const id = await queue();
  const now = vi.spyOn(shop.store, "now").mockRejectedValueOnce(new StoreUnavailable(new Error("away")));
  const one = worker(kind(nothing));
  one.wake();
  await one.idle();
  expect([shop.errors.length, (await job(id)).status]).toEqual([1, "queued"]);
  now.mockRestore();
  one.tick();
  await one.idle();
  expect(await statuses([id])).toEqual(["succeeded"]);
});

test("a job that failed goes on where it was when it is to be tried again; others do not", async () => {
  const id = await queue({ n: 0, to: 2 });
  let left = 1;
  await run((...given) => {
    if (left-- <= 0) throw new JobFailure("not now");
    return counting(...given);
  });
  expect(await job(id)).toMatchObject({ status: "failed", error: "not now" });
  expect(await retryJob(shop.realm, id)).toMatchObject({ status: "queued" });
  expect(await job(id)).toMatchObject({ status: "queued", error: null, finished_at: null });
  await run(counting);
  expect(await job(id)).toMatchObject({ status: "succeeded", result: { counted: 2 } });
  expect(await retryJob(shop.realm, id)).toBeUndefined();
  expect(await retryJob(shop.realm, "none")).toBeUndefined();
});
