import { describe, expect, test } from "vitest";
import { ApiError } from "../../errors.ts";
import type { JobKind } from "../../jobs/kind.ts";
import { cancelJob, retryJob } from "../../jobs/queue.ts";
import { minute, workshop } from "../../jobs/testing/workshop.ts";
import { lookEvery } from "../../jobs/worker.ts";
import type { FunctionDefinition } from "../../realm/functions.ts";
import { until } from "../../testing/until.ts";
import { FunctionBusy, type Result } from "../invocation.ts";
import { callDefinition, Handlers, returned, waitingHandlers } from "../testing/background.ts";
import { type QueuedCall, queueCall } from "./calls.ts";
import { functionJobs } from "./kinds.ts";

const shop = workshop();
const { job } = shop;
const close = callDefinition("close");

let woken = 0;
const queued = (more: Partial<QueuedCall> = {}): Promise<string> =>
  queueCall(
    {
      ...shop.realm,
      wakeJobs: () => {
        woken += 1;
      },
    },
    { definition: close, input: '{"n":1}', by: "user:ada", requestId: "r1", ...more },
  );

const kindsOf = (handlers: Handlers, functions: readonly FunctionDefinition[] = [close], limit = 100) =>
  functionJobs({ functions }, handlers.run, limit);

/** Does what is due, by workers of their own. */
async function work(kinds: readonly JobKind[], instances = 1): Promise<void> {
  const workers = Array.from({ length: instances }, () => shop.worker(...kinds));
  for (const one of workers) one.wake();
  await Promise.all(workers.map((one) => one.idle()));
}

describe("a queued call", () => {
  test("is run with its input for who queued it, and what it returns is kept", async () => {
    const caller = { kind: "user", id: "ada" } as const;
    const chain = { root: "j0", depth: 2 };
    const before = woken;
    const id = await queued({ caller, chain });
    expect(woken).toBe(before + 1);
    expect(await job(id)).toMatchObject({
      kind: "function.call:support/close",
      target: "function:support/close",
      created_by: "user:ada",
      status: "queued",
    });
    const handlers = new Handlers(() => returned({ closed: 1 }));
    await work(kindsOf(handlers));
    expect(handlers.runs).toMatchObject([
      {
        definition: close,
        input: { kind: "call", input: '{"n":1}' },
        job: id,
        attempt: 1,
        requestId: "r1",
        caller,
        chain,
      },
    ]);
    expect(await job(id)).toMatchObject({ status: "succeeded", output: '{"closed":1}', state: "{}" });
  });

  test("is run once, however many instances there are", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 40; n += 1) ids.push(await queued({ input: String(n) }));
    const handlers = new Handlers();
    await work(kindsOf(handlers), 3);
    expect(handlers.runs.map(({ job }) => job).toSorted()).toEqual(ids.toSorted());
    expect(new Set(await shop.statuses(ids))).toEqual(new Set(["succeeded"]));
  });

  test("waits for as long as its delay says", async () => {
    const id = await queued({ delay: 10 * minute });
    const handlers = new Handlers();
    await work(kindsOf(handlers));
    shop.clock.advance(10 * minute - 1);
    await work(kindsOf(handlers));
    expect((await job(id)).status).toBe("queued");
    shop.clock.advance(1);
    await work(kindsOf(handlers));
    expect((await job(id)).status).toBe("succeeded");
  });

  test("begins when its delay is over: nobody has to look for it", async () => {
    const handlers = new Handlers();
    const worker = shop.worker(...kindsOf(handlers));
    worker.wake();
    await worker.idle();
    const wakeJobs = (delay?: number) => worker.wake(delay);
    const call = { definition: close, input: "{}", by: "user:ada", requestId: "r1" };
    const ids = [];
    for (const delay of [400, 200])
      ids.push(await queueCall({ ...shop.realm, wakeJobs }, { ...call, delay }));
    for (const id of ids.toReversed()) {
      expect((await job(id)).status).toBe("queued");
      shop.clock.advance(200);
      await until(async () => expect((await job(id)).status).toBe("succeeded"));
    }
  });

  test("under a key that waits already is not queued again; another function's, and once it has begun, it is", async () => {
    const first = await queued({ key: "daily", input: "1" });
    expect(await queued({ key: "daily", input: "2" })).toBe(first);
    expect(await queued({ key: "other" })).not.toBe(first);
    const other = callDefinition("other");
    expect(await queued({ key: "daily", definition: other })).not.toBe(first);
    const slow = waitingHandlers();
    const worker = shop.worker(...kindsOf(slow.handlers));
    worker.wake();
    await until(() => expect(slow.handlers.runs).toHaveLength(2));
    const second = await queued({ key: "daily", input: "3" });
    expect(second).not.toBe(first);
    expect(await queued({ key: "daily", input: "4" })).toBe(second);
    slow.end(0);
    slow.end(1);
    await until(() => expect(slow.handlers.runs).toHaveLength(3));
    slow.end(2);
    await worker.idle();
    expect(slow.handlers.runs.map(({ input }) => "input" in input && input.input)).toEqual([
      "1",
      '{"n":1}',
      "3",
    ]);
  });

  test("under a key is queued once by many at a time", async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => queued({ key: "daily" })));
    expect(new Set(ids).size).toBe(1);
  });

  test("that is cancelled leaves its key to another one", async () => {
    const first = await queued({ key: "daily" });
    await cancelJob(shop.realm, first);
    expect(await queued({ key: "daily" })).not.toBe(first);
  });
});

