import type { Filter } from "../../../filter/algebra.ts";
import { type Field, passesArray } from "../../../filter/fields.ts";
import type { CollectionShape } from "../../contract/shape.ts";
import { keyExpression } from "../expressions.ts";
import { type TableIndex, tableIndexes } from "../indexes.ts";
import { quoted, tableName } from "../names.ts";
import type { Parameters } from "../parameters.ts";
import { visibleIn } from "../query.ts";
import { conjunction } from "./conditions.ts";
import { type Indexes, lower, rowByRow } from "./lower.ts";
import { narrowingOf } from "./narrowing.ts";

/** Live documents of which an index tells all that is asked, so that they need not be read. */
export class IndexAlone {
  readonly #shape: CollectionShape;
  readonly #indexes: Indexes;
  readonly #tableIndexes: readonly TableIndex[];

  constructor(shape: CollectionShape, indexes: Indexes) {
    this.#shape = shape;
    this.#indexes = rowByRow(indexes);
    this.#tableIndexes = tableIndexes(shape).live;
  }

  /** An index that has all that the filter asks for, and the `keys` beside it; the narrowest of them. */
  holding(filter: Filter, keys: readonly string[]): TableIndex | undefined {
    const asked = keysOf(filter);
    if (asked === undefined) return undefined;
    const wanted = [...asked, ...keys];
    const { constants, ranges } = narrowingOf(filter);
    const narrowed = ({ columns }: TableIndex) => {
      const free = columns.findIndex(({ sql }) => !constants.has(sql));
      const next = columns[free]?.sql ?? "";
      return 2 * (free === -1 ? columns.length : free) + (ranges.has(next) ? 1 : 0);
    };
    const holds = ({ partial, unique, columns }: TableIndex) =>
      partial && !unique && wanted.every((key) => columns.some(({ sql }) => sql === key));
    const [best] = this.#tableIndexes
      .filter(holds)
      .toSorted((a, b) => narrowed(b) - narrowed(a) || a.columns.length - b.columns.length);
    return best;
  }

  /** The same, where the filter is about nothing but the index's first columns: no other one finds its documents sooner. */
  leading(filter: Filter, keys: readonly string[]): TableIndex | undefined {
    const index = this.holding(filter, keys);
    const asked = new Set(keysOf(filter));
    return index?.columns.slice(0, asked.size).every(({ sql }) => asked.has(sql)) ? index : undefined;
  }

  /** What follows `FROM`, to which conditions may be added. */
  within(index: TableIndex, filter: Filter, parameters: Parameters): string {
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
