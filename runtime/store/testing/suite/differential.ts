import fc from "fast-check";
import { expect, test } from "vitest";
import {
  compareDocuments,
  defaultOrder,
  isSeekable,
  type Order,
  type OrderKey,
  orderBy,
  type Position,
  positionOf,
} from "../../../filter/order.ts";
import { matches } from "../../../filter/predicate.ts";
import { runs } from "../../../testing/random.ts";
import type { StoreCollection } from "../../contract/collection.ts";
import type { DocumentWrite, Visibility } from "../../contract/document.ts";
import type { Find } from "../../contract/query.ts";
import type { Store } from "../../contract/store.ts";
import { expectSame, storedTwice } from "./alike.ts";
import { idsOf } from "./fixtures.ts";
import {
  fieldsOf,
  hostileNames,
  now,
  olderBody,
  parsed,
  pool,
  schemaWith,
  seed,
  serverFields,
  validBody,
  writtenAround,
} from "./random.ts";
import { alongOrBack, filterOver, keysOver } from "./random-filters.ts";

/** A collection, its documents, and queries of it. */
const settingWith = (names: readonly string[]) =>
  fc.record({ schema: schemaWith(names), pool, valid: fc.boolean() }).chain(({ schema, pool, valid }) => {
    const body = valid ? validBody(schema, pool) : fc.oneof(validBody(schema, pool), olderBody(schema, pool));
    const fields = fieldsOf(schema);
    const all = [...fields, ...serverFields];
    const documents = fc.uniqueArray(writtenAround(body), {
      selector: ({ id }) => id,
      minLength: 10,
      maxLength: 30,
    });
    const indexes = fc.array(fc.oneof(keysOver(fields), keysOver(all)), { maxLength: 4 });
    return fc.tuple(documents, indexes).chain(([documents, indexes]) => {
      const bodies = documents.map(parsed);
      const query = fc.record({
        filter: fc.oneof(
          { weight: 4, arbitrary: filterOver(fields, pool, bodies) },
          { weight: 1, arbitrary: filterOver(all, pool, bodies) },
        ),
        visibility: fc.constantFrom<Visibility>("live", "live", "deleted", "all"),
        order: fc.oneof(keysOver(fields), keysOver(all), ...indexes.map(alongOrBack)).map(orderBy),
        limit: fc.integer({ min: 1, max: 7 }),
      });
      return fc.record({
        fields: fc.constant(fields),
        all: fc.constant(all),
        documents: fc.constant(documents),
        indexes: fc.constant(indexes),
        queries: fc.array(query, { minLength: 30, maxLength: 60 }),
      });
    });
  });

/** Queries asked at the same time. */
const LANES = 8;

/** Pairs of a document and a filter after which no further collection is made. */
const PAIRS = runs(22_000);
const MOST_RUNS = runs(80);

/** What an engine's own tests say about it. */
export interface Differences {
  /** Some members are called so; else by all names that mean something to somebody. */
  readonly names?: readonly string[];
  /** Which indexes there may be; else any. */
  readonly canIndex?: (keys: readonly OrderKey[]) => boolean;
}

/**
 * Tests that an engine finds what filters match in memory, in the order in which memory compares. `open` opens a store
 * whose clock stands at {@link now}.
 */
export function describeDifferential(
  open: () => Promise<Store>,
  { names = hostileNames, canIndex = () => true }: Differences = {},
): void {
  test(`random documents and filters: the engine finds what matches in memory (seed ${seed})`, async () => {
    const store = await open();
    let [pairs, hits] = [0, 0];
    try {
      for (const [run, sample] of fc.sample(settingWith(names), { seed, numRuns: MOST_RUNS }).entries()) {
        if (pairs >= PAIRS) break;
        const { fields, all, documents, indexes, queries } = sample;
        const collections = await storedTwice(store, `app.r${run}`, all, documents, [
          ...fields.map((field) => [{ field, descending: false }]),
          ...indexes.filter(canIndex),
        ]);
        const check = async ({ filter, visibility, order, limit }: (typeof queries)[number], n: number) => {
          const visible = documents.filter((document) => isVisible(document, visibility));
          const expected = visible.filter((document) => matches(filter, parsed(document)));
          const compare = async (asking: Promise<readonly string[]>, by: Order) => {
            const found = await asking.catch((error: unknown) => {
              throw new Error(JSON.stringify({ filter, visibility, order, indexes }), { cause: error });
            });
            expectSame(found, sorted(expected, by), { documents, indexes, filter, visibility, order });
          };
          for (const collection of collections) {
            const found = collection.find({ filter, visibility, limit: 100, skip: 0 });
            await compare(found.then(idsOf), defaultOrder);
          }
          // Everything through one of them, by turns.
          const collection = collections[n % collections.length];
          if (collection === undefined) throw new Error("the documents are nowhere");
          await compare(walked(collection, { filter, visibility, order, limit }), order);
          pairs += visible.length;
          hits += expected.length;
        };
        const lanes = Array.from({ length: LANES }, async (_, lane) => {
          for (const [n, query] of queries.entries()) if (n % LANES === lane) await check(query, n);
        });
        for (const lane of await Promise.allSettled(lanes)) if (lane.status === "rejected") throw lane.reason;
      }
    } finally {
      await store.close();
    }
    console.log(
      `differential: seed ${seed}, ${pairs} pairs of a document and a filter, ${hits} of them match`,
    );
    expect(pairs).toBeGreaterThanOrEqual(runs(20_000));
    expect(hits).toBeGreaterThan(pairs / 20);
  }, 240_000);
}

function isVisible({ deletedAt }: DocumentWrite, visibility: Visibility): boolean {
  return visibility === "all" || (visibility === "deleted") === (deletedAt !== undefined);
}

function sorted(documents: readonly DocumentWrite[], order: Order): readonly string[] {
  const compared = compareDocuments(order);
  return documents
    .map((document) => ({ id: document.id, document: parsed(document) }))
    .sort((a, b) => compared(a.document, b.document))
    .map(({ id }) => id);
}

/** All ids page by page: from one position to the next where the order has positions, else by skipping. */
async function walked(
  collection: StoreCollection,
  {
    filter,
    visibility,
    order,
    limit,
  }: Pick<Find, "filter" | "visibility" | "limit"> & { readonly order: Order },
): Promise<readonly string[]> {
  const ids: string[] = [];
  let after: Position | undefined;
  // More than there are would be found only again and again.
  while (ids.length < 100) {
    const skip = after === undefined ? ids.length : 0;
    const page = await collection.find({ filter, visibility, order, after, limit, skip });
    ids.push(...idsOf(page));
    const last = page.at(-1);
    if (last === undefined || page.length < limit) break;
    if (isSeekable(order)) after = positionOf(order, JSON.parse(last.text));
  }
  return ids;
}
