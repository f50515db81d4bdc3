import type { Filter } from "../../filter/algebra.ts";
import type { Field } from "../../filter/fields.ts";
import type { CollectionShape, Lookup } from "../contract.ts";
import { ticking, weighing } from "./connection.ts";
import { documentKey } from "./expressions.ts";
import { type TableIndex, tableIndexes } from "./indexes.ts";
import { type Indexes, lower, unindexed } from "./lower.ts";
import { quoted, tableName } from "./names.ts";
import { Parameters } from "./parameters.ts";
import { type Query, visibleIn } from "./query.ts";
import type { Lowered } from "./statements.ts";

/** The statements that find documents by one of their values; rows for {@link documentsOf}. */
export class Lookups {
  readonly #shape: CollectionShape;
  readonly #indexes: Indexes;
  readonly #tableIndexes: readonly TableIndex[];
  /** By the key's path. */
  readonly #lookups = new WeakMap<Filter, Map<string, Lowered>>();

  constructor(shape: CollectionShape, indexes: Indexes) {
    this.#shape = shape;
    this.#indexes = unindexed(indexes);
    this.#tableIndexes = tableIndexes(shape).live;
  }

  lookup(now: number, { key, values, filter, limit }: Lookup): Query {
    let byKey = this.#lookups.get(filter);
    if (byKey === undefined) {
      byKey = new Map();
      this.#lookups.set(filter, byKey);
    }
    let looking = byKey.get(key.path);
    if (looking === undefined) {
      looking = this.#looking(key, filter);
      byKey.set(key.path, looking);
    }
    const wanted = JSON.stringify([...new Set(values)]);
    return { sql: looking.sql, parameters: [now, wanted, limit, ...looking.values] };
  }

  #looking(key: Field, filter: Filter): Lowered {
    const parameters = new Parameters(3);
    // Those of unique indexes are over the document, whichever field.
    const stored = key.path === "id" ? "id" : documentKey(key);
    const condition =
      filter.op === "true" ? "" : ` AND ${ticking} AND ${lower(filter, parameters, this.#indexes)}`;
    const index = this.#tableIndexes.find(
      ({ columns, unique }) => unique && columns.length === 1 && columns[0]?.sql === stored,
    );
    if (index === undefined) throw new Error(`no unique index over ${key.path} of ${this.#shape.name}`);
    const sql = `SELECT id, version, doc FROM ${quoted(tableName(this.#shape.name))} INDEXED BY ${index.name}
      WHERE ${stored} IN (SELECT value FROM json_each(?2)) AND ${visibleIn(this.#shape).live}${condition} AND ${weighing} LIMIT ?3`;
    return { sql, values: parameters.values };
  }
}
