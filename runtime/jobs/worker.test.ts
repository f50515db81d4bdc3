import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { systemClock, timestamp } from "../clock.ts";
import { silent } from "../http/testing/server.ts";
import { idGenerator } from "../ids.ts";
import { type HeldClock, heldClock } from "../instance/testing/servers.ts";
import { Outdated } from "../retry.ts";
import { StoreUnavailable } from "../store/contract/errors.ts";
import type { Store } from "../store/contract/store.ts";
import { testStore } from "../store/testing/stores.ts";
import { claimTime, together } from "./claims.ts";
import { trimHistory } from "./history.ts";
import { JobFailure, type JobKind, type JobRealm, type Progress } from "./kind.ts";
import { laneCollection, laneShape } from "./lanes.ts";
import { cancelJob, findJob, type NewJob, queueJob, retryJob } from "./queue.ts";
import { type JobRecord, jobCollection, jobShape, writeJob } from "./records.ts";
import { type GoOn, runJobs } from "./testing/run.ts";
import { JobWorker, lookEvery } from "./worker.ts";

const minute = 60_000;
const day = 24 * 60 * minute;

let clock: HeldClock;
let store: Store;
let realm: JobRealm;
/** Errors that were logged. */
let errors: object[];
let warnings: object[];
let workers: JobWorker[];
beforeEach(async () => {
  clock = heldClock();
  store = await testStore({ clock, collections: [jobShape, laneShape] });
  errors = [];
  warnings = [];
  workers = [];
  const definition = { name: "shop", origins: [], appConfig: {}, collections: [] };
  const log = {
    ...silent,
    error: (fields: object) => errors.push(fields),
    warn: (fields: object) => warnings.push(fields),
  };
  realm = { definition, store, clock, newId: idGenerator(clock), log };
});
afterEach(async () => {
  for (const worker of workers) await worker.stop(0);
  await store.close();
});

const queue = (state: object = {}, more: Partial<NewJob> = {}): Promise<string> =>
  store.transaction((transaction) =>
    queueJob(realm, transaction, { kind: "count", target: "org:a", state, by: "user:ada", ...more }),
  );
const job = async (id: string): Promise<JobRecord> => {
  const found = await findJob(store, id);
  if (found === undefined) throw new Error(`no job ${id}`);
  return found;
};
const statuses = async (ids: readonly string[]) =>
  (await Promise.all(ids.map(job))).map(({ status }) => status);

type StepOf = JobKind["step"];

function kind(step: StepOf, more: Partial<JobKind> = {}): JobKind {
  return { name: "count", limit: 20, step, ...more };
}

/** Does what is due, with this as the only work. */
const run = (step: StepOf | JobKind, goOn?: GoOn): Promise<void> =>
  runJobs(realm, [typeof step === "function" ? kind(step) : step], goOn);

/** A worker as an instance has one. */
function worker(...kinds: readonly JobKind[]): JobWorker {
  const made = new JobWorker(realm, kinds);
  workers.push(made);
  return made;
}

/** Counts to a number, a step for each. */
const counting: StepOf = async (_, { state }) => {
  const { n, to }: { n: number; to: number } = JSON.parse(state);
  return async () => (n < to ? { state: { n: n + 1, to } } : { result: { counted: n } });
};

const nothing: StepOf = async () => ({});

/** Steps that wait until they are let go, by the target of their job. */
function waiting() {
  const begun: string[] = [];
  const signals = new Map<string, AbortSignal>();
  const go = new Map<string, (progress: Progress) => void>();
  const step: StepOf = (_, { target }, { signal }) => {
    begun.push(target);
    signals.set(target, signal);
    return new Promise((resolve) => go.set(target, resolve));
  };
  const end = (target: string, progress: Progress = {}) => go.get(target)?.(progress);
  return { begun, signals, step, end };
}

