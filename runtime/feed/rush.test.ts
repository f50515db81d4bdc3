import { expect, test } from "vitest";
import { Rush } from "./rush.ts";

/** Somebody comes every millisecond for so long, and each way takes so many: when those who came were taken along. */
function taken(milliseconds: number, took: number): readonly (readonly [came: number, at: number])[] {
  const rush = new Rush();
  const taken: (readonly [number, number])[] = [];
  for (let came = 0; came < milliseconds; ) {
    const at = came + rush.wait(came);
    rush.passed(at, at + took);
    taken.push([came, at]);
    // Those who come until then go along, and nobody overtakes them.
    came = Math.floor(at + took) + 1;
  }
  return taken;
}

test("who comes where nobody came lately is taken along at once", () => {
  const rush = new Rush();
  expect(rush.wait(0)).toBe(0);
  for (const now of [0, 3_000, 9_000]) {
    expect(rush.wait(now)).toBe(0);
    rush.passed(now, now + 500);
  }
});

test("however long they keep coming, the ways are few more, and all together take a small part of the time", () => {
  for (const took of [1, 10, 80]) {
    const [some, more] = [taken(4_000, took), taken(60_000, took)];
    expect(some.length).toBeLessThan(Math.log2(4_000 / took) + 4_000 / Math.min(50 * took, 1_000) + 2);
    expect(more.length * took).toBeLessThan(60_000 / 10);
  }
});

test("nobody waits longer than others have been coming, nor for more than a second", () => {
  for (const took of [1, 10, 80, 5_000]) {
    for (const [came, at] of taken(60_000, took)) {
      expect(at - came).toBeLessThanOrEqual(1_000);
      expect(at - came).toBeLessThanOrEqual(came);
    }
  }
});
