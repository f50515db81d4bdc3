import { passesArray } from "../../../filter/fields.ts";
import type { OrderKey } from "../../../filter/order.ts";

/** Where the test server, or MongoDB itself, cannot do what a test asks for. */
export interface Divergence {
  /** Part of the test's full title: `suite > test`. */
  readonly test: string;
  /** What MongoDB's manual says, and what the test server does instead; or why no MongoDB can. */
  readonly reason: string;
}

/**
 * Tests that are skipped when the tests run on MongoDB, with the reason in the report. The test server is DocumentDB
 * behind a gateway, not MongoDB: where it differs from MongoDB's manual the manual decides, and the test stands here.
 */
export const divergences: readonly Divergence[] = [
  {
    test: "aggregate > the ends of time lie in periods, too",
    reason:
      "MongoDB's dates reach beyond the years 0 to 9999 on both sides, and $dateTrunc with them; the test server counts no year 0, and makes no dates outside 1 to 9999",
  },
  {
    test: "a word of a weightier field beats many of a lighter one",
    reason:
      "MongoDB adds less for every further occurrence of a word, so that it counts double at most; the test server's scores are PostgreSQL's ranks, which grow with each",
  },
  {
    test: "the engine's own query language would mean something by is text: nea* OR",
    reason: "MongoDB knows no operators but quotes and dashes; the test server takes the word or for one",
  },
  {
    test: "Full-text search 3: fox OR house",
    reason: "as above",
  },
];

/** Why a test is skipped, by its full title; undefined for one that runs. */
export function divergenceOf(title: string): string | undefined {
  return divergences.find(({ test }) => title.includes(test))?.reason;
}

/**
 * Members whose names begin with `$` or are empty have no path in queries of MongoDB. No document has any: requests are
 * refused that have members of the first kind, and paths name no members of the second one.
 */
export const isStorable = (name: string): boolean => name !== "" && !name.startsWith("$");

/**
 * Indexes that the test server's queries do not survive: where an array is not the first key and a query binds the keys
 * before it, a range within one element (`$elemMatch`) is refused ("invalid bson type"), or ends the server (signal 11).
 * MongoDB's manual knows no such limit.
 */
export const canIndex = (keys: readonly OrderKey[]): boolean =>
  !keys.slice(1).some(({ field }) => passesArray(field));
