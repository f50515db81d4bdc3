import type { Document } from "mongodb";
import { type Expression, literal } from "./expressions.ts";

/** One column of the groups: how they are grouped by it, or what is accumulated, and what that is in answers. */
export interface Column<T> {
  /** Where it stands in the document of a group. */
  readonly path: string;
  /** What is taken of a document; undefined where it only counts. */
  readonly taken: Expression | undefined;
  /** It is an array, each of whose elements is grouped by or counted. */
  readonly spread?: boolean;
  /** Of what was taken. */
  readonly grouped: (value: Expression) => Expression;
  /** Of a metric that is more than what was accumulated. */
  readonly value?: Expression;
  /** What is counted, for it may be too much. */
  readonly bounded?: "text" | "distinct" | undefined;
  readonly read: (value: unknown) => T;
}

/** What is grouped: documents as they are, or, where arrays are spread, rows made of them. */
interface Rows {
  readonly stages: Document[];
  /** What was taken for a column, in a row. */
  takenFor(column: Column<unknown>): Expression;
}

/**
 * Grouped by an array, a document has a row for each different element. What is counted of an array's elements stands in
 * rows of their own, in which nothing else does but the keys: other metrics pass over them.
 */
export function rowsOf(keys: readonly Column<unknown>[], metrics: readonly Column<unknown>[]): Rows {
  const isSpread = ({ spread = false }: Column<unknown>) => spread;
  const counted = metrics.filter(isSpread);
  const spreadKeys = keys.filter(isSpread);
  if (counted.length === 0 && spreadKeys.length === 0)
    return { stages: [], takenFor: ({ taken = 1 }) => taken };

  const names = new Map([...keys, ...metrics].map((column, at) => [column, `c${at}`]));
  const nameOf = (column: Column<unknown>) => names.get(column) ?? "";
  const taken = Array.from(names, ([column, name]) => [name, column.taken ?? literal(1)]);
  const stages: Document[] = [
    { $project: { _id: 0, ...Object.fromEntries(taken) } },
    ...spreadKeys.map((column) => ({ $unwind: `$${nameOf(column)}` })),
  ];
  if (counted.length === 0) return { stages, takenFor: (column) => `$${nameOf(column)}` };

  const whole = metrics.filter((column) => !isSpread(column));
  const own = Object.fromEntries(whole.map((column) => [nameOf(column), `$${nameOf(column)}`]));
  const elements = counted.map((column) => ({
    $map: { input: `$${nameOf(column)}`, as: "e", in: { [nameOf(column)]: "$$e" } },
  }));
  stages.push({ $set: { row: { $concatArrays: [[own], ...elements] } } }, { $unwind: "$row" });
  return {
    stages,
    takenFor: (column) => `$${metrics.includes(column) ? "row." : ""}${nameOf(column)}`,
  };
}
