import { decimalOf } from "../../runtime/validation/multiples.ts";

/** Numbers as what their shortest decimals are in whole units of one power of ten. */
export function inOneScale<const T extends readonly number[]>(
  numbers: T,
): { readonly units: { readonly [K in keyof T]: bigint }; readonly exponent: number };
export function inOneScale(numbers: readonly number[]): { units: readonly bigint[]; exponent: number } {
  const decimals = numbers.map((number) => ({ ...decimalOf(number), negative: number < 0 }));
  const lowest = Math.min(...decimals.map(({ exponent }) => exponent));
  const units = decimals.map(({ digits, exponent, negative }) => {
    const size = BigInt(digits) * 10n ** BigInt(exponent - lowest);
    return negative ? -size : size;
  });
  return { units, exponent: lowest };
}

/**
 * The least number above zero that is a multiple of two such, all taken for their decimals: 0.3 of 0.1 and 0.15. The nearest
 * number where it has more digits than one can have.
 */
export function commonMultiple(one: number, other: number): number {
  if (one === other) return one;
  const { units, exponent } = inOneScale([one, other]);
  const [a, b] = units;
  return Number(`${(a / commonDivisor(a, b)) * b}e${exponent}`);
}

function commonDivisor(one: bigint, other: bigint): bigint {
  return other === 0n ? one : commonDivisor(other, one % other);
}
