import { describe, expect, test, vi } from "vitest";
import { Outdated } from "../retry.ts";
import { until } from "../testing/until.ts";
import { claimTime, together } from "./claims.ts";
import { findJob, queueJob } from "./queue.ts";
import { kind, nothing, type StepOf, waiting, workshop } from "./testing/workshop.ts";
import { lookEvery } from "./worker.ts";

const shop = workshop();
const { queue, job, statuses, run, worker } = shop;

describe("a claim", () => {
  test("is of one worker at a time: each step is done once, however many there are", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 60; n += 1) ids.push(await queue({}, { target: `org:${n}` }));
    const begun: string[] = [];
    const step: StepOf = async (_, { target }) => {
      begun.push(target);
      return {};
    };
    const several = [1, 2, 3, 4].map(() => worker(kind(step, { limit: 5 })));
    for (const one of several) one.wake();
    await Promise.all(several.map((one) => one.idle()));
    expect(new Set(await statuses(ids))).toEqual(new Set(["succeeded"]));
    expect(begun.length).toBe(60);
    expect(new Set(begun).size).toBe(60);
  });

  test("is taken, and jobs are finished, a hundred at a time: those that end together make room together", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 3 * together; n += 1) ids.push(await queue());
    const transactions = vi.spyOn(shop.store, "transaction");
    await run(kind(nothing, { limit: together }));
    expect(new Set(await statuses(ids))).toEqual(new Set(["succeeded"]));
    expect(transactions).toHaveBeenCalledTimes(2 * 3);
  });

  test("of a worker that says nothing any more ends: another one takes over, and the first one writes nothing", async () => {
    const id = await queue();
    const first = waiting();
    const lost = worker(kind(first.step));
    lost.wake();
    await until(() => expect(first.begun).toHaveLength(1));
    const other = worker(kind(async () => async () => ({ result: { by: "other" } })));
    shop.clock.advance(claimTime - 1);
    other.wake();
    await other.idle();
    expect(await job(id)).toMatchObject({ status: "running", token: 1 });
    shop.clock.advance(1);
    other.wake();
    await other.idle();
    expect(await job(id)).toMatchObject({ status: "succeeded", token: 2, result: { by: "other" } });
    first.end("org:a", { result: { by: "first" } });
    await lost.idle();
    expect(await job(id)).toMatchObject({ status: "succeeded", result: { by: "other" } });
    expect(shop.errors).toEqual([]);
  });

  test("fences off the writes of a step, not only the job's", async () => {
    const id = await queue();
    let go: () => void = () => undefined;
    const let_go = new Promise<void>((resolve) => {
      go = resolve;
    });
    let begun = 0;
    const slow = worker(
      kind(async () => {
        begun += 1;
        await let_go;
        return async (transaction) => {
          await queueJob(shop.realm, transaction, {
            id: "written",
            kind: "other",
            target: "x",
            state: {},
            by: "x",
          });
          return {};
        };
      }),
    );
    slow.wake();
    await until(() => expect(begun).toBe(1));
    shop.clock.advance(claimTime);
    const second = waiting();
    const other = worker(kind(second.step));
    other.wake();
    await until(() => expect(second.begun).toHaveLength(1));
    go();
    await slow.idle();
    expect(await findJob(shop.store, "written")).toBeUndefined();
    expect(await job(id)).toMatchObject({ status: "running", token: 2 });
    second.end("org:a");
    await other.idle();
    expect(await job(id)).toMatchObject({ status: "succeeded" });
  });

  test("is renewed for as long as its step takes", async () => {
    const id = await queue();
    const long = waiting();
    const one = worker(kind(long.step));
    one.wake();
    await until(() => expect(long.begun).toHaveLength(1));
    const due = async () => Date.parse((await job(id)).due_at ?? "");
    for (let passed = 0; passed < 12; passed += 1) {
      shop.clock.advance(lookEvery);
      one.tick();
      await until(async () => expect(await due()).toBe(shop.clock.now() + claimTime));
    }
    const other = worker(kind(nothing));
    other.wake();
    await other.idle();
    expect(await job(id)).toMatchObject({ status: "running", token: 1 });
    long.end("org:a", { result: { done: true } });
    await one.idle();
    expect(await job(id)).toMatchObject({ status: "succeeded", result: { done: true } });
  });

  test("that was lost is told to the step at the next renewal", async () => {
    await queue();
    const long = waiting();
    const one = worker(kind(long.step));
    one.wake();
    await until(() => expect(long.begun).toHaveLength(1));
    shop.clock.advance(claimTime);
    const other = worker(kind(nothing));
    other.wake();
    await other.idle();
    expect(long.signals.get("org:a")?.aborted).toBe(false);
    one.tick();
    await until(() => expect(long.signals.get("org:a")?.aborted).toBe(true));
    long.end("org:a");
  });

  test("is given back when the worker stops before the step was done", async () => {
    const id = await queue();
    const long: StepOf = (_, __, { signal }) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Outdated())));
    const one = worker(kind(long));
    one.wake();
    await until(async () => expect((await job(id)).status).toBe("running"));
    await one.stop(0);
    await run(nothing);
    expect(await job(id)).toMatchObject({ status: "succeeded", attempts: 0 });
  });
});
