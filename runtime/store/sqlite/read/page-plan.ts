import type { Visibility } from "../../contract/document.ts";
import type { CollectionShape } from "../../contract/shape.ts";
import type { Value } from "../driver.ts";
import type { TableIndex } from "../indexes.ts";
import type { Parameters } from "../parameters.ts";
import { documentColumns, pageLimit } from "../query.ts";
import type { Indexes } from "./lower.ts";
import type { Source } from "./source.ts";

/** A statement made for a query, and what it binds after the parameters of its place. */
export interface Lowered {
  readonly sql: string;
  readonly values: readonly Value[];
  /** Among the values: what the position of a find fills in. */
  readonly blanks: Parameters["blanks"];
}

export const lowered = (sql: string, { values, blanks }: Parameters): Lowered => ({ sql, values, blanks });

/** Statements that answer together, one after the other. */
export interface Plan {
  readonly first: Lowered;
  readonly others: readonly (() => Lowered)[];
}

export const alone = (first: Lowered): Plan => ({ first, others: [] });

/** Parameters before those of a plan: the time, limit and skip. */
export const BEFORE = 3;

/**
 * A condition on all of a statement: where it is false, the statement finds nothing. Plans whose statements exclude each
 * other so choose among them by what is counted when they run.
 */
export type Guard = (parameters: Parameters) => string;

/** Of a statement, instead of {@link pageLimit}: SQLite looks at its limit before it does anything else. */
export function guardedLimit(guard: Guard | undefined, parameters: Parameters): string {
  return guard === undefined
    ? pageLimit
    : `LIMIT CASE WHEN ${guard(parameters)} THEN ?2 ELSE 0 END OFFSET ?3`;
}

/** What statements of pages are made of. */
export interface PageParts {
  readonly shape: CollectionShape;
  /** Quoted. */
  readonly table: string;
  readonly visible: Readonly<Record<Visibility, string>>;
  readonly tableIndexes: Readonly<Record<Visibility, readonly TableIndex[]>>;
  readonly source: Source;
  readonly rowByRow: Indexes;
  readonly unindexed: Indexes;
}

/** The documents of rows found: what is sorted are numbers and keys, not documents. */
export function documentsOfRows({ table }: PageParts, found: string): string {
  return `SELECT ${documentColumns} FROM (${found}) CROSS JOIN ${table} ON seq = found`;
}