describe("a job", () => {
  test("is done step by step until it has a result", async () => {
    const id = await queue({ n: 0, to: 3 });
    const now = timestamp(clock.now());
    expect(await job(id)).toMatchObject({
      status: "queued",
      created_at: now,
      started_at: null,
      result: null,
    });
    await run(counting);
    expect(await job(id)).toMatchObject({
      kind: "count",
      target: "org:a",
      created_by: "user:ada",
      status: "succeeded",
      started_at: now,
      finished_at: now,
      due_at: null,
      result: { counted: 3 },
      error: null,
    });
    expect(await job(id)).not.toHaveProperty("claimed_by");
  });

  test("goes on where it was when it was interrupted, in whichever process", async () => {
    const id = await queue({ n: 0, to: 5 });
    let left = 2;
    await run(counting, async () => left-- > 0);
    expect(await job(id)).toMatchObject({ status: "running", finished_at: null });
    expect(JSON.parse((await job(id)).state)).toEqual({ n: 2, to: 5 });
    await run(counting);
    expect(await job(id)).toMatchObject({ status: "succeeded", result: { counted: 5 } });
  });

  test("is not held up by another one: several are done at once", async () => {
    const turns: string[] = [];
    await queue({ n: 0, to: 2 }, { target: "org:a" });
    await queue({ n: 0, to: 2 }, { target: "org:b" });
    await run((realm, job, hold) => {
      turns.push(job.target);
      return counting(realm, job, hold);
    });
    expect(turns.slice(0, 2)).toEqual(["org:a", "org:b"]);
    expect(turns.toSorted()).toEqual(["org:a", "org:a", "org:a", "org:b", "org:b", "org:b"]);
  });

  test("pauses, also after its end", async () => {
    const id = await queue({ step: 1 });
    const after: Progress[] = [
      { state: { step: 2 }, pause: minute },
      { result: { done: true }, state: { step: 3 }, pause: 2 * minute },
      {},
    ];
    let steps = 0;
    const work: StepOf = async () => async () => after[steps++] ?? {};
    await run(work);
    expect([steps, (await job(id)).status]).toEqual([1, "running"]);
    clock.advance(minute);
    await run(work);
    const ended = timestamp(clock.now());
    expect([steps, (await job(id)).status]).toEqual([2, "succeeded"]);
    clock.advance(2 * minute - 1);
    await run(work);
    expect(steps).toBe(2);
    clock.advance(1);
    await run(work);
    expect(steps).toBe(3);
    expect(await job(id)).toMatchObject({ status: "succeeded", finished_at: ended, result: { done: true } });
  });

  test("is due when it is said to be", async () => {
    const id = await queue({}, { delay: minute });
    await run(nothing);
    expect(await job(id)).toMatchObject({ status: "queued" });
    clock.advance(minute);
    await run(nothing);
    expect(await job(id)).toMatchObject({ status: "succeeded" });
  });

  test("that comes due before the next look is not left to it", async () => {
    const own = await testStore({ clock: systemClock, collections: [jobShape, laneShape] });
    const inTime = { ...realm, store: own, clock: systemClock };
    const id = await own.transaction((transaction) =>
      queueJob(inTime, transaction, { kind: "count", target: "org:a", state: {}, by: "user:ada" }),
    );
    let tries = 0;
    const step: StepOf = async () => {
      tries += 1;
      if (tries < 3) throw new Error("not yet");
      return {};
    };
    const one = new JobWorker(inTime, [kind(step, { backoff: [1, 1] })]);
    one.wake();
    await vi.waitFor(async () => expect((await findJob(own, id))?.status).toBe("succeeded"));
    await one.stop(0);
    await own.close();
  });

  test("is forgotten 30 days after its end", async () => {
    const id = await queue({ n: 0, to: 0 });
    await run(counting);
    clock.advance(30 * day - 1);
    expect(await findJob(store, id)).toBeDefined();
    clock.advance(1);
    expect(await findJob(store, id)).toBeUndefined();
  });

  test("of a kind that keeps none leaves nothing, whatever came of it", async () => {
    const done = await queue();
    await run(kind(nothing, { kept: 0 }));
    const failed = await queue();
    await run(
      kind(
        async () => {
          throw new JobFailure("never");
        },
        { kept: 0 },
      ),
    );
    expect([await findJob(store, done), await findJob(store, failed)]).toEqual([undefined, undefined]);
  });

  test("beyond those that its kind keeps is forgotten, the oldest first; none that is not over", async () => {
    const one = kind(nothing, { kept: 3 });
    const ids: string[] = [];
    for (let n = 0; n < 6; n += 1) {
      ids.push(await queue());
      await run(one);
      clock.advance(1_000);
    }
    const open = await queue({}, { delay: day });
    const others = await queue({}, { kind: "other" });
    await run(kind(nothing, { name: "other" }));
    expect(await trimHistory(realm, [one], () => true)).toBe(3);
    const left = await Promise.all(ids.map((id) => findJob(store, id)));
    expect(left.map((found) => found !== undefined)).toEqual([false, false, false, true, true, true]);
    expect(await statuses([open, others])).toEqual(["queued", "succeeded"]);
    expect(await trimHistory(realm, [one], () => true)).toBe(0);
  });

  test("of a kind that nobody knows is left, and told", async () => {
    const id = await queue({}, { kind: "from_tomorrow" });
    await run(nothing);
    expect(await job(id)).toMatchObject({ status: "queued", attempts: 0 });
    expect(warnings).toEqual([{ realm: "shop", job: id, kind: "from_tomorrow" }]);
  });

  test("as versions before claims stored it goes on", async () => {
    const at = timestamp(clock.now() - 1_000);
    const former: JobRecord = {
      id: "former",
      kind: "count",
      status: "running",
      target: "org:a",
      created_at: at,
      created_by: "user:ada",
      started_at: at,
      finished_at: null,
      due_at: at,
      attempts: 1,
      state: '{"n":2,"to":3}',
      result: null,
      error: null,
    };
    await store.collection(jobCollection).insert(writeJob(former, 4));
    await run(counting);
    expect(await job("former")).toMatchObject({
      status: "succeeded",
      started_at: at,
      result: { counted: 3 },
    });
  });
});