describe("attempts", () => {
  /** What runs come to, attempt after attempt, and when they were made: milliseconds after the one before. */
  async function attempts(result: (attempt: number) => Result | Promise<Result>, times = 400) {
    const id = await queued();
    const pauses: number[] = [];
    const seen: number[] = [];
    let before = shop.clock.now();
    const handlers = new Handlers(({ attempt }) => {
      pauses.push(shop.clock.now() - before);
      seen.push(attempt);
      before = shop.clock.now();
      return result(attempt);
    });
    for (let tick = 0; tick < times; tick += 1) {
      await work(kindsOf(handlers));
      const { due_at } = await job(id);
      if (due_at === null) break;
      shop.clock.set(Date.parse(due_at));
    }
    return { record: await job(id), pauses, seen };
  }

  test("wait longer each time, at random a little, and end as often as the function says", async () => {
    const { record, pauses, seen } = await attempts(() => ({
      kind: "failed",
      code: "function_failed",
      reason: "secret content",
    }));
    expect(seen).toEqual([1, 2, 3, 4, 5]);
    const [, ...waited] = pauses;
    const usual = [1_000, 10_000, minute, 10 * minute];
    for (const [at, pause] of waited.entries()) {
      expect(pause).toBeGreaterThanOrEqual(usual[at] ?? 0);
      expect(pause).toBeLessThan(1.25 * (usual[at] ?? 0));
    }
    expect(record).toMatchObject({ status: "failed", error: "function_failed: its invocations say why." });
    expect(record.error).not.toContain("secret");
  });

  test("count one that took too long, and one whose refusal reached nobody", async () => {
    const { record, seen } = await attempts((attempt) => {
      if (attempt === 1) return { kind: "timeout" };
      if (attempt === 2) return { kind: "forwarded", status: 403, body: "{}" };
      if (attempt === 3) return { kind: "refused", status: 409, code: "too_late", message: "x", details: [] };
      return returned(1);
    });
    expect([seen, record.status, record.output]).toEqual([[1, 2, 3, 4], "succeeded", "1"]);
  });

  test("wait as the handler asks for", async () => {
    const { pauses, record } = await attempts((attempt) =>
      attempt < 3 ? { kind: "retry", after: 5 * minute } : returned(1),
    );
    expect([pauses, record.status]).toEqual([[0, 5 * minute, 5 * minute], "succeeded"]);
  });

  test("end where the handler says so; by hand there are as many again", async () => {
    const { record, seen } = await attempts(() => ({ kind: "ended", code: "gone", message: "No such." }));
    expect(seen).toEqual([1]);
    expect(record).toMatchObject({ status: "failed", error: "gone: No such." });
    await retryJob(shop.realm, record.id);
    const handlers = new Handlers(() => returned("now"));
    await work(kindsOf(handlers));
    expect(handlers.runs).toMatchObject([{ attempt: 1, input: { input: '{"n":1}' } }]);
    expect(await job(record.id)).toMatchObject({ status: "succeeded", output: '"now"', error: null });
  });

  test("do not count those for which there is no room; a secret that is missing is shown", async () => {
    let tries = 0;
    const { record, seen } = await attempts(async () => {
      tries += 1;
      if (tries === 1) throw new FunctionBusy();
      if (tries === 2) throw new ApiError("unavailable", "No worker.");
      if (tries < 5) throw new ApiError("internal_error", "The secret A is missing.");
      return { kind: "ended", code: "enough", message: "x" };
    });
    expect(seen).toEqual([1, 1, 1, 2, 3]);
    expect(record.status).toBe("failed");
  });
});

