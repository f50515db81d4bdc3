import { expect, test } from "vitest";
import { and, compare, eq, exists, FALSE, type Filter, isIn, not, or, TRUE } from "./algebra.ts";
import { confinedTo } from "./confined.ts";
import { field } from "./fields.ts";

const org = field("_meta.org", "string");
const title = field("title", "string");
const a = eq(org, "a");
const b = eq(org, "b");
const open = eq(title, "open");

test.each<[string, Filter, readonly string[] | undefined]>([
  ["a value", a, ["a"]],
  ["some values", isIn(org, ["a", "b"]), ["a", "b"]],
  ["nothing holds", FALSE, []],
  ["everything holds", TRUE, undefined],
  ["another field", open, undefined],
  ["a conjunction of which one part tells", and(open, a), ["a"]],
  ["a conjunction of which several tell: the fewest", and(isIn(org, ["a", "b"]), or(a, open), b), ["b"]],
  ["a disjunction all of whose parts tell", or(and(a, open), b), ["a", "b"]],
  ["a disjunction of which one part does not", or(a, open), undefined],
  ["what it must not be", not(a), undefined],
  ["that it is there", exists(org), undefined],
  ["an order", compare("lt", org, "a"), undefined],
  ["groups in groups", and(open, or(a, and(open, or(b, and(a, open))))), ["a", "b"]],
])("the values that a filter confines a field to: %s", (_, filter, values) => {
  const confined = confinedTo(filter, org);
  expect(confined && [...confined].toSorted()).toEqual(values);
});

test("an array has other elements beside the one that is looked for", () => {
  const tags = field("tags", "string", ["tags"]);
  expect(confinedTo(eq(tags, "a"), tags)).toBeUndefined();
});
