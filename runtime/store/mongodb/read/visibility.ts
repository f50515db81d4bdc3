import type { Document } from "mongodb";
import type { Clock } from "../../../clock.ts";
import { type Filter, searchIn } from "../../../filter/algebra.ts";
import type { Visibility } from "../../contract/document.ts";
import type { CollectionShape } from "../../contract/shape.ts";
import type { Provisioned } from "../engine.ts";
import { isThere } from "../indexes.ts";
import { columns, isDeleted, isLive, pathOf } from "../layout.ts";
import { lower, pathsWithValues } from "./filter.ts";

/** The documents that a read looks at: the conditions stand at the top of its query, where indexes see them. */
export function visible({ permanent = false }: CollectionShape, of: Visibility, now: number): Document {
  // True of missing and null, too.
  const isKept = { [columns.purgeAt]: { $not: { $lte: new Date(now) } } };
  switch (of) {
    case "live":
      return permanent ? isLive : { ...isLive, ...isKept };
    case "deleted":
      return { ...isDeleted, ...isKept };
    case "all":
      return isKept;
  }
}

/** Of these the ones that satisfy a filter, and further conditions. */
export function chosen(
  { shape, regularity }: Pick<Provisioned, "shape" | "regularity">,
  clock: Clock,
  filter: Filter,
  visibility: Visibility,
  ...further: readonly Document[]
): Document {
  const conditions =
    filter.op === "true"
      ? further
      : [lower(filter, regularity), ...valuesOfUniqueIndexes(shape, filter), ...further];
  const seen = (of: Visibility) => {
    const condition = visible(shape, of, clock.now());
    return conditions.length === 0 ? condition : { ...condition, $and: conditions };
  };
  return visibility === "all" && isAskedApart(filter) ? { $or: bothParts.map(seen) } : seen(visibility);
}

export const bothParts = ["live", "deleted"] as const;

/**
 * Whether documents of any visibility that satisfy the filter are asked for as live ones and as deleted ones: declared
 * indexes are over either, and serve no query for both. A search has one that is over all, and must stand outside of `$or`.
 */
export function isAskedApart(filter: Filter): boolean {
  return filter.op !== "true" && searchIn(filter) === undefined;
}

/**
 * What unique indexes say of their documents where the filter says it, too: that there is a value under each key. MongoDB
 * uses them only for queries that repeat it; it does not conclude it from a comparison.
 */
function valuesOfUniqueIndexes({ indexes }: CollectionShape, filter: Filter): Document[] {
  const unique = indexes.filter((index) => index.unique);
  if (unique.length === 0) return [];
  const given = pathsWithValues(filter);
  return unique
    .filter(({ keys }) => keys.every(({ field }) => given.has(field.path)))
    .map(({ keys }) => Object.fromEntries(keys.map(({ field }) => [pathOf(field), isThere])));
}