describe("a step that fails", () => {
  const breaking: StepOf = async () => {
    throw new Error("secret content");
  };

  test("is tried three times in all, later each time; what it says is not shown", async () => {
    const id = await queue();
    const tries: number[] = [];
    const work: StepOf = (...given) => {
      tries.push(clock.now());
      return breaking(...given);
    };
    const began = clock.now();
    await run(work);
    expect(await job(id)).toMatchObject({ status: "queued", attempts: 1 });
    for (let passed = 0; passed < 10; passed += 1) {
      clock.advance(minute);
      await run(work);
    }
    expect(tries.map((at) => at - began)).toEqual([0, minute, 3 * minute]);
    const failed = await job(id);
    expect(failed).toMatchObject({ status: "failed", result: null, error: expect.any(String) });
    expect(failed.finished_at).toBe(timestamp(began + 3 * minute));
    expect(failed.error).not.toContain("secret");
    expect(errors).toHaveLength(3);
  });

  test("is tried as often, and as late, as its kind says", async () => {
    const id = await queue();
    const began = clock.now();
    const tries: number[] = [];
    const work = kind(
      async (...given) => {
        tries.push(clock.now() - began);
        return breaking(...given);
      },
      { backoff: [1_000] },
    );
    for (let passed = 0; passed < 5; passed += 1) {
      await run(work);
      clock.advance(1_000);
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
      clock.advance(minute);
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
      await queueJob(realm, transaction, { id: "other", kind: "other", target: "x", state: {}, by: "x" });
      throw new Error("broken");
    });
    expect(await findJob(store, "other")).toBeUndefined();
    expect(await job(id)).toMatchObject({ status: "queued", attempts: 1 });
  });

  test("is no failure where the store is away or somebody else came in between", async () => {
    const id = await queue({ n: 0, to: 0 });
    await run(async () => {
      throw new StoreUnavailable(new Error("gone"));
    });
    expect(await job(id)).toMatchObject({ status: "running", attempts: 0 });
    clock.advance(1_000);
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
      clock.advance(minute);
    }
    expect(await job(id)).toMatchObject({
      status: "succeeded",
      result: { done: 1 },
      due_at: null,
      error: null,
    });
  });
});

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
    const transactions = vi.spyOn(store, "transaction");
    await run(kind(nothing, { limit: together }));
    expect(new Set(await statuses(ids))).toEqual(new Set(["succeeded"]));
    expect(transactions).toHaveBeenCalledTimes(2 * 3);
  });

  test("of a worker that says nothing any more ends: another one takes over, and the first one writes nothing", async () => {
    const id = await queue();
    const first = waiting();
    const lost = worker(kind(first.step));
    lost.wake();
    await vi.waitFor(() => expect(first.begun).toHaveLength(1));
    const other = worker(kind(async () => async () => ({ result: { by: "other" } })));
    clock.advance(claimTime - 1);
    other.wake();
    await other.idle();
    expect(await job(id)).toMatchObject({ status: "running", token: 1 });
    clock.advance(1);
    other.wake();
    await other.idle();
    expect(await job(id)).toMatchObject({ status: "succeeded", token: 2, result: { by: "other" } });
    first.end("org:a", { result: { by: "first" } });
    await lost.idle();
    expect(await job(id)).toMatchObject({ status: "succeeded", result: { by: "other" } });
    expect(errors).toEqual([]);
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
          await queueJob(realm, transaction, {
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
    await vi.waitFor(() => expect(begun).toBe(1));
    clock.advance(claimTime);
    const second = waiting();
    const other = worker(kind(second.step));
    other.wake();
    await vi.waitFor(() => expect(second.begun).toHaveLength(1));
    go();
    await slow.idle();
    expect(await findJob(store, "written")).toBeUndefined();
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
    await vi.waitFor(() => expect(long.begun).toHaveLength(1));
    const due = async () => Date.parse((await job(id)).due_at ?? "");
    for (let passed = 0; passed < 12; passed += 1) {
      clock.advance(lookEvery);
      one.tick();
      await vi.waitFor(async () => expect(await due()).toBe(clock.now() + claimTime));
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
    await vi.waitFor(() => expect(long.begun).toHaveLength(1));
    clock.advance(claimTime);
    const other = worker(kind(nothing));
    other.wake();
    await other.idle();
    expect(long.signals.get("org:a")?.aborted).toBe(false);
    one.tick();
    await vi.waitFor(() => expect(long.signals.get("org:a")?.aborted).toBe(true));
    long.end("org:a");
  });

  test("is given back when the worker stops before the step was done", async () => {
    const id = await queue();
    const long: StepOf = (_, __, { signal }) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Outdated())));
    const one = worker(kind(long));
    one.wake();
    await vi.waitFor(async () => expect((await job(id)).status).toBe("running"));
    await one.stop(0);
    await run(nothing);
    expect(await job(id)).toMatchObject({ status: "succeeded", attempts: 0 });
  });
});

