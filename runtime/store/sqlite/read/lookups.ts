import type { Filter } from "../../../filter/algebra.ts";
import type { Field } from "../../../filter/fields.ts";
import { kept } from "../../../kept.ts";
import type { Lookup } from "../../contract/query.ts";
import type { CollectionShape } from "../../contract/shape.ts";
import { ticking, weighing } from "../connection.ts";
import { documentKey } from "../expressions.ts";
import { type TableIndex, tableIndexes } from "../indexes.ts";
import { quoted, tableName } from "../names.ts";
import { Parameters } from "../parameters.ts";
import { documentColumns, limitTo, type Sequence, single, type Texts, textsOf, visibleIn } from "../query.ts";
import { type Indexes, lower, unindexed } from "./lower.ts";
import type { Lowered } from "./statements.ts";

/** Values that lead to so few documents that these need no counting. */
const FEW = 40;

/** The statements that find documents by one of their values; rows for {@link documentsOf}. */
export class Lookups {
  readonly #shape: CollectionShape;
  readonly #indexes: Indexes;
  readonly #tableIndexes: readonly TableIndex[];
  readonly #texts: (characters: number | undefined) => Texts;
  /** By how many they are for, and the key's path. */
  readonly #lookups = new WeakMap<Filter, Map<string, Lowered>>();

  constructor(shape: CollectionShape, indexes: Indexes) {
    this.#shape = shape;
    this.#indexes = unindexed(indexes);
    this.#tableIndexes = tableIndexes(shape).live;
    this.#texts = textsOf(shape);
  }

  lookup(now: number, { key, values, filter, limit, characters }: Lookup): Sequence {
    const wanted = [...new Set(values)];
    const size = wanted.length <= FEW ? "few" : "many";
    const own = kept(this.#lookups, filter, () => new Map<string, Lowered>());
    const looking = kept(own, `${size} ${key.path}`, () => this.#looking(key, filter, size));
    const parameters = [now, JSON.stringify(wanted), limit, ...looking.values];
    return { ...single({ sql: looking.sql, parameters }), texts: this.#texts(characters) };
  }

  #looking(key: Field, filter: Filter, size: "few" | "many"): Lowered {
    const parameters = new Parameters(3);
    // Those of unique indexes are over the document, whichever field.
    const stored = key.path === "id" ? "id" : documentKey(key);
    const counted = size === "few" ? "" : ` AND ${ticking} AND ${weighing}`;
    const condition = filter.op === "true" ? "" : ` AND ${lower(filter, parameters, this.#indexes)}`;
    const index = this.#tableIndexes.find(
      ({ columns, unique }) => unique && columns.length === 1 && columns[0]?.sql === stored,
    );
    if (index === undefined) throw new Error(`no unique index over ${key.path} of ${this.#shape.name}`);
    const sql = `SELECT ${documentColumns} FROM ${quoted(tableName(this.#shape.name))} INDEXED BY ${index.name}
      WHERE ${stored} IN (SELECT value FROM json_each(?2)) AND ${visibleIn(this.#shape).live}${counted}${condition} ${limitTo("?3")}`;
    return { sql, values: parameters.values };
  }
}
