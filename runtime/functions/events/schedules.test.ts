import { describe, expect, test } from "vitest";
import { TRUE } from "../../filter/algebra.ts";
import { type JobRecord, jobCollection, readJob } from "../../jobs/records.ts";
import { minute, workshop } from "../../jobs/testing/workshop.ts";
import type { EventDefinition } from "../../realm/functions.ts";
import { eventDefinition, Handlers, returned } from "../testing/background.ts";
import type { BackgroundRun } from "./background.ts";
import { functionJobs } from "./kinds.ts";

const shop = workshop();

const hour = 60 * minute;
const nightly = (cron: string, timezone = "UTC", name = "nightly"): EventDefinition =>
  eventDefinition(name, { schedule: { cron, timezone } });

const at = (time: string) => shop.clock.set(Date.parse(time));

/** Instances do what is due, and what comes due by it. */
async function work(handlers: Handlers, functions: readonly EventDefinition[], instances = 2): Promise<void> {
  const kinds = functionJobs({ functions }, handlers.run, 10);
  const workers = Array.from({ length: instances }, () => shop.worker(...kinds));
  for (const one of workers) one.wake();
  await Promise.all(workers.map((one) => one.idle()));
}

/** Goes on in time, a step after the other, and works at each. */
async function pass(until: string, step: number, handlers: Handlers, functions: readonly EventDefinition[]) {
  const end = Date.parse(until);
  while (shop.clock.now() < end) {
    shop.clock.advance(Math.min(step, end - shop.clock.now()));
    await work(handlers, functions);
  }
}

const times = (handlers: Handlers) => handlers.runs.map(timeOf);
const timeOf = ({ input }: BackgroundRun) => (input.kind === "schedule" ? input.at : undefined);

async function jobs(): Promise<readonly JobRecord[]> {
  const found = await shop.store
    .collection(jobCollection)
    .find({ filter: TRUE, visibility: "live", limit: 1_000, skip: 0 });
  return found.map((document) => readJob(document).record);
}

describe("a schedule", () => {
  test("runs when it is due, once across instances, and not for what was before it", async () => {
    at("2026-01-01T02:59:30Z");
    const handlers = new Handlers();
    const functions = [nightly("0 3 * * *"), nightly("*/20 * * * *", "UTC", "often")];
    await work(handlers, functions, 4);
    expect(handlers.runs).toEqual([]);
    await pass("2026-01-01T03:45:00Z", minute / 2, handlers, functions);
    const by = (name: string) =>
      handlers.runs.filter(({ definition }) => definition.name === name).map(timeOf);
    expect(by("nightly")).toEqual(["2026-01-01T03:00:00.000Z"]);
    expect(by("often")).toEqual([
      "2026-01-01T03:00:00.000Z",
      "2026-01-01T03:20:00.000Z",
      "2026-01-01T03:40:00.000Z",
    ]);
    expect(handlers.runs[0]).toMatchObject({ attempt: 1 });
    expect(handlers.runs[0]).not.toHaveProperty("chain");
    // The one that never ends.
    expect(await jobs()).toMatchObject([{ id: "function.schedules", status: "queued" }]);
  });

  test("goes by its time zone's clock: an hour that is skipped is made up, one that comes twice counts once", async () => {
    const handlers = new Handlers();
    const functions = [nightly("30 2 * * *", "Europe/Berlin")];
    for (const [from, to] of [
      ["2026-03-28T00:00:00Z", "2026-03-30T12:00:00Z"],
      ["2026-10-24T00:00:00Z", "2026-10-26T12:00:00Z"],
    ] as const) {
      at(from);
      await work(handlers, functions);
      await pass(to, 6 * hour, handlers, functions);
    }
    expect(times(handlers)).toEqual([
      "2026-03-28T01:30:00.000Z",
      "2026-03-29T01:00:00.000Z",
      "2026-03-30T00:30:00.000Z",
      // Of what was missed in between the last is made up.
      "2026-10-23T00:30:00.000Z",
      "2026-10-24T00:30:00.000Z",
      "2026-10-25T00:30:00.000Z",
      "2026-10-26T01:30:00.000Z",
    ]);
  });

  test("makes up the last run that was missed while nobody was there, once", async () => {
    const handlers = new Handlers();
    const functions = [nightly("*/10 * * * *")];
    at("2026-01-01T00:01:00Z");
    await work(handlers, functions);
    at("2026-01-02T12:34:00Z");
    await work(handlers, functions);
    await work(handlers, functions);
    expect(times(handlers)).toEqual(["2026-01-02T12:30:00.000Z"]);
    await pass("2026-01-02T12:41:00Z", minute, handlers, functions);
    expect(times(handlers)).toEqual(["2026-01-02T12:30:00.000Z", "2026-01-02T12:40:00.000Z"]);
  });

  test("that is due while its run before goes on is skipped, and that is recorded", async () => {
    const handlers = new Handlers(() =>
      handlers.runs.length === 1 ? { kind: "retry", after: 15 * minute } : returned(),
    );
    const functions = [nightly("*/10 * * * *")];
    at("2026-01-01T00:01:00Z");
    await work(handlers, functions);
    await pass("2026-01-01T00:20:00Z", minute, handlers, functions);
    // It waits for its second attempt.
    expect(times(handlers)).toEqual(["2026-01-01T00:10:00.000Z"]);
    const skipped = (await jobs()).filter(({ status }) => status === "cancelled");
    expect(skipped).toMatchObject([
      { kind: "function.event:support/nightly", due_at: null, error: expect.stringContaining("before") },
    ]);
    await pass("2026-01-01T00:31:00Z", minute, handlers, functions);
    expect(handlers.runs.map((run) => [timeOf(run), run.attempt])).toEqual([
      ["2026-01-01T00:10:00.000Z", 1],
      ["2026-01-01T00:10:00.000Z", 2],
      ["2026-01-01T00:30:00.000Z", 1],
    ]);
  });

  test("whose line is changed goes by the new one, and one that is removed ends", async () => {
    const handlers = new Handlers();
    const other = nightly("0 * * * *", "UTC", "other");
    at("2026-01-01T00:01:00Z");
    await work(handlers, [nightly("0 3 * * *"), other]);
    await pass("2026-01-01T00:50:00Z", 10 * minute, handlers, [nightly("45 0 * * *"), other]);
    expect(times(handlers)).toEqual(["2026-01-01T00:45:00.000Z"]);
    await pass("2026-01-01T05:00:00Z", hour, handlers, [other]);
    expect(handlers.runs.slice(1).map(({ definition }) => definition.name)).toEqual(Array(5).fill("other"));
  });

  test("is tried again as any event is, by its attempt", async () => {
    const handlers = new Handlers(({ attempt }) =>
      attempt === 1 ? { kind: "failed", code: "function_failed", reason: "x" } : returned(),
    );
    const functions = [nightly("0 3 * * *")];
    at("2026-01-01T02:30:00Z");
    await work(handlers, functions);
    at("2026-01-01T03:00:00Z");
    await work(handlers, functions);
    shop.clock.advance(2_000);
    await work(handlers, functions);
    expect(handlers.runs.map(({ attempt, input }) => [attempt, input])).toEqual([
      [1, { kind: "schedule", at: "2026-01-01T03:00:00.000Z", attempt: 1 }],
      [2, { kind: "schedule", at: "2026-01-01T03:00:00.000Z", attempt: 2 }],
    ]);
  });
});
