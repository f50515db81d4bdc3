import fc from "fast-check";
import { Query } from "mingo";
import { expect, test } from "vitest";
import type { Filter, TextMatch } from "../../../filter/algebra.ts";
import type { Field } from "../../../filter/fields.ts";
import { matches } from "../../../filter/predicate.ts";
import { runs } from "../../../testing/random.ts";
import { fieldsOf, plainSchema, pool, seed, validBody } from "./random.ts";
import { filterOver } from "./random-filters.ts";

/**
 * A third opinion: mingo, which answers MongoDB's queries in memory, over valid documents. Where MongoDB means something
 * else a filter has no query:
 * - dates, of which midnights have two forms for us and which MongoDB stores as dates;
 * - strings in order by UTF-16 unit, which is mingo's, where that is not by code point;
 * - the range within one element of an inner array, for which MongoDB knows only `$elemMatch` array by array;
 * - arrays within arrays, and whole arrays there: mingo joins what it reaches into one;
 * - the presence of a path through arrays, which for MongoDB is null as soon as one of its values is.
 */
type Criteria = Record<string, unknown>;

function asCriteria(filter: Filter): Criteria | undefined {
  switch (filter.op) {
    case "true":
      return {};
    case "false":
      return { $nor: [{}] };
    case "and":
      return several("$and", filter.of);
    case "or":
      return several("$or", filter.of);
    case "not":
      return several("$nor", [filter.of]);
    case "search":
      return undefined;
    default: {
      const { field } = filter;
      const condition = isMeantAlike(field) ? conditionOf(filter) : undefined;
      return condition === undefined ? undefined : { [field.path]: condition };
    }
  }
}

function isMeantAlike({ kinds, arrays }: Field): boolean {
  return !kinds.some((kind) => kind.startsWith("date")) && arrays.filter((isArray) => isArray).length <= 1;
}

function several(operator: "$and" | "$or" | "$nor", filters: readonly Filter[]): Criteria | undefined {
  const of = filters.map(asCriteria);
  return of.includes(undefined) ? undefined : { [operator]: of };
}

function conditionOf(filter: Extract<Filter, { field: Field }>): unknown {
  const { field } = filter;
  switch (filter.op) {
    case "eq":
      return { $eq: filter.value };
    case "in":
      return { $in: filter.values };
    case "lt":
    case "lte":
    case "gt":
    case "gte":
      return isOrderedAlike(filter.value) ? { [`$${filter.op}`]: filter.value } : undefined;
    case "between": {
      if (![filter.min, filter.max].every(isOrderedAlike)) return undefined;
      const range = { $gte: filter.min, $lte: filter.max };
      if (passesOuterArray(field)) return undefined;
      return field.arrays.at(-1) === true ? { $elemMatch: range } : range;
    }
    case "like": {
      const pattern = escaped(filter.pattern).replaceAll("%", "[^]*").replaceAll("_", "[^]");
      return regExp(`^${pattern}$`, filter.ignoreCase);
    }
    case "startsWith":
    case "endsWith":
    case "contains":
      return regExp(anchored(filter.op, escaped(filter.value)), filter.ignoreCase);
    case "equalsArray":
      return passesOuterArray(field) ? undefined : { $eq: filter.value };
    case "exists":
      return field.arrays.includes(true) ? undefined : { $ne: null };
  }
}

const passesOuterArray = ({ arrays }: Field) => arrays.slice(0, -1).includes(true);
const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
const regExp = (pattern: string, ignoreCase: boolean) => new RegExp(pattern, ignoreCase ? "iu" : "u");

function anchored(op: TextMatch, part: string): string {
  switch (op) {
    case "startsWith":
      return `^${part}`;
    case "endsWith":
      return `${part}$`;
    case "contains":
      return part;
  }
}

/** Only from surrogates on do the two orders differ. */
const isOrderedAlike = (bound: string | number) =>
  typeof bound === "number" || !/[\ud800-\uffff]/.test(bound);

const setting = fc.record({ schema: plainSchema, pool }).chain(({ schema, pool }) => {
  const fields = fieldsOf(schema);
  return fc.array(validBody(schema, pool), { minLength: 10, maxLength: 20 }).chain((documents) =>
    fc.record({
      documents: fc.constant(documents),
      filters: fc.array(filterOver(fields, pool, documents), { minLength: 20, maxLength: 40 }),
    }),
  );
});

test(`random documents and filters: mingo matches the same where MongoDB means the same (seed ${seed})`, () => {
  let [pairs, hits] = [0, 0];
  const check = fc.property(setting, ({ documents, filters }) => {
    for (const filter of filters) {
      const criteria = asCriteria(filter);
      if (criteria === undefined) continue;
      const query = new Query(criteria);
      for (const document of documents) {
        const expected = matches(filter, document);
        expect({ filter, document, matches: query.test(document) }).toEqual({
          filter,
          document,
          matches: expected,
        });
        pairs++;
        if (expected) hits++;
      }
    }
  });
  fc.assert(check, { seed, numRuns: runs(100) });
  expect(pairs).toBeGreaterThan(runs(10_000));
  expect(hits).toBeGreaterThan(pairs / 20);
});
