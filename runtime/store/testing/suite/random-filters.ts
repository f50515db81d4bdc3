import fc from "fast-check";
import {
  and,
  between,
  compare,
  eq,
  equalsArray,
  exists,
  FALSE,
  type Filter,
  isIn,
  like,
  not,
  or,
  type Scalar,
  TRUE,
  text,
} from "../../../filter/algebra.ts";
import type { Field } from "../../../filter/fields.ts";
import type { OrderKey } from "../../../filter/order.ts";
import { reaches } from "../../../filter/predicate.ts";
import type { JsonObject, JsonValue } from "../../../json.ts";
import { type Pool, scalarIn } from "./random.ts";

/** Random filters and orders over a collection's fields. */

/** A filter over these fields: every leaf, every connective. Most values are some that the documents have there. */
export function filterOver(
  fields: readonly Field[],
  pool: Pool,
  documents: readonly JsonObject[],
): fc.Arbitrary<Filter> {
  const field = fc.constantFrom(...fields);
  const leaf = field.chain((of) => leafOver(of, pool, documents));
  const equality = field.chain((of) => storedScalar(of, pool, documents).map((value) => eq(of, value)));
  return fc.letrec<{ filter: Filter }>((tie) => {
    const several = fc.array(tie("filter"), { minLength: 2, maxLength: 3 });
    return {
      filter: fc.oneof(
        { maxDepth: 3 },
        { weight: 8, arbitrary: leaf },
        { weight: 2, arbitrary: fc.tuple(equality, leaf).map((of) => and(...of)) },
        { weight: 2, arbitrary: tie("filter").map(not) },
        { weight: 2, arbitrary: several.map((of) => and(...of)) },
        { weight: 2, arbitrary: several.map((of) => or(...of)) },
      ),
    };
  }).filter;
}

function leafOver(field: Field, pool: Pool, documents: readonly JsonObject[]): fc.Arbitrary<Filter> {
  const stored = storedValues(documents, field);
  const scalar = storedScalar(field, pool, documents);
  const string = mostly(
    stored.filter((value) => typeof value === "string"),
    fc.constantFrom(...pool.texts),
  );
  const bound = scalar.map((value) => (typeof value === "boolean" ? Number(value) : value));
  const ignoreCase = fc.boolean();
  const of = fc.constant(field);

  return fc.oneof(
    fc.tuple(of, scalar).map((all) => eq(...all)),
    fc.tuple(of, fc.array(scalar, { maxLength: 4 })).map((all) => isIn(...all)),
    fc.tuple(fc.constantFrom("lt", "lte", "gt", "gte"), of, bound).map((all) => compare(...all)),
    fc.tuple(bound, bound).map(([a, b]) => (a > b ? between(field, b, a) : between(field, a, b))),
    fc.tuple(of, bound, bound).map((all) => between(...all)),
    ...(keepsTexts(field)
      ? [
          fc
            .tuple(fc.constantFrom("startsWith", "endsWith", "contains"), of, part(string), ignoreCase)
            .map((all) => text(...all)),
          fc.tuple(of, pattern(string), ignoreCase).map((all) => like(...all)),
        ]
      : []),
    fc
      .tuple(of, fc.oneof(arrayLike(stored), fc.array(scalar, { maxLength: 2 })))
      .map((all) => equalsArray(...all)),
    of.map(exists),
    { weight: 1, arbitrary: fc.constantFrom(TRUE, FALSE) },
  );
}

/**
 * Whether a store knows the texts of all values. Neither lists nor rules ask for texts of dates; so it may keep a day and
 * its midnight alike, among the elements of one array.
 */
function keepsTexts({ kinds, arrays }: Field): boolean {
  const holdsBoth = kinds.includes("date") && kinds.includes("date-time");
  return kinds.includes("string") || !holdsBoth || !arrays.includes(true);
}

/** The stored ones where there are any, now and then another. */
function mostly<T>(stored: readonly T[], any: fc.Arbitrary<T>): fc.Arbitrary<T> {
  if (stored.length === 0) return any;
  return fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...stored) }, { weight: 1, arbitrary: any });
}

function storedScalar(field: Field, pool: Pool, documents: readonly JsonObject[]): fc.Arbitrary<Scalar> {
  return mostly(storedValues(documents, field).filter(isScalar), scalarIn(pool));
}

/** What the field reaches in the documents, arrays as a whole and by element. */
function storedValues(documents: readonly JsonObject[], field: Field): readonly JsonValue[] {
  const found: JsonValue[] = [];
  for (const document of documents) {
    for (const elements of [true, false]) {
      reaches(document, field, (value) => found.push(value) === 0, elements);
    }
  }
  return found;
}

const isScalar = (value: JsonValue): value is Scalar => value !== null && typeof value !== "object";

/** An array that is stored, or nearly. */
function arrayLike(stored: readonly JsonValue[]): fc.Arbitrary<(Scalar | null)[]> {
  const arrays = stored
    .filter((value) => Array.isArray(value))
    .map((array: readonly JsonValue[]) => array.filter((value) => value === null || isScalar(value)));
  if (arrays.length === 0) return fc.constantFrom<(Scalar | null)[]>([], [null]);
  return fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...arrays) },
    { weight: 1, arbitrary: fc.constantFrom(...arrays).map((array) => array.toReversed()) },
    { weight: 1, arbitrary: fc.constantFrom(...arrays).map((array) => array.slice(1)) },
  );
}

/** A piece of a text, in another case now and then. */
function part(string: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.tuple(recased(string), fc.nat(3), fc.nat(3), fc.boolean()).map(([whole, from, to, all]) => {
    const points = Array.from(whole);
    return all ? whole : points.slice(from % 2, Math.max(1, points.length - to)).join("");
  });
}

/** A pattern that comes from a text: points of it became wildcards, or wildcards stand between them. */
function pattern(string: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const change = fc.constantFrom("", "", "", "_", "%", "in%", "%%");
  return fc.tuple(recased(string), fc.array(change, { maxLength: 8 })).map(([whole, changes]) => {
    const points = Array.from(whole.slice(0, 30), (point, n) => {
      const to = changes[n % 8] ?? "";
      return to === "" ? point : to === "in%" ? `%${point}` : to;
    });
    return `${points.join("")}${changes.at(-1) === "%" ? "%" : ""}`;
  });
}

function recased(string: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.tuple(string, fc.constantFrom(0, 0, 1, 2, 3)).map(([whole, change]) => {
    if (change === 1) return whole.toUpperCase();
    if (change === 2) return whole.toLowerCase();
    if (change === 3) return whole.toUpperCase().toLowerCase();
    return whole;
  });
}

/** Up to three keys in any directions, of an index or an order. */
export function keysOver(fields: readonly Field[]): fc.Arbitrary<readonly OrderKey[]> {
  return fc.uniqueArray(fc.record({ field: fc.constantFrom(...fields), descending: fc.boolean() }), {
    selector: ({ field }) => field.path,
    minLength: 1,
    maxLength: 3,
  });
}

/** The keys, or their exact reverse. */
export function alongOrBack(keys: readonly OrderKey[]): fc.Arbitrary<readonly OrderKey[]> {
  const back = keys.map(({ field, descending }) => ({ field, descending: !descending }));
  return fc.constantFrom(keys, back);
}
