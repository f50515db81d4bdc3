import type { Document, Hint } from "mongodb";
import type { Filter } from "../../../filter/algebra.ts";
import { confinedTo } from "../../../filter/confined.ts";
import type { Field } from "../../../filter/fields.ts";
import { kept } from "../../../kept.ts";
import type { Find } from "../../contract/query.ts";
import type { CollectionShape } from "../../contract/shape.ts";
import { isUnknownHint } from "../errors.ts";
import { declaredDefinition } from "../indexes.ts";
import { pathOf } from "../layout.ts";
import type { Sorting } from "./order.ts";

/**
 * Values of a field for each of which MongoDB reads an index in order and merges what it finds
 * (`internalQueryMaxScansToExplode`); for more of them it reads all documents of all values, and sorts these.
 */
const MERGED = 200;

/** An index that has documents in an order, and a field of theirs beside. */
interface Walk {
  readonly path: readonly string[];
  readonly beside: Field;
  readonly key: Document;
}

/**
 * The index, by its keys, that a page is to be read along because the planner would choose to sort: where documents are
 * those of very many values of a field (the organizations of a caller), and an index has them in the order that is asked
 * for with that field beside.
 */
export function forcedIndex(
  shape: CollectionShape,
  { filter, visibility }: Find,
  { keys }: Sorting,
): Document | undefined {
  if (visibility !== "live") return undefined;
  const walks = kept(walksOf, shape, () => walksIn(shape));
  if (walks.length === 0) return undefined;
  const isReversed = keys[0]?.descending === true;
  if (keys.some(({ descending }) => descending !== isReversed)) return undefined;
  return walks.find(
    ({ path, beside }) =>
      path.length === keys.length &&
      keys.every((key, at) => key.path === path[at]) &&
      namesMany(filter, beside),
  )?.key;
}

/** Asks along an index, or, where somebody has dropped it, as the planner likes. */
export async function hinted<T>(
  hint: Hint | undefined,
  ask: (options: { readonly hint?: Hint }) => Promise<T>,
): Promise<T> {
  if (hint === undefined) return ask({});
  try {
    return await ask({ hint });
  } catch (error) {
    if (isUnknownHint(error)) return ask({});
    throw error;
  }
}

const walksOf = new WeakMap<CollectionShape, readonly Walk[]>();

function walksIn({ name, indexes }: CollectionShape): readonly Walk[] {
  return indexes.flatMap((index) => {
    const beside = index.keys.at(-1)?.field;
    const made = index.unique ? undefined : declaredDefinition(name, index);
    if (made === undefined || beside === undefined || index.keys.length < 2) return [];
    if (index.keys.some(({ descending }) => descending)) return [];
    const path = index.keys.slice(0, -1).map(({ field }) => pathOf(field));
    return [{ path, beside, key: Object.fromEntries(made.key) }];
  });
}

const many = new WeakMap<Filter, Map<string, boolean>>();

/** Asked again for the same filter as long as its caller's organizations are the same. */
function namesMany(filter: Filter, field: Field): boolean {
  const known = kept(many, filter, () => new Map<string, boolean>());
  return kept(known, field.path, () => (confinedTo(filter, field)?.size ?? 0) > MERGED);
}