describe("limits", () => {
  test("of a kind bound the steps that a worker does at once, and hold up no other kind", async () => {
    const slow = waiting();
    const ids: string[] = [];
    for (const target of ["a", "b", "c", "d", "e"]) ids.push(await queue({}, { target }));
    const quick = await queue({}, { kind: "quick" });
    const one = worker(kind(slow.step, { limit: 2 }), kind(nothing, { name: "quick", limit: 1 }));
    one.wake();
    await vi.waitFor(async () => expect((await job(quick)).status).toBe("succeeded"));
    expect(slow.begun).toEqual(["a", "b"]);
    slow.end("b");
    await vi.waitFor(() => expect(slow.begun).toEqual(["a", "b", "c"]));
    slow.end("a");
    slow.end("c");
    await vi.waitFor(() => expect(slow.begun).toHaveLength(5));
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
    expect(await store.collection(laneCollection).count({ op: "true" }, "all")).toBe(0);

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
    clock.advance(minute);
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
    await retryJob(realm, first);
    await run(step);
    expect(order).toEqual(["first", "second"]);
    clock.advance(minute);
    await run(step);
    expect(order).toEqual(["first", "second", "third", "first"]);
    await noLanes();
  });

  test("takes what is queued while its first job is done, and passes over what was cancelled", async () => {
    const first = waiting();
    const running = await laneOf("a", "first");
    const one = worker(kind(first.step));
    one.wake();
    await vi.waitFor(() => expect(first.begun).toEqual(["first"]));
    const [second, third, fourth] = [await laneOf("a", "2"), await laneOf("a", "3"), await laneOf("a", "4")];
    await cancelJob(realm, second);
    await cancelJob(realm, third);
    first.end("first");
    await vi.waitFor(() => expect(first.begun).toEqual(["first", "4"]));
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
    await cancelJob(realm, last);
    await cancelJob(realm, first);
    await noLanes();
    const next = await laneOf("a", "next");
    await run(counting);
    expect(await statuses([first, last, next])).toEqual(["cancelled", "cancelled", "succeeded"]);
    await noLanes();
  });
});

