import fc from "fast-check";
import { expect, test } from "vitest";
import { isMultipleOf } from "../../runtime/validation/multiples.ts";
import { commonMultiple } from "./decimals.ts";

test("common multiples are those of decimals", () => {
  for (const [one, other, multiple] of [
    [4, 6, 12],
    [0.1, 0.15, 0.3],
    [0.01, 0.07, 0.07],
    [0.1, 0.7, 0.7],
    [1.1, 2.2, 2.2],
    [0.3, 1, 3],
    [1e-7, 0.25, 0.25],
    [1e300, 3, 3e300],
    [0.000015, 250_000, 750_000],
  ] as const) {
    expect(commonMultiple(one, other)).toBe(multiple);
    expect(commonMultiple(other, one)).toBe(multiple);
  }
});

test("they are multiples of both, and the least", () => {
  const decimal = fc
    .tuple(fc.integer({ min: 1, max: 20_000 }), fc.integer({ min: -12, max: 8 }))
    .map(([digits, exponent]) => Number(`${digits}e${exponent}`));
  fc.assert(
    fc.property(decimal, decimal, (one, other) => {
      const least = commonMultiple(one, other);
      fc.pre(least < 1e15 * Math.min(one, other));
      expect([isMultipleOf(least, one), isMultipleOf(least, other)]).toEqual([true, true]);
      for (const prime of [2, 3, 5, 7, 11, 13]) {
        const less = Number((least / prime).toPrecision(15));
        if (isMultipleOf(least, less))
          expect(isMultipleOf(less, one) && isMultipleOf(less, other)).toBe(false);
      }
    }),
  );
});
