import fc from "fast-check";
import { expect, test } from "vitest";
import { Frequency } from "./frequency.ts";
import { runs } from "./testing/random.ts";

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

test("a million in a minute are counted, and the next waits until those of the first 240th have left it", () => {
  let now = 0;
  const minute = 60_000;
  const frequency = new Frequency({ limit: 1_000_000, period: minute }, { now: () => now });
  let refused = 0;
  for (let call = 0; call < 1_000_000; call += 1) {
    now = Math.floor(call / 100);
    if (frequency.wait("a") > 0) refused += 1;
    frequency.count("a");
  }
  expect(refused).toBe(0);
  const free = minute + minute / 240 - 1;
  expect(frequency.wait("a")).toBe(free - now);
  now = free;
  expect(frequency.wait("a")).toBe(0);
});

test("no period has more than is allowed, and none waits for longer than a period and a 240th of it", () => {
  const limits = fc.constantFrom(1, 3, 240, 241, 500);
  const periods = fc.constantFrom(1_000, 60_000);
  const pauses = fc.array(fc.nat(300), { minLength: 300, maxLength: 1_500 });
  fc.assert(
    fc.property(limits, periods, pauses, (limit, period, pauses) => {
      let now = 0;
      const frequency = new Frequency({ limit, period }, { now: () => now });
      const width = limit <= 240 ? 1 : Math.ceil(period / 240);
      const taken: number[] = [];
      for (const pause of pauses) {
        now += pause % 7 === 0 ? pause : pause % 3;
        const wait = frequency.wait("a");
        // Of those before the newest that are allowed, the last: it has to leave the period.
        const oldest = taken.at(-limit);
        const exact = Math.max(0, oldest === undefined ? 0 : oldest + period - now);
        expect(wait).toBeGreaterThanOrEqual(exact);
        expect(wait).toBeLessThan(exact + width);
        if (wait > 0) continue;
        frequency.count("a");
        taken.push(now);
      }
    }),
    { numRuns: runs(500) },
  );
});