describe("a cancelled job", () => {
  test("is not begun", async () => {
    const id = await queue();
    expect(await cancelJob(realm, id)).toMatchObject({ status: "cancelled" });
    let begun = 0;
    await run(async () => {
      begun += 1;
      return {};
    });
    expect([begun, (await job(id)).status]).toEqual([0, "cancelled"]);
    expect((await job(id)).finished_at).toBe(timestamp(clock.now()));
  });

  test("ends while its step is under way, which writes nothing", async () => {
    const id = await queue();
    const long = waiting();
    const one = worker(kind(long.step));
    one.wake();
    await vi.waitFor(() => expect(long.begun).toHaveLength(1));
    await cancelJob(realm, id);
    clock.advance(lookEvery);
    one.tick();
    await vi.waitFor(() => expect(long.signals.get("org:a")?.aborted).toBe(true));
    long.end("org:a", { result: { late: true } });
    await one.idle();
    expect(await job(id)).toMatchObject({ status: "cancelled", result: null });
    expect(errors).toEqual([]);
  });

  test("that is over stays as it is, and there is none that was never queued", async () => {
    const id = await queue();
    await run(nothing);
    expect(await cancelJob(realm, id)).toBeUndefined();
    expect(await cancelJob(realm, "none")).toBeUndefined();
    expect(await statuses([id])).toEqual(["succeeded"]);
  });
});

describe("a standing job", () => {
  test("is one for all workers, and due again after each run, whatever came of it", async () => {
    const runs: number[] = [];
    const began = clock.now();
    const standing = kind(
      async () => {
        runs.push(clock.now() - began);
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
    clock.advance(minute);
    await round();
    expect(await job("sweep")).toMatchObject({ status: "queued", error: expect.any(String) });
    clock.advance(minute);
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
    await vi.waitFor(() => expect(slow.begun).toEqual(["a"]));
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

test("a store that fails is told, and the next look goes on", async () => {
  const id = await queue();
  const now = vi.spyOn(store, "now").mockRejectedValueOnce(new StoreUnavailable(new Error("away")));
  const one = worker(kind(nothing));
  one.wake();
  await one.idle();
  expect([errors.length, (await job(id)).status]).toEqual([1, "queued"]);
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
  expect(await retryJob(realm, id)).toMatchObject({ status: "queued" });
  expect(await job(id)).toMatchObject({ status: "queued", error: null, finished_at: null });
  await run(counting);
  expect(await job(id)).toMatchObject({ status: "succeeded", result: { counted: 2 } });
  expect(await retryJob(realm, id)).toBeUndefined();
  expect(await retryJob(realm, "none")).toBeUndefined();
});
