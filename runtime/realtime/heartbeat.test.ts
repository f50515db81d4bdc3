import { afterAll, beforeAll, expect, test } from "vitest";
import { collection, fields, type Shop, second, startShop } from "../documents/testing/shop.ts";
import { allowed } from "../rules/index.ts";
import { until } from "../testing/until.ts";
import { realtimeRoutes } from "./route.ts";
import { request } from "./testing/streams.ts";

const notes = collection("notes", { fields, realtime: true, rules: { read: allowed, create: allowed } });

let shop: Shop;
/** What the instance repeats, with its period in milliseconds. */
const repeated = new Map<() => void, number>();

beforeAll(async () => {
  shop = await startShop("enabled", [notes], {
    routes: [realtimeRoutes("shop")],
    repeat: (milliseconds, work) => {
      repeated.set(work, milliseconds);
      return () => repeated.delete(work);
    },
  });
});
afterAll(() => shop.stop());

/** What turns every second, as nothing else does. */
const wheels = () => [...repeated.values()].filter((period) => period === second).length;

/** Has so many seconds go by for what the instance repeats. */
function pass(seconds: number): void {
  for (const [work, period] of [...repeated])
    for (let at = period; at <= seconds * second; at += period) work();
}

test("Limits: a heartbeat every 25 seconds, by the instance's clockwork; none is left when streams are gone", async () => {
  const cut = new AbortController();
  const { body } = await request(
    `${shop.url}/v1/shop/_realtime`,
    [{ id: "s", db: "main", collection: "notes" }],
    {},
    cut.signal,
  );
  if (body === null) throw new Error("no stream");
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader.read()).value).toContain("event: ready");
  expect(wheels()).toBe(1);
  for (let beats = 0; beats < 3; beats += 1) {
    pass(25);
    expect((await reader.read()).value).toBe(": heartbeat\n\n");
  }
  cut.abort();
  await until(() => expect(wheels()).toBe(0));
});
