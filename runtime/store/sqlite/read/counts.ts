import type { Filter } from "../../../filter/algebra.ts";
import { kept } from "../../../kept.ts";
import type { Visibility } from "../../contract/document.ts";
import type { CollectionShape } from "../../contract/shape.ts";
import { ticking } from "../connection.ts";
import { type TableIndex, tableIndexes } from "../indexes.ts";
import { Parameters } from "../parameters.ts";
import { limitTo, type Query } from "../query.ts";
import type { IndexAlone } from "./index-alone.ts";
import { constantsIn } from "./narrowing.ts";
import type { Source } from "./source.ts";
import { type Lowered, noStatements } from "./statements.ts";

/** The statements that count documents; rows for {@link countOf}. */
export class Counts {
  readonly #tableIndexes: readonly TableIndex[];
  readonly #alone: IndexAlone;
  readonly #source: Source;
  readonly #counts = noStatements();
  /** Null: not for this filter. */
  readonly #quickCounts = new WeakMap<Filter, Lowered | null>();

  constructor(shape: CollectionShape, alone: IndexAlone, source: Source) {
    this.#tableIndexes = tableIndexes(shape).live;
    this.#alone = alone;
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
    const rows = this.#alone.within(index, filter, parameters);
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
      const index = part === "live" ? this.#alone.holding(filter, []) : undefined;
      const rows =
        index === undefined
          ? this.#source.rows(filter, part, parameters)
          : `${this.#alone.within(index, filter, parameters)} AND ${ticking}`;
      return `(SELECT count(*) FROM ${rows})`;
    });
    // The time is asked for where no row is asked about it.
    return { sql: `SELECT ${counts.join(" + ")} WHERE ?1 IS NOT NULL`, values: parameters.values };
  }
}
