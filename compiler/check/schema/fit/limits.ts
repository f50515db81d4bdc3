/** Limits that exclude each other: of numbers, and of how much a text, array or object holds. */
import { inOneScale } from "../../../schema/decimals.ts";
import type { Part } from "../../../schema/place.ts";

/** A keyword with a number, and where it stands. */
export interface Limit {
  readonly part: Part;
  readonly keyword: string;
  readonly value: number;
}

/** Why nothing lies between two limits; `later` is the one to point at. */
export interface Conflict {
  readonly reason: string;
  readonly limit: Limit;
  readonly other?: Limit;
}

/** Of all the parts say by a keyword, the tightest. */
export function tightest(parts: readonly Part[], keyword: string, side: "least" | "most"): Limit | undefined {
  const limits = parts.flatMap((part) => {
    const value = part.schema[keyword];
    return typeof value === "number" ? [{ part, keyword, value }] : [];
  });
  const order = limits.sort((a, b) => (side === "least" ? b.value - a.value : a.value - b.value));
  return order[0];
}

/** `min…` above `max…`. */
export function countConflict(
  parts: readonly Part[],
  of: "Items" | "Length" | "Properties" | "Contains",
): Conflict | undefined {
  const least = tightest(parts, `min${of}`, "least");
  const most = tightest(parts, `max${of}`, "most");
  return least !== undefined && most !== undefined && least.value > most.value
    ? above(least, most)
    : undefined;
}

export function above(least: Limit, most: Limit): Conflict {
  const reason = `${least.keyword} ${least.value} is above ${most.keyword} ${most.value}`;
  return { reason, limit: least, other: most };
}

interface Bound {
  readonly limit: Limit;
  readonly exclusive: boolean;
}

/** @param whole only integers are asked about */
export function numberConflict(parts: readonly Part[], whole: boolean): Conflict | undefined {
  const lower = bound(parts, "minimum", "exclusiveMinimum", "least");
  const upper = bound(parts, "maximum", "exclusiveMaximum", "most");
  if (lower !== undefined && upper !== undefined) {
    const [least, most] = [lower.limit, upper.limit];
    const touching = least.value === most.value && (lower.exclusive || upper.exclusive);
    if (least.value > most.value) return above(least, most);
    if (touching)
      return {
        reason: `nothing lies between ${named(least)} and ${named(most)}`,
        limit: least,
        other: most,
      };
  }
  return (whole ? wholeConflict(lower, upper) : undefined) ?? multipleConflict(parts, lower, upper);
}

function bound(
  parts: readonly Part[],
  inclusive: string,
  exclusive: string,
  side: "least" | "most",
): Bound | undefined {
  const [at, beyond] = [tightest(parts, inclusive, side), tightest(parts, exclusive, side)];
  if (beyond === undefined) return at === undefined ? undefined : { limit: at, exclusive: false };
  const isTighter =
    at !== undefined && (side === "least" ? at.value > beyond.value : at.value < beyond.value);
  return isTighter ? { limit: at, exclusive: false } : { limit: beyond, exclusive: true };
}

/** No integer between the bounds, of those that documents may hold. */
function wholeConflict(lower: Bound | undefined, upper: Bound | undefined): Conflict | undefined {
  const first = lower === undefined ? -Number.MAX_SAFE_INTEGER : firstWhole(lower);
  const last = upper === undefined ? Number.MAX_SAFE_INTEGER : -firstWhole(negated(upper));
  const limit = (lower ?? upper)?.limit;
  if (
    limit === undefined ||
    (first <= last && first <= Number.MAX_SAFE_INTEGER && last >= -Number.MAX_SAFE_INTEGER)
  )
    return undefined;
  const other = lower === undefined || upper === undefined ? undefined : upper.limit;
  if (other !== undefined && first > last)
    return { reason: `no integer lies between ${named(limit)} and ${named(other)}`, limit, other };
  return { reason: `integers are within ±${Number.MAX_SAFE_INTEGER}, and this is ${named(limit)}`, limit };
}

function negated({ limit, exclusive }: Bound): Bound {
  return { limit: { ...limit, value: -limit.value }, exclusive };
}

function firstWhole({ limit: { value }, exclusive }: Bound): number {
  return exclusive && Number.isInteger(value) ? value + 1 : Math.ceil(value);
}

/** No multiple between the bounds. */
function multipleConflict(
  parts: readonly Part[],
  lower: Bound | undefined,
  upper: Bound | undefined,
): Conflict | undefined {
  if (lower === undefined || upper === undefined) return undefined;
  for (const part of parts) {
    const { multipleOf } = part.schema;
    if (typeof multipleOf !== "number" || !(multipleOf > 0)) continue;
    const { units } = inOneScale([lower.limit.value, upper.limit.value, multipleOf]);
    const [least, most, unit] = units;
    const count = quotient(least, unit) + (lower.exclusive && least % unit === 0n ? 1n : 0n);
    const first = count * unit;
    if (upper.exclusive ? first < most : first <= most) continue;
    const limit = { part, keyword: "multipleOf", value: multipleOf };
    return {
      reason: `no multiple of ${multipleOf} lies between ${named(lower.limit)} and ${named(upper.limit)}`,
      limit,
    };
  }
  return undefined;
}

/** Rounded up. */
function quotient(dividend: bigint, divisor: bigint): bigint {
  const whole = dividend / divisor;
  return dividend > whole * divisor ? whole + 1n : whole;
}

function named({ keyword, value }: Limit): string {
  return `${keyword} ${value}`;
}
