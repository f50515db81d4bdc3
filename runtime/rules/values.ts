/**
 * What the operators of the rule language mean, for emitted check functions. They take values of any shape, since stored
 * documents may be older than their schema: a value of another type than expected satisfies nothing, and nothing throws.
 * Null and missing are the same, *absent*. The filters of the same rules agree with them (see filter/predicate.ts).
 */
import type { Scalar } from "../filter/algebra.ts";
import { isJsonObject } from "../json.ts";
import { compareText } from "../text-order.ts";
import type { ComparedWith, ItemOf } from "./compared.ts";

/** `x == null`. */
export function absent(value: unknown): boolean {
  return value === null || value === undefined;
}

/** `x != null`. */
export function present(value: unknown): boolean {
  return value !== null && value !== undefined;
}

/** `document != null` in a field's write rule: what stands for the document on create has no id. */
export function isStored(document: unknown): boolean {
  return present(member(document, "id"));
}

/** `a == b` of two values: both present, scalar and equal. */
export function same<const A, const B>(a: A, b: B & ComparedWith<NoInfer<A>, B>): boolean {
  return isSame(a, b);
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b && isScalar(a);
}

/** `a < b`: numbers by size, texts by code point. Dates have helpers of their own. */
export function less(a: unknown, b: unknown): boolean {
  return order(a, b) < 0;
}

/** `a <= b`. */
export function atMost(a: unknown, b: unknown): boolean {
  return order(a, b) <= 0;
}

/** `a > b`. */
export function greater(a: unknown, b: unknown): boolean {
  return order(a, b) > 0;
}

/** `a >= b`. */
export function atLeast(a: unknown, b: unknown): boolean {
  return order(a, b) >= 0;
}

/** `list` has an element. */
export function nonEmpty(list: unknown): boolean {
  return Array.isArray(list) && list.length > 0;
}

/** NaN, for which every comparison is false, where the two have no order. */
function order(a: unknown, b: unknown): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "string" && typeof b === "string") return compareText(a, b);
  return Number.NaN;
}

/** `list.includes(item)`; a scalar stored where a list is declared is a list of one. */
export function includes<const List, const Item>(
  list: List,
  item: Item & ItemOf<NoInfer<List>, Item>,
): boolean {
  return Array.isArray(list) ? isScalar(item) && list.includes(item) : isSame(list, item);
}

/** `text.includes(part)`. */
export function contains(text: unknown, part: unknown): boolean {
  return typeof text === "string" && typeof part === "string" && text.includes(part);
}

/** `text.startsWith(part)`. */
export function startsWith(text: unknown, part: unknown): boolean {
  return typeof text === "string" && typeof part === "string" && text.startsWith(part);
}

/** `text.endsWith(part)`. */
export function endsWith(text: unknown, part: unknown): boolean {
  return typeof text === "string" && typeof part === "string" && text.endsWith(part);
}

/** `x.length` of a text (in UTF-16 units, as everywhere in TypeScript) or a list. */
export function length(value: unknown): number | undefined {
  return typeof value === "string" || Array.isArray(value) ? value.length : undefined;
}

/** The value at a path through objects, own members only: a field may be called `constructor` or `length`. */
export function member(value: unknown, ...path: readonly string[]): unknown {
  let reached = value;
  for (const name of path) {
    if (!isJsonObject(reached) || !Object.hasOwn(reached, name)) return undefined;
    reached = reached[name];
  }
  return reached;
}

export function isScalar(value: unknown): value is Scalar {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
