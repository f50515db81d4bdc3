import { and, type Filter } from "../../../filter/algebra.ts";
import type { Find } from "../../contract/query.ts";
import { ticking } from "../connection.ts";
import type { TableIndex } from "../indexes.ts";
import { bind, Parameters } from "../parameters.ts";
import { conjunction, passing } from "./conditions.ts";
import { conditionsOf, constantOf } from "./narrowing.ts";
import { afterPosition, orderByColumns, type SortKey } from "./order.ts";
import {
  BEFORE,
  documentsOfRows,
  type Guard,
  guardedLimit,
  type Lowered,
  lowered,
  type PageParts,
} from "./page-plan.ts";

/** Rows that are found and sorted rather than met along an order; an index counts them in a millisecond. */
const FEW = 10_000;

/** A condition that excludes one value of an indexed key: where most rows have it, the index leads to the few others. */
export interface Apart {
  readonly index: TableIndex;
  readonly key: string;
  readonly value: string | number;
  /** What the filter wants besides. */
  readonly rest: Filter;
}

/** The first condition of the kind; undefined where there is none. */
export function apartIn(indexes: readonly TableIndex[], filter: Filter): Apart | undefined {
  const parts = conditionsOf(filter);
  for (const part of parts) {
    const constant = part.op === "not" ? constantOf(part.of) : undefined;
    const index = indexes.find(({ columns, partial }) => partial && columns[0]?.sql === constant?.key);
    if (constant !== undefined && index !== undefined)
      return { index, ...constant, rest: and(...parts.filter((other) => other !== part)) };
  }
  return undefined;
}

/** Whether the others are few, as a guard; or, with `few` false, whether they are many. */
export function fewApart({ table, visible }: PageParts, apart: Apart, few: boolean): Guard {
  return (parameters) => {
    const rows = rangesOf(apart, parameters).map(
      (range) =>
        `SELECT 1 FROM ${table} INDEXED BY ${apart.index.name} WHERE ${conjunction(visible.live, range)}`,
    );
    return `(SELECT count(*) ${few ? "<=" : ">"} ${FEW} FROM (${rows.join(" UNION ALL ")} LIMIT ${FEW + 1}))`;
  };
}

/** The others, where they are few, sorted. */
export function foundApart(
  parts: PageParts,
  { after }: Find,
  keys: readonly SortKey[],
  apart: Apart,
): Lowered {
  const { table, visible, rowByRow } = parts;
  const parameters = new Parameters(BEFORE);
  const rest = passing(apart.rest, true, parameters, rowByRow);
  const later = after === undefined ? "" : afterPosition(keys, parameters);
  const columns = ["seq AS found", ...keys.map(({ sql }) => `+${sql}`)].join(", ");
  const rows = rangesOf(apart, parameters).map((range) => {
    const condition = conjunction(ticking, visible.live, range, rest, later);
    return `SELECT ${columns} FROM ${table} INDEXED BY ${apart.index.name} WHERE ${condition}`;
  });
  const limit = guardedLimit(fewApart(parts, apart, true), parameters);
  const found = `SELECT found FROM (${rows.join(" UNION ALL ")}${orderByColumns(keys)} ${limit})`;
  return lowered(documentsOfRows(parts, found), parameters);
}

/** Of an index: what is not the value, values of other types and none among it. */
function rangesOf({ key, value }: Apart, parameters: Parameters): readonly string[] {
  const bound = bind(value, parameters);
  return [`${key} < ${bound}`, `${key} > ${bound}`, `${key} IS NULL`];
}
