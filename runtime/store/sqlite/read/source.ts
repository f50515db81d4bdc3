import { type Filter, searchIn } from "../../../filter/algebra.ts";
import type { Visibility } from "../../contract/document.ts";
import type { CollectionShape } from "../../contract/shape.ts";
import { ticking } from "../connection.ts";
import { hasTrash, indexedPaths, isServed } from "../indexes.ts";
import { orderIndexName, quoted, tableName } from "../names.ts";
import type { Parameters } from "../parameters.ts";
import { visible } from "../query.ts";
import { columnsFirst, type Indexes, lower, unindexed } from "./lower.ts";

/** Alternatives that may each use an index; SQLite's planner considers every one with every other. */
const ALTERNATIVES = 50;

/** The rows that a filter wants, in no order in particular: found by indexes where these serve the filter. */
export class Source {
  readonly #shape: CollectionShape;
  readonly #table: string;
  readonly #indexes: Indexes;
  readonly #indexed: ReadonlySet<string>;
  /** The same of deleted documents. */
  readonly #indexedInTrash: ReadonlySet<string>;

  constructor(shape: CollectionShape, indexes: Indexes) {
    this.#shape = shape;
    this.#table = quoted(tableName(shape.name));
    this.#indexes = indexes;
    this.#indexed = indexedPaths(shape.indexes);
    this.#indexedInTrash = indexedPaths(shape.indexes.filter(hasTrash));
  }

  /** Whether indexes find the rows. */
  serves(filter: Filter, visibility: Visibility): boolean {
    return isServed(filter, visibility === "deleted" ? this.#indexedInTrash : this.#indexed);
  }

  /** What follows `FROM`, to which conditions may be added. Every row looked at counts; `?1` is the time. */
  rows(filter: Filter, visibility: Visibility, parameters: Parameters): string {
    const condition = filter.op === "true" ? "" : ` AND ${this.#condition(filter, visibility, parameters)}`;
    return `${this.#from(filter, visibility)} WHERE ${ticking} AND ${visible[visibility]}${condition}`;
  }

  #from(filter: Filter, visibility: Visibility): string {
    // What a search finds is asked for first, always: it may be nothing.
    if (searchIn(filter) !== undefined) return `${this.#table} NOT INDEXED`;
    if (this.serves(filter, visibility)) return this.#table;
    // Else SQLite takes any index, whose order leads it to and fro in the table.
    return visibility === "all"
      ? `${this.#table} NOT INDEXED`
      : `${this.#table} INDEXED BY ${quoted(orderIndexName(this.#shape.name, visibility))}`;
  }

  #condition(filter: Filter, visibility: Visibility, parameters: Parameters): string {
    const isServed = this.serves(filter, visibility);
    const isOpen = visibility === "live" && isServed;
    const parts = filter.op === "and" || filter.op === "or" ? filter.of : [];
    const hasAlternatives = filter.op === "or" || parts.some(({ op }) => op === "or");
    if (!isOpen || !hasAlternatives || parts.length > ALTERNATIVES)
      return lower(filter, parameters, isServed ? this.#indexes : unindexed(this.#indexes));
    const conditions = columnsFirst(parts).map((part) => this.#condition(part, visibility, parameters));
    if (filter.op === "and") return conditions.join(" AND ");
    // Within an OR, SQLite takes an index over live documents only where it is said again that they live.
    return `(${conditions.map((condition) => `${condition} AND deleted_at IS NULL`).join(" OR ")})`;
  }
}
