import { expect, test } from "vitest";
import { Frequency } from "./frequency.ts";

test("a caller may do it so often in a period, wherever that begins, and waits for the rest of it", () => {
  let now = 0;
  const frequency = new Frequency({ limit: 2, period: 1_000 }, { now: () => now });
  const tried = [0, 400, 900, 1_000, 1_300, 1_400].map((at) => {
    now = at;
    const wait = frequency.wait("a");
    if (wait === 0) frequency.count("a");
    return wait;
  });
  expect(tried).toEqual([0, 0, 100, 0, 100, 0]);
  expect(frequency.wait("b")).toBe(0);
});

test("what a clock that was wrong has counted holds up nobody", () => {
  let now = 1_000_000;
  const frequency = new Frequency({ limit: 1, period: 1_000 }, { now: () => now });
  frequency.count("a");
  now = 0;
  expect(frequency.wait("a")).toBe(0);
});

test("what is known is bounded: the caller quiet for longest is forgotten", () => {
  const frequency = new Frequency({ limit: 1, period: 1_000 }, { now: () => 0 });
  for (let at = 0; at <= 10_000; at += 1) frequency.count(`address:${at}`);
  expect(frequency.wait("address:0")).toBe(0);
  for (const known of [1, 10_000]) expect(frequency.wait(`address:${known}`)).toBe(1_000);
});
