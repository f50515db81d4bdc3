import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { kept } from "../kept.ts";
import { compareText } from "../text-order.ts";
import type { Filter, LeafFilter, Ordering, Scalar, SearchFilter, TextMatch } from "./algebra.ts";
import type { Field } from "./fields.ts";
import { fold } from "./fold.ts";
import { boundOf, midnightForms } from "./instants.ts";
import { likeTest } from "./like.ts";

type Predicate = (document: JsonObject) => boolean;
type ValueTest = (value: JsonValue) => boolean;

/** Filters last, and are asked about many documents. */
const predicates = new WeakMap<Filter, Predicate>();

/** Whether the filter is true of the document: the algebra's meaning, in memory. */
export function matches(filter: Filter, document: JsonObject): boolean {
  return kept(predicates, filter, () => predicateOf(filter))(document);
}

function predicateOf(filter: Filter): Predicate {
  switch (filter.op) {
    case "true":
      return () => true;
    case "false":
      return () => false;
    case "and": {
      const parts = filter.of.map(predicateOf);
      return (document) => parts.every((part) => part(document));
    }
    case "or": {
      const parts = filter.of.map(predicateOf);
      return (document) => parts.some((part) => part(document));
    }
    case "not": {
      const part = predicateOf(filter.of);
      return (document) => !part(document);
    }
    case "search":
      return searched(filter);
    case "exists":
      return (document) => reaches(document, filter.field, isPresent, false);
    case "equalsArray": {
      const test = sameArray(filter.field, filter.value);
      return (document) => reaches(document, filter.field, test, false);
    }
    default: {
      const test = leafTest(filter);
      return (document) => reaches(document, filter.field, test, true);
    }
  }
}

/**
 * Whether some non-null value that the path reaches in the document passes the test. With `elements`, an array where the
 * field's own value is declared as one counts element by element; without, as one value.
 */
export function reaches(document: JsonObject, field: Field, test: ValueTest, elements: boolean): boolean {
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

function leafTest(filter: Exclude<LeafFilter, { op: "exists" | "equalsArray" }>): ValueTest {
  switch (filter.op) {
    case "eq":
      return oneOf(filter.field, [filter.value]);
    case "in":
      return oneOf(filter.field, filter.values);
    case "lt":
    case "lte":
    case "gt":
    case "gte":
      return ordered(filter.op, filter.field, filter.value);
    case "between": {
      const from = ordered("gte", filter.field, filter.min);
      const to = ordered("lte", filter.field, filter.max);
      return (value) => from(value) && to(value);
    }
    case "like":
      return textTest(filter.ignoreCase, filter.pattern, likeTest);
    default:
      return textTest(filter.ignoreCase, filter.value, (part) => textMatches(filter.op, part));
  }
}

function oneOf(field: Field, expected: readonly Scalar[]): ValueTest {
  const values = new Set<JsonValue>(expected.flatMap((value) => formsOf(field, value)));
  const [only] = values;
  return values.size === 1 ? (value) => value === only : (value) => values.has(value);
}

/** A value as it may be stored in the field: of a midnight in either form. */
export function formsOf(field: Field, value: Scalar): readonly Scalar[] {
  const forms = midnightForms(field, value);
  return forms === undefined ? [value] : [forms.short, forms.long];
}

function sameArray(field: Field, expected: readonly (Scalar | null)[]): ValueTest {
  const tests = expected.map((element): ValueTest => {
    return element === null ? (value) => value === null : oneOf(field, [element]);
  });
  return (value) =>
    Array.isArray(value) && value.length === tests.length && tests.every((test, at) => test(value[at]));
}

function ordered(op: Ordering, field: Field, bound: string | number): ValueTest {
  if (typeof bound === "number") return (value) => typeof value === "number" && holds(op, value - bound);
  const text = boundOf(field, op, bound);
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

/** A test of strings, made from a text that both without case are compared as where `ignoreCase` says so. */
function textTest(
  ignoreCase: boolean,
  text: string,
  testFor: (text: string) => (value: string) => boolean,
): ValueTest {
  if (!ignoreCase) {
    const test = testFor(text);
    return (value) => typeof value === "string" && test(value);
  }
  const test = testFor(fold(text));
  return (value) => typeof value === "string" && test(fold(value));
}

function textMatches(op: TextMatch, part: string): (value: string) => boolean {
  switch (op) {
    case "startsWith":
      return (value) => value.startsWith(part);
    case "endsWith":
      return (value) => value.endsWith(part);
    case "contains":
      return (value) => value.includes(part);
  }
}

function searched({ index, terms }: SearchFilter): Predicate {
  const apart = (stems: readonly string[]) => ` ${stems.join(" ")} `;
  const phrases = terms.phrases.map(apart);
  const words = terms.words.map((word) => apart([word]));
  const excluded = terms.excluded.map(apart);
  if (phrases.length === 0 && words.length === 0) return () => false;

  return (document) => {
    const texts = index.stems(document).map((stems) => ` ${stems} `);
    const has = (part: string) => texts.some((text) => text.includes(part));
    if (excluded.some(has)) return false;
    return phrases.length > 0 ? phrases.every(has) : words.some(has);
  };
}
