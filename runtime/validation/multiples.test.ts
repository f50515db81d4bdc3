import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isMultipleOf } from "./multiples.ts";

/** A decimal as an exact fraction, by the textbook: `<coefficient> / <power of ten>`. */
function fractionOf(text: string): { readonly over: bigint; readonly under: bigint } {
  const [mantissa = "", power = "0"] = text.split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const exponent = Number(power) - fraction.length;
  const coefficient = BigInt(whole + fraction);
  return exponent < 0
    ? { over: coefficient, under: 10n ** BigInt(-exponent) }
    : { over: coefficient * 10n ** BigInt(exponent), under: 1n };
}

function exactly(value: number, divisor: number): boolean {
  const a = fractionOf(String(value));
  const b = fractionOf(String(divisor));
  return (a.over * b.under) % (a.under * b.over) === 0n;
}

const decimal = fc
  .tuple(fc.integer({ min: 1, max: 10 ** 12 }), fc.integer({ min: -330, max: 290 }))
  .map(([digits, exponent]) => Number(`${digits}e${exponent}`))
  .filter((number) => number > 0);
const near = fc
  .tuple(fc.integer({ min: 1, max: 10 ** 6 }), fc.integer({ min: -8, max: 8 }))
  .map(([digits, exponent]) => Number(`${digits}e${exponent}`));
const positive = fc
  .oneof(near, decimal, fc.double({ noNaN: true, noDefaultInfinity: true }).map(Math.abs))
  .filter((each) => each > 0);

describe("multiples", () => {
  test("are those of exact decimal arithmetic", () => {
    const value = fc.oneof(
      positive,
      positive.map((each) => -each),
      fc.constantFrom(0, -0),
    );
    fc.assert(
      fc.property(value, positive, (a, b) => {
        expect(isMultipleOf(a, b)).toBe(exactly(a, b));
      }),
      { numRuns: 3_000 },
    );
  });

  test("of a decimal are found from its whole multiples", () => {
    fc.assert(
      fc.property(near, fc.integer({ min: -(10 ** 6), max: 10 ** 6 }), (unit, times) => {
        const { over, under } = fractionOf(String(unit));
        const product = over * BigInt(times);
        const digits = String(product < 0n ? -product : product);
        const value = Number(`${product < 0n ? "-" : ""}${digits}e-${String(under).length - 1}`);
        // Sixteen digits and more may not be what the double holds.
        if (digits.replace(/0+$/, "").length <= 15) expect(isMultipleOf(value, unit)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test("are decided at the ends of what doubles hold", () => {
    expect(isMultipleOf(Number.MAX_VALUE, Number.MIN_VALUE)).toBe(
      exactly(Number.MAX_VALUE, Number.MIN_VALUE),
    );
    expect(isMultipleOf(1e308, 1e-308)).toBe(true);
    expect(isMultipleOf(1e-308, 1e308)).toBe(false);
    expect(isMultipleOf(1e308, 0.123456789)).toBe(false);
    expect(isMultipleOf(1e22, 7)).toBe(false);
    expect(isMultipleOf(7e22, 7)).toBe(true);
    expect(isMultipleOf(12391239123, 1e-8)).toBe(true);
    expect(isMultipleOf(-0, 0.01)).toBe(true);
  });
});
