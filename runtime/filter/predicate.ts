import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { Filter, LeafFilter, Ordering, Scalar, TextMatch } from "./algebra.ts";
import type { Field } from "./fields.ts";
import { midnightForms } from "./instants.ts";

/** Whether the filter is true of the document: the algebra's meaning, in memory. */
export function matches(filter: Filter, document: JsonObject): boolean {
  switch (filter.op) {
    case "true":
      return true;
    case "false":
      return false;
    case "and":
      return filter.of.every((part) => matches(part, document));
    case "or":
      return filter.of.some((part) => matches(part, document));
    case "not":
      return !matches(filter.of, document);
    case "exists":
      return reaches(document, filter.field, isPresent, false);
    default:
      return reaches(document, filter.field, leafTest(filter), true);
  }
}

/**
 * Whether some non-null value that the path reaches in the document passes the test. With `elements`, an array where the
 * field's own value is declared as one counts element by element; without, as one value.
 */
export function reaches(
  document: JsonObject,
  field: Field,
  test: (value: JsonValue) => boolean,
  elements: boolean,
): boolean {
  const { segments, arrays } = field;
  const last = segments.length - 1;

  const walk = (value: JsonValue | undefined, at: number): boolean => {
    if (value === null || value === undefined) return false;
    if (at > last) return test(value);
    const next = member(value, segments[at] ?? "");
    if (arrays[at] === true && Array.isArray(next) && (elements || at < last)) {
      return next.some((element) => walk(element, at + 1));
    }
    return walk(next, at + 1);
  };
  return walk(document, 0);
}

/** Own members only: `constructor` and `__proto__` are plain data. Arrays and scalars have no members. */
function member(value: JsonValue, name: string): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

const isPresent = () => true;

function leafTest(filter: Exclude<LeafFilter, { op: "exists" }>): (value: JsonValue) => boolean {
  switch (filter.op) {
    case "eq":
      return equalTo(filter.field, filter.value);
    case "in": {
      const tests = filter.values.map((value) => equalTo(filter.field, value));
      return (value) => tests.some((test) => test(value));
    }
    case "lt":
    case "lte":
    case "gt":
    case "gte":
      return ordered(filter.op, filter.field, filter.value);
    default: {
      const { op, value: part } = filter;
      return (value) => typeof value === "string" && textMatches(op, value, part);
    }
  }
}

function equalTo(field: Field, expected: Scalar): (value: JsonValue) => boolean {
  const forms = midnightForms(field, expected);
  if (forms !== undefined) return (value) => value === forms.short || value === forms.long;
  return (value) => value === expected;
}

function ordered(op: Ordering, field: Field, bound: string | number): (value: JsonValue) => boolean {
  if (typeof bound === "number") return (value) => typeof value === "number" && holds(op, value - bound);
  const forms = midnightForms(field, bound);
  const text = forms === undefined ? bound : op === "lt" || op === "gte" ? forms.short : forms.long;
  return (value) => typeof value === "string" && holds(op, compareText(value, text));
}

function holds(op: Ordering, difference: number): boolean {
  switch (op) {
    case "lt":
      return difference < 0;
    case "lte":
      return difference <= 0;
    case "gt":
      return difference > 0;
    case "gte":
      return difference >= 0;
  }
}

function textMatches(op: TextMatch, value: string, part: string): boolean {
  switch (op) {
    case "startsWith":
      return value.startsWith(part);
    case "endsWith":
      return value.endsWith(part);
    case "contains":
      return value.includes(part);
  }
}

/** Orders strings by code point: negative when `a` comes first. (JavaScript's `<` orders by UTF-16 unit.) */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const shorter = Math.min(a.length, b.length);
  for (let at = 0; at < shorter; at++) {
    const difference = a.charCodeAt(at) - b.charCodeAt(at);
    if (difference !== 0) return rank(a.charCodeAt(at)) - rank(b.charCodeAt(at));
  }
  return a.length - b.length;
}

/** Surrogates stand for code points above every other unit. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
