import type { TableIndex } from "../indexes.ts";
import type { Narrowing } from "./narrowing.ts";
import type { SortKey } from "./order.ts";

/** A way along an index that gives rows in an order, or nearly so. */
export interface Walk {
  readonly index: TableIndex;
  /** Leading columns that the filter holds to one value each. */
  readonly bound: number;
  /** The filter wants a range of the column after these. */
  readonly ranged: boolean;
  /** Leading keys of the order that the columns after them follow; rows equal in these have yet to be sorted. */
  readonly walked: number;
}

/**
 * The walks worth trying, best first: those that the filter narrows down go through few rows, and of others the one that
 * follows most of the order. `keys` are without those that the filter holds to one value.
 */
export function walksAlong(
  indexes: readonly TableIndex[],
  keys: readonly SortKey[],
  narrowing: Narrowing,
): readonly Walk[] {
  const walks = indexes.flatMap((index) => walkAlong(index, keys, narrowing) ?? []);
  const single = walks.find(findsOne);
  if (single !== undefined) return [single];
  const { asked } = narrowing;
  const covered = ({ index }: Walk) =>
    keys.filter(({ sql }) => index.columns.some((key) => key.sql === sql)).length;
  // Columns that nobody asks for only make an index longer; those that the filter asks for save looking at rows.
  const suits = ({ index: { columns } }: Walk) =>
    columns.reduce(
      (sum, { sql }) => sum + (asked.has(sql) ? 1 : keys.some((key) => key.sql === sql) ? 0 : -1),
      0,
    );
  walks.sort(
    (a, b) =>
      narrowness(b) - narrowness(a) || b.walked - a.walked || covered(b) - covered(a) || suits(b) - suits(a),
  );
  const narrow = walks.filter(isNarrow);
  return narrow.length > 0 ? narrow : walks.slice(0, 1);
}

/** At most one row. */
export function findsOne({ index, bound }: Walk): boolean {
  return index.unique && bound === index.columns.length;
}

/** The filter leads to a part of the index. */
export function isNarrow(walk: Walk): boolean {
  return narrowness(walk) > 0;
}

function narrowness({ bound, ranged }: Walk): number {
  return 2 * bound + (ranged ? 1 : 0);
}

function walkAlong(
  index: TableIndex,
  keys: readonly SortKey[],
  { constants, ranges }: Narrowing,
): Walk | undefined {
  const { columns } = index;
  const free = columns.findIndex(({ sql }) => !constants.has(sql));
  const bound = free === -1 ? columns.length : free;
  let walked = 0;
  let reversed: boolean | undefined;
  for (const { sql, descending } of columns.slice(bound)) {
    const key = keys[walked];
    if (key?.sql !== sql) break;
    reversed ??= key.descending !== descending;
    if (reversed !== (key.descending !== descending)) break;
    walked++;
  }
  const next = columns[bound];
  const walk = { index, bound, ranged: next !== undefined && ranges.has(next.sql), walked };
  return walked > 0 || keys.length === 0 || findsOne(walk) ? walk : undefined;
}
