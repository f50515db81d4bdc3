import type { Filter } from "../../../filter/algebra.ts";
import type { Find } from "../../contract/query.ts";
import { ticking } from "../connection.ts";
import type { Value } from "../driver.ts";
import type { TableIndex } from "../indexes.ts";
import type { Parameters } from "../parameters.ts";
import { INLINE_ROWS } from "../query.ts";
import { type Indexes, lower } from "./lower.ts";
import { constantsIn } from "./narrowing.ts";
import type { SortKey } from "./order.ts";

/** @param everyRow whether rows that match are counted by themselves; else the query takes few of them */
export function passing(filter: Filter, everyRow: boolean, parameters: Parameters, indexes: Indexes): string {
  if (filter.op === "true") return "";
  const condition = lower(filter, parameters, indexes);
  return everyRow ? condition : `(${condition} OR NOT ${ticking})`;
}

/** So many rows are passed over that each of them counts. */
export function isDeep({ limit, skip }: Find): boolean {
  return skip + limit > INLINE_ROWS;
}

/** Conditions that are spelled as the index's columns are read there, without a look at the document. */
export function holdsConditions(
  { columns }: TableIndex,
  keys: readonly SortKey[],
  asked: ReadonlySet<string>,
): boolean {
  return columns.some(({ sql }) => asked.has(sql) && keys.every((key) => key.sql !== sql));
}

/** A page after a position that the filter contradicts begins or ends elsewhere; who asks so may wait. */
export function isElsewhere(filter: Filter, keys: readonly SortKey[], position: readonly Value[]): boolean {
  const constants = constantsIn(filter);
  return keys.some(({ sql, position: blank }) => {
    const constant = constants.get(sql);
    const value = blank === null || blank === undefined ? null : position[blank.key];
    return constant !== undefined && constant !== value;
  });
}

export const conjunction = (...conditions: readonly string[]) =>
  conditions.filter((condition) => condition !== "").join(" AND ");
