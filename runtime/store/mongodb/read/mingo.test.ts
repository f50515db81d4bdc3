import fc from "fast-check";
import { Query } from "mingo";
import { expect, test } from "vitest";
import type { Filter, Scalar } from "../../../filter/algebra.ts";
import type { Field } from "../../../filter/fields.ts";
import { matches } from "../../../filter/predicate.ts";
import { runs } from "../../../testing/random.ts";
import {
  fieldsOf,
  olderBody,
  parsed,
  plainSchema,
  pool,
  seed,
  validBody,
  writtenAround,
} from "../../testing/suite/random.ts";
import { filterOver } from "../../testing/suite/random-filters.ts";
import { asRegExp } from "../testing/patterns.ts";
import { encoderFor } from "../write/codec.ts";
import { lower } from "./filter.ts";

/**
 * Another opinion on lowered filters: mingo, which answers MongoDB's queries in memory, over documents as they are
 * stored. Filters are lowered as the documents have it, and as if every field were irregular. Of mingo's own faults
 * some are got round ({@link asMingo}), others leave filters out ({@link isMeantAlike}).
 */

/**
 * - Patterns are JavaScript's, not PCRE's.
 * - Comparisons with null, in expressions, are those of queries.
 * - `$type` knows only the value itself, not the elements of an array; a comparison with the first of all dates does.
 */
function asMingo(query: unknown): unknown {
  if (Array.isArray(query)) return query.map(asMingo);
  if (typeof query !== "object" || query === null || query instanceof Date) return query;
  if (Object.getPrototypeOf(query) !== Object.prototype) return query;
  const entries = Object.entries(query).map(([name, value]): [string, unknown] => {
    if (name === "$regex") return [name, asRegExp(String(value))];
    if (name === "regex") return [name, asRegExp(String(value.$literal))];
    if (name === "$gt" && Array.isArray(value) && value[1] === null)
      return ["$not", [{ $in: [{ $type: asMingo(value[0]) }, ["missing", "undefined", "null"]] }]];
    if (name === "$type" && value === "date") return ["$gte", new Date(-8.64e15)];
    return [name, asMingo(value)];
  });
  return Object.fromEntries(entries);
}

/**
 * - Strings are ordered by UTF-16 unit, which from surrogates on is not by code point.
 * - What a path reaches through several arrays is not found by all operators.
 */
function isMeantAlike(filter: Filter): boolean {
  switch (filter.op) {
    case "and":
    case "or":
      return filter.of.every(isMeantAlike);
    case "not":
      return isMeantAlike(filter.of);
    case "true":
    case "false":
    case "search":
      return true;
  }
  if (filter.field.arrays.filter((isArray) => isArray).length > 1) return false;
  switch (filter.op) {
    case "lt":
    case "lte":
    case "gt":
    case "gte":
      return isOrderedAlike(filter.value);
    case "between":
      return isOrderedAlike(filter.min) && isOrderedAlike(filter.max);
    default:
      return true;
  }
}

const isOrderedAlike = (bound: Scalar) => typeof bound !== "string" || !/[\ud800-\uffff]/.test(bound);

const setting = fc
  .record({ schema: plainSchema, pool, valid: fc.boolean() })
  .chain(({ schema, pool, valid }) => {
    const fields = fieldsOf(schema);
    const body = valid ? validBody(schema, pool) : fc.oneof(validBody(schema, pool), olderBody(schema, pool));
    return fc.array(writtenAround(body), { minLength: 10, maxLength: 20 }).chain((documents) =>
      fc.record({
        fields: fc.constant(fields),
        documents: fc.constant(documents),
        filters: fc.array(filterOver(fields, pool, documents.map(parsed)), { minLength: 20, maxLength: 40 }),
      }),
    );
  });

test(`random documents and filters: mingo finds by the lowered filter what the filter matches (seed ${seed})`, () => {
  let [pairs, hits] = [0, 0];
  const check = fc.property(setting, ({ fields, documents, filters }) => {
    const table = Object.fromEntries(fields.map((field) => [field.path, field]));
    const encode = encoderFor({ name: "app.any", fields: table, indexes: [], feed: false });
    const stored = documents.map(encode);
    const irregular = new Set(stored.flatMap((document) => document.irregular.map(({ path }) => path)));
    const note = async () => undefined;
    const asStored = { isRegular: ({ path }: Field) => !irregular.has(path), note };
    const none = { isRegular: () => false, note };
    for (const filter of filters) {
      if (!isMeantAlike(filter)) continue;
      for (const regularity of [asStored, none]) {
        const lowered = lower(filter, regularity);
        const query = new Query(Object(asMingo(lowered)));
        for (const [n, write] of documents.entries()) {
          const expected = matches(filter, parsed(write));
          const found = query.test(Object(stored[n]?.document));
          if (found !== expected)
            expect({ filter, lowered, text: write.text, found }).toEqual({ found: expected });
          pairs++;
          if (expected) hits++;
        }
      }
    }
  });
  fc.assert(check, { seed, numRuns: runs(50) });
  expect(pairs).toBeGreaterThan(runs(20_000));
  expect(hits).toBeGreaterThan(pairs / 20);
});
