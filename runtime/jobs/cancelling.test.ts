import { describe, expect, test } from "vitest";
import { timestamp } from "../clock.ts";
import { until } from "../testing/until.ts";
import { cancelJob } from "./queue.ts";
import { kind, nothing, waiting, workshop } from "./testing/workshop.ts";
import { lookEvery } from "./worker.ts";

const shop = workshop();
const { queue, job, statuses, run, worker } = shop;

describe("a cancelled job", () => {
  test("is not begun", async () => {
    const id = await queue();
    expect(await cancelJob(shop.realm, id)).toMatchObject({ status: "cancelled" });
    let begun = 0;
    await run(async () => {
      begun += 1;
      return {};
    });
    expect([begun, (await job(id)).status]).toEqual([0, "cancelled"]);
    expect((await job(id)).finished_at).toBe(timestamp(shop.clock.now()));
  });

  test("ends while its step is under way, which writes nothing", async () => {
    const id = await queue();
    const long = waiting();
    const one = worker(kind(long.step));
    one.wake();
    await until(() => expect(long.begun).toHaveLength(1));
    await cancelJob(shop.realm, id);
    shop.clock.advance(lookEvery);
    one.tick();
    await until(() => expect(long.signals.get("org:a")?.aborted).toBe(true));
    long.end("org:a", { result: { late: true } });
    await one.idle();
    expect(await job(id)).toMatchObject({ status: "cancelled", result: null });
    expect(shop.errors).toEqual([]);
  });

  test("that is over stays as it is, and there is none that was never queued", async () => {
    const id = await queue();
    await run(nothing);
    expect(await cancelJob(shop.realm, id)).toBeUndefined();
    expect(await cancelJob(shop.realm, "none")).toBeUndefined();
    expect(await statuses([id])).toEqual(["succeeded"]);
  });
});
