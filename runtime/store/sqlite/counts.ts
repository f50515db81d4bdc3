import type { Filter } from "../../filter/algebra.ts";
import { type Field, passesArray } from "../../filter/fields.ts";
import { kept } from "../../kept.ts";
import type { CollectionShape, Visibility } from "../contract.ts";
import { conjunction } from "./conditions.ts";
import { ticking } from "./connection.ts";
import { keyExpression } from "./expressions.ts";
import { type TableIndex, tableIndexes } from "./indexes.ts";
import { type Indexes, lower, rowByRow } from "./lower.ts";
import { quoted, tableName } from "./names.ts";
import { constantsIn, narrowingOf } from "./narrowing.ts";
import { Parameters } from "./parameters.ts";
import { limitTo, type Query, visibleIn } from "./query.ts";
import type { Source } from "./source.ts";
import { type Lowered, noStatements } from "./statements.ts";

/** The statements that count documents; rows for {@link countOf}. */
export class Counts {
  readonly #shape: CollectionShape;
  readonly #indexes: Indexes;
  readonly #tableIndexes: readonly TableIndex[];
  readonly #source: Source;
  readonly #counts = noStatements();
  /** Null: not for this filter. */
  readonly #quickCounts = new WeakMap<Filter, Lowered | null>();

  constructor(shape: CollectionShape, indexes: Indexes, source: Source) {
    this.#shape = shape;
    this.#indexes = rowByRow(indexes);
    this.#tableIndexes = tableIndexes(shape).live;
    this.#source = source;
  }

  all(now: number, filter: Filter, visibility: Visibility): Query {
    const counting = kept(this.#counts[visibility], filter, () => this.#counting(filter, visibility));
    return { sql: counting.sql, parameters: [now, ...counting.values] };
  }

  /**
   * How many live documents, `most` at most, where an index holds those that the filter wants side
   * by side. Counting them there takes so little that rows need no counting by themselves.
   */
  upTo(now: number, filter: Filter, most: number): Query | undefined {
    const counting = kept(this.#quickCounts, filter, () => this.#countingAlong(filter));
    return counting === null ? undefined : { sql: counting.sql, parameters: [now, most, ...counting.values] };
  }

  #countingAlong(filter: Filter): Lowered | null {
    const constants = constantsIn(filter);
    const conditions = filter.op === "and" ? filter.of.length : filter.op === "true" ? 0 : 1;
    // Where there is to be no value, the documents are asked as well.
    if (constants.size !== conditions || [...constants.values()].includes(null)) return null;
    const index = this.#tableIndexes.find(
      ({ columns, partial, unique }) =>
        partial &&
        !unique &&
        columns.length >= conditions &&
        columns.slice(0, conditions).every(({ sql }) => constants.has(sql)),
    );
    if (index === undefined) return null;
    const parameters = new Parameters(2);
    const rows = this.#within(index, filter, parameters);
    return {
      sql: `SELECT count(*) FROM (SELECT 1 FROM ${rows} ${limitTo("?2")})`,
      values: parameters.values,
    };
  }

  #counting(filter: Filter, visibility: Visibility): Lowered {
    const parameters = new Parameters(1);
    // Indexes serve the live documents and the deleted ones each by themselves.
    const parts = visibility === "all" ? (["live", "deleted"] as const) : [visibility];
    const counts = parts.map((part) => {
      const index = part === "live" ? this.#indexHolding(filter) : undefined;
      const rows =
        index === undefined
          ? this.#source.rows(filter, part, parameters)
          : `${this.#within(index, filter, parameters)} AND ${ticking}`;
      return `(SELECT count(*) FROM ${rows})`;
    });
    // The time is asked for where no row is asked about it.
    return { sql: `SELECT ${counts.join(" + ")} WHERE ?1 IS NOT NULL`, values: parameters.values };
  }

  /** An index that has all that the filter asks for, so that it alone tells how many; the narrowest of them. */
  #indexHolding(filter: Filter): TableIndex | undefined {
    const asked = keysOf(filter);
    if (asked === undefined) return undefined;
    const { constants, ranges } = narrowingOf(filter);
    const narrowed = ({ columns }: TableIndex) => {
      const free = columns.findIndex(({ sql }) => !constants.has(sql));
      const next = columns[free]?.sql ?? "";
      return 2 * (free === -1 ? columns.length : free) + (ranges.has(next) ? 1 : 0);
    };
    const holds = ({ partial, unique, columns }: TableIndex) =>
      partial && !unique && asked.every((key) => columns.some(({ sql }) => sql === key));
    const [best] = this.#tableIndexes
      .filter(holds)
      .toSorted((a, b) => narrowed(b) - narrowed(a) || a.columns.length - b.columns.length);
    return best;
  }

  #within(index: TableIndex, filter: Filter, parameters: Parameters): string {
    const condition = filter.op === "true" ? "" : lower(filter, parameters, this.#indexes);
    const conditions = conjunction(visibleIn(this.#shape).live, condition);
    return `${quoted(tableName(this.#shape.name))} INDEXED BY ${index.name} WHERE ${conditions}`;
  }
}

/**
 * The keys that a filter is about; undefined where it is about more than keys say, or wants nothing: SQLite sees that, and
 * then misses the index that it is told to take.
 */
function keysOf(filter: Filter): readonly string[] | undefined {
  switch (filter.op) {
    case "true":
      return [];
    case "false":
      return undefined;
    case "between":
      return typeof filter.min === typeof filter.max ? keysOfField(filter.field) : undefined;
    case "and":
    case "or": {
      const parts = filter.of.map(keysOf);
      return parts.every((keys) => keys !== undefined) ? parts.flat() : undefined;
    }
    case "not":
      return keysOf(filter.of);
    case "search":
    case "equalsArray":
      return undefined;
    default:
      return keysOfField(filter.field);
  }
}

function keysOfField(field: Field): readonly string[] | undefined {
  return passesArray(field) ? undefined : [keyExpression(field)];
}
