import { describe, expect, test } from "vitest";
import { systemClock, timestamp } from "../clock.ts";
import { testStore } from "../store/testing/stores.ts";
import { until } from "../testing/until.ts";
import { trimHistory } from "./history.ts";
import { JobFailure, type Progress } from "./kind.ts";
import { laneShape } from "./lanes.ts";
import { findJob, queueJob } from "./queue.ts";
import { type JobRecord, jobCollection, jobShape, writeJob } from "./records.ts";
import { counting, day, kind, minute, nothing, type StepOf, workshop } from "./testing/workshop.ts";
import { JobWorker } from "./worker.ts";

const shop = workshop();
const { queue, job, statuses, run } = shop;

describe("a job", () => {
  test("is done step by step until it has a result", async () => {
    const id = await queue({ n: 0, to: 3 });
    const now = timestamp(shop.clock.now());
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

  test("that another instance queued for later begins then: each tick looks ahead", async () => {
    const worker = shop.worker(kind(nothing));
    worker.wake();
    await worker.idle();
    const [later, sooner] = [await queue({}, { delay: 300 }), await queue({}, { delay: 150 })];
    worker.tick();
    await worker.idle();
    for (const id of [sooner, later]) {
      expect((await job(id)).status).toBe("queued");
      shop.clock.advance(150);
      await until(async () => expect((await job(id)).status).toBe("succeeded"));
    }
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
    shop.clock.advance(minute);
    await run(work);
    const ended = timestamp(shop.clock.now());
    expect([steps, (await job(id)).status]).toEqual([2, "succeeded"]);
    shop.clock.advance(2 * minute - 1);
    await run(work);
    expect(steps).toBe(2);
    shop.clock.advance(1);
    await run(work);
    expect(steps).toBe(3);
    expect(await job(id)).toMatchObject({ status: "succeeded", finished_at: ended, result: { done: true } });
  });

  test("is due when it is said to be", async () => {
    const id = await queue({}, { delay: minute });
    await run(nothing);
    expect(await job(id)).toMatchObject({ status: "queued" });
    shop.clock.advance(minute);
    await run(nothing);
    expect(await job(id)).toMatchObject({ status: "succeeded" });
  });

  test("that comes due before the next look is not left to it", async () => {
    const own = await testStore({ clock: systemClock, collections: [jobShape, laneShape] });
    const inTime = { ...shop.realm, store: own, clock: systemClock };
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
    await until(async () => expect((await findJob(own, id))?.status).toBe("succeeded"));
    await one.stop(0);
    await own.close();
  });

  test("is forgotten 30 days after its end", async () => {
    const id = await queue({ n: 0, to: 0 });
    await run(counting);
    shop.clock.advance(30 * day - 1);
    expect(await findJob(shop.store, id)).toBeDefined();
    shop.clock.advance(1);
    expect(await findJob(shop.store, id)).toBeUndefined();
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
    expect([await findJob(shop.store, done), await findJob(shop.store, failed)]).toEqual([
      undefined,
      undefined,
    ]);
  });

  test("beyond those that its kind keeps is forgotten, the oldest first; none that is not over", async () => {
    const one = kind(nothing, { kept: 3 });
    const ids: string[] = [];
    for (let n = 0; n < 6; n += 1) {
      ids.push(await queue());
      await run(one);
      shop.clock.advance(1_000);
    }
    const open = await queue({}, { delay: day });
    const others = await queue({}, { kind: "other" });
    await run(kind(nothing, { name: "other" }));
    expect(await trimHistory(shop.realm, [one], () => true)).toBe(3);
    const left = await Promise.all(ids.map((id) => findJob(shop.store, id)));
    expect(left.map((found) => found !== undefined)).toEqual([false, false, false, true, true, true]);
    expect(await statuses([open, others])).toEqual(["queued", "succeeded"]);
    expect(await trimHistory(shop.realm, [one], () => true)).toBe(0);
  });

  test("of a kind that nobody knows is left, and told", async () => {
    const id = await queue({}, { kind: "from_tomorrow" });
    await run(nothing);
    expect(await job(id)).toMatchObject({ status: "queued", attempts: 0 });
    expect(shop.warnings).toEqual([{ realm: "shop", job: id, kind: "from_tomorrow" }]);
  });

  test("as versions before claims stored it goes on", async () => {
    const at = timestamp(shop.clock.now() - 1_000);
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
    await shop.store.collection(jobCollection).insert(writeJob(former, 4));
    await run(counting);
    expect(await job("former")).toMatchObject({
      status: "succeeded",
      started_at: at,
      result: { counted: 3 },
    });
  });
});
