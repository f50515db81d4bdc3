import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { timestamp } from "../clock.ts";
import { silent } from "../http/testing/server.ts";
import { idGenerator } from "../ids.ts";
import { type HeldClock, heldClock } from "../instance/testing/servers.ts";
import { Outdated } from "../retry.ts";
import { StoreUnavailable } from "../store/contract/errors.ts";
import type { Lease } from "../store/contract/lease.ts";
import type { Store } from "../store/contract/store.ts";
import { testStore } from "../store/testing/stores.ts";
import { findJob, queueJob, retryJob } from "./queue.ts";
import { type JobRecord, jobShape } from "./records.ts";
import { type GoOn, runJobs } from "./run.ts";
import { JobFailure, type JobRealm, type JobWork, type Progress } from "./step.ts";

const minute = 60_000;
const day = 24 * 60 * minute;

let clock: HeldClock;
let store: Store;
let realm: JobRealm;
/** Errors that were logged. */
let errors: object[];
beforeEach(async () => {
  clock = heldClock();
  store = await testStore({ clock, collections: [jobShape] });
  errors = [];
  const definition = { name: "shop", origins: [], appConfig: {}, collections: [] };
  const log = { ...silent, error: (fields: object) => errors.push(fields) };
  realm = { definition, store, clock, newId: idGenerator(clock), log };
});
afterEach(() => store.close());

const queue = (state: object = {}, target = "org:a"): Promise<string> =>
  store.transaction((transaction) =>
    queueJob(realm, transaction, { kind: "org_delete", target, state, by: "user:ada" }),
  );
const job = async (id: string): Promise<JobRecord> => {
  const found = await findJob(store, id);
  if (found === undefined) throw new Error(`no job ${id}`);
  return found;
};

/** Does what is due, with this as the only work. */
async function run(work: JobWork | JobWork["step"], goOn: GoOn = async () => true): Promise<void> {
  const all = typeof work === "function" ? { step: work } : work;
  await runJobs(realm, { name: "jobs", works: { org_delete: all, assign_org: all } }, goOn);
}

/** Counts to a number, a step for each. */
const counting: JobWork["step"] = async (_, { state }) => {
  const { n, to }: { n: number; to: number } = JSON.parse(state);
  return async () => (n < to ? { state: { n: n + 1, to } } : { result: { counted: n } });
};

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
      kind: "org_delete",
      target: "org:a",
      created_by: "user:ada",
      status: "succeeded",
      started_at: now,
      finished_at: now,
      result: { counted: 3 },
      error: null,
    });
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

  test("is not held up by another one: each has its turn", async () => {
    const turns: string[] = [];
    await queue({ n: 0, to: 2 }, "org:a");
    await queue({ n: 0, to: 2 }, "org:b");
    await run((realm, job) => {
      turns.push(job.target);
      return counting(realm, job);
    });
    expect(turns).toEqual(["org:a", "org:b", "org:a", "org:b", "org:a", "org:b"]);
  });

  test("pauses, also after its end", async () => {
    const id = await queue({ step: 1 });
    const after: Progress[] = [
      { state: { step: 2 }, pause: minute },
      { result: { done: true }, state: { step: 3 }, pause: 2 * minute },
      {},
    ];
    let steps = 0;
    const work: JobWork["step"] = async () => async () => after[steps++] ?? {};
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

  test("is forgotten 30 days after its end", async () => {
    const id = await queue({ n: 0, to: 0 });
    await run(counting);
    clock.advance(30 * day - 1);
    expect(await findJob(store, id)).toBeDefined();
    clock.advance(1);
    expect(await findJob(store, id)).toBeUndefined();
  });
});

describe("a step that fails", () => {
  const breaking: JobWork["step"] = async () => {
    throw new Error("secret content");
  };

  test("is tried three times in all, later each time; what it says is not shown", async () => {
    const id = await queue();
    const tries: number[] = [];
    const work: JobWork["step"] = (...given) => {
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

  test("has its attempts anew after a step that succeeded", async () => {
    const id = await queue({ n: 0, to: 4 });
    let calls = 0;
    const work: JobWork["step"] = (...given) => {
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
    await run({
      step: async () => {
        throw new JobFailure("The collection is gone.");
      },
      failed: async (_, { id }) => void said.push(id),
    });
    expect(await job(id)).toMatchObject({ status: "failed", error: "The collection is gone." });
    expect(said).toEqual([id]);
  });

  test("writes nothing, neither of the step nor of the job", async () => {
    const id = await queue();
    await run(async () => async (transaction) => {
      await queueJob(realm, transaction, {
        id: "other",
        kind: "assign_org",
        target: "x",
        state: {},
        by: "x",
      });
      throw new Error("broken");
    });
    expect(await findJob(store, "other")).toBeUndefined();
    expect(await job(id)).toMatchObject({ status: "queued", attempts: 1 });
  });

  test("is no failure where the store is away or somebody else came in between", async () => {
    const id = await queue({ n: 0, to: 0 });
    const away = run(async () => {
      throw new StoreUnavailable(new Error("gone"));
    });
    await expect(away).rejects.toThrow(StoreUnavailable);
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
    const work: JobWork["step"] = (...given) => {
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

test("a step of whoever lost the jobs to another instance without knowing is not committed", async () => {
  const id = await queue({ n: 0, to: 1 });
  const take = store.lease.bind(store);
  let held: Lease | undefined;
  vi.spyOn(store, "lease").mockImplementation(async (...asked) => {
    held = await take(...asked);
    return held;
  });
  let isFirst = true;
  const steps: string[] = [];
  await run(async (realm, job) => {
    if (isFirst) {
      isFirst = false;
      await held?.release();
      await run(counting);
    }
    const step = await counting(realm, job);
    return async (transaction) => {
      const progress = await step(transaction);
      steps.push(JSON.stringify(progress));
      return progress;
    };
  });
  // In vain.
  expect(steps).toEqual(['{"state":{"n":1,"to":1}}']);
  expect(await job(id)).toMatchObject({ status: "succeeded", result: { counted: 1 } });
});

test("a job that failed goes on where it was when it is to be tried again; others do not", async () => {
  const id = await queue({ n: 0, to: 2 });
  let left = 1;
  await run((...given) => {
    if (left-- <= 0) throw new JobFailure("not now");
    return counting(...given);
  });
  expect(await job(id)).toMatchObject({ status: "failed", error: "not now" });
  expect(await retryJob(realm, id)).toBe(true);
  expect(await job(id)).toMatchObject({ status: "queued", error: null, finished_at: null });
  await run(counting);
  expect(await job(id)).toMatchObject({ status: "succeeded", result: { counted: 2 } });
  expect(await retryJob(realm, id)).toBe(false);
  expect(await retryJob(realm, "none")).toBe(false);
});