describe("a run", () => {
  test("ends when its job is cancelled: here at once, in other instances with their next look", async () => {
    const id = await queued();
    const slow = waitingHandlers();
    const worker = shop.worker(...kindsOf(slow.handlers));
    worker.wake();
    await until(() => expect(slow.handlers.runs).toHaveLength(1));
    await cancelJob(shop.realm, id);
    worker.drop(id);
    await worker.idle();
    expect(slow.handlers.runs[0]?.signal.aborted).toBe(true);
    expect(await job(id)).toMatchObject({ status: "cancelled", attempts: 0 });

    const other = await queued();
    worker.wake();
    await until(() => expect(slow.handlers.runs).toHaveLength(2));
    await cancelJob(shop.realm, other);
    shop.clock.advance(lookEvery);
    worker.tick();
    await worker.idle();
    expect(await job(other)).toMatchObject({ status: "cancelled" });
  });

  test("has the time that is left when the instance stops; then its job is given back, uncounted", async () => {
    const id = await queued();
    const slow = waitingHandlers();
    const worker = shop.worker(...kindsOf(slow.handlers));
    worker.wake();
    await until(() => expect(slow.handlers.runs).toHaveLength(1));
    await worker.stop(0);
    expect(slow.handlers.runs[0]?.signal.aborted).toBe(true);
    expect(await job(id)).toMatchObject({ attempts: 0, finished_at: null });
    const handlers = new Handlers(() => returned("done"));
    await work(kindsOf(handlers));
    expect(handlers.runs).toMatchObject([{ job: id, attempt: 1 }]);
    expect((await job(id)).output).toBe('"done"');
  });

  test("of a function is one of as many as may be at once; those of another one do not wait for them", async () => {
    const one = callDefinition("one", { concurrency: 2 });
    for (let n = 0; n < 5; n += 1) await queued({ definition: one });
    const slow = waitingHandlers();
    const worker = shop.worker(...kindsOf(slow.handlers, [one, close]));
    worker.wake();
    await until(() => expect(slow.handlers.runs).toHaveLength(2));
    await queued();
    worker.wake();
    await until(() => expect(slow.handlers.runs).toHaveLength(3));
    expect(slow.handlers.runs.map(({ definition }) => definition.name)).toEqual(["one", "one", "close"]);
    for (let at = 0; at < 6; at += 1) {
      await until(() => expect(slow.handlers.runs.length).toBeGreaterThan(at));
      slow.end(at);
    }
    await worker.idle();
  });

  test("is one of as many as the realm allows at once, whichever functions they are of", async () => {
    const names = ["a", "b", "c"].map((name) => callDefinition(name));
    for (const definition of names) for (let n = 0; n < 3; n += 1) await queued({ definition });
    let running = 0;
    let most = 0;
    const handlers = new Handlers(async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      return returned();
    });
    await work(functionJobs({ functions: names, functionLimits: { concurrency: 4 } }, handlers.run, 100));
    expect([handlers.runs.length, most]).toEqual([9, 4]);
  });
});
