import { and, type Filter } from "../../../filter/algebra.ts";
import { passesArray } from "../../../filter/fields.ts";
import { midnightForms } from "../../../filter/instants.ts";
import { heldAs, keyExpression } from "../expressions.ts";
import type { TableIndex } from "../indexes.ts";
import type { Parameters } from "../parameters.ts";
import { pageLimit } from "../query.ts";
import { conditionsOf, type Narrowing } from "./narrowing.ts";
import { orderBy, orderByColumns, type SortKey } from "./order.ts";
import { walksAlong } from "./walks.ts";

/**
 * The rows of several values of a key together: where an index has those of each value in order, a page is among the
 * first rows of each, so that few are looked at however many there are.
 */
export interface Merge {
  /** Holds the key and has the rows of one value in order. */
  readonly index: TableIndex;
  /** SQL of the key, as the index has it. */
  readonly key: string;
  readonly values: readonly string[];
  /** For how many values the statement is that merges their rows; undefined: there are too many for that. */
  readonly merged: number | undefined;
  /** What the filter wants besides. */
  readonly rest: Filter;
}

/** Numbers of values that statements merge the rows of, so that few statements do; of fewer, some find nothing. */
const MERGED = [2, 4, 8, 16, 32, 50];

/**
 * What is to be merged where the filter wants one of several texts.
 * @param keys the order, without those that the filter holds to one value
 */
export function mergeAlong(
  indexes: readonly TableIndex[],
  keys: readonly SortKey[],
  filter: Filter,
  narrowing: Narrowing,
): Merge | undefined {
  for (const { key, values, rest } of severalIn(filter)) {
    const constants = new Set([...narrowing.constants, key]);
    const [walk] = walksAlong(indexes, keys, { ...narrowing, constants });
    if (walk === undefined || walk.index.unique || walk.walked < keys.length) continue;
    const { index, bound } = walk;
    if (index.columns.slice(0, bound).some(({ sql }) => sql === key))
      return { index, key, values, rest, merged: MERGED.find((count) => count >= values.length) };
  }
  return undefined;
}

/** Keys of which a filter wants one of several texts. */
function severalIn(filter: Filter): readonly Pick<Merge, "key" | "values" | "rest">[] {
  const parts = conditionsOf(filter);
  return parts.flatMap((part) => {
    if (part.op !== "in" || passesArray(part.field) || heldAs(part.field) !== "text") return [];
    const { field } = part;
    const values = part.values.filter((value) => typeof value === "string");
    if (values.length < part.values.length || values.some((value) => midnightForms(field, value))) return [];
    return [{ key: keyExpression(field), values, rest: and(...parts.filter((other) => other !== part)) }];
  });
}

/**
 * SQL for the numbers of the rows of a page, in order. `?2` is the page's limit and `?3` what is skipped.
 * @param table quoted
 * @param condition on rows, beside that on the key
 */
export function mergedRows(
  table: string,
  { index, key, values, merged }: Merge,
  keys: readonly SortKey[],
  condition: string,
  parameters: Parameters,
): string {
  const rowsOf = (columns: string, value: string) =>
    `SELECT ${columns} FROM ${table} INDEXED BY ${index.name} WHERE ${key} = ${value} AND ${condition}`;
  if (merged !== undefined) {
    const columns = ["seq AS found", ...keys.map(({ sql }) => sql)].join(", ");
    const nothing = Array.from({ length: merged - values.length }, () => null);
    const parts = [...values, ...nothing].map((value) => rowsOf(columns, parameters.add(value)));
    return `SELECT found FROM (${parts.join(" UNION ALL ")}${orderByColumns(keys)} ${pageLimit})`;
  }
  const order = orderBy(keys);
  const page = "?2 + ?3";
  const all = `SELECT value AS member FROM json_each(${parameters.add(JSON.stringify(values))})`;
  // The page has rows of no other values than those whose first rows come first.
  const members = `SELECT member FROM (SELECT member, (${rowsOf("seq", "member")}${order} LIMIT 1) AS head FROM (${all}))
    CROSS JOIN ${table} ON seq = head${order} LIMIT ${page}`;
  return `SELECT seq AS found FROM (${members})
    CROSS JOIN ${table} ON seq IN (${rowsOf("seq", "member")}${order} LIMIT ${page})${order} ${pageLimit}`;
}
