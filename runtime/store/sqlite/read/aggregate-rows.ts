import type { Field } from "../../../filter/fields.ts";
import { kept } from "../../../kept.ts";
import { ticking } from "../connection.ts";
import { declaredStrictness, elementsAt, strict } from "../expressions.ts";

/**
 * What an aggregation groups: one row a document with the values that keys and metrics need, which are taken out of each
 * document first, so that whole documents need not be sorted.
 *
 * Grouped by an array, a document has a row for each different element, or for null where there is none. What is counted
 * of an array's elements stands in rows of their own, in which everything but the keys is null: other metrics pass over
 * them.
 */
export class AggregateRows {
  readonly #values = new Map<string, string>();
  /** Arrays, as the name of their JSON, to the name of an element of theirs. */
  readonly #keys = new Map<string, Element>();
  readonly #counted = new Map<string, Element>();

  /** The name of what stands in a document. */
  value(sql: string): string {
    return kept(this.#values, sql, () => `v${this.#values.size}`);
  }

  /** The name of an element of the field's array, for grouping by it. */
  key(field: Field): string {
    return this.#element(this.#keys, "k", field);
  }

  /** The same for counting different ones. */
  counted(field: Field): string {
    return this.#element(this.#counted, "x", field);
  }

  /** What stands in documents, as SQL. */
  get values(): readonly string[] {
    return [...this.#values.keys()];
  }

  /** How many documents there are. What is counted must be asked for before. */
  get count(): string {
    return this.#counted.size > 0 ? "count(own)" : "count(*)";
  }

  /**
   * @param from the table, `WHERE` and the condition. (`LIMIT -1` keeps SQLite from taking the values for a part of the
   *   next step.)
   * @param keys what is grouped by, over the names
   * @returns `WITH` clauses, what follows `FROM`, and the keys over that
   */
  sql(from: string, keys: readonly string[]): Rows {
    const values = Array.from(this.#values, ([sql, name]) => `${sql} AS ${name}`);
    if (this.#keys.size === 0 && this.#counted.size === 0)
      return { clauses: [], from: `(SELECT ${values.join(", ") || "1"} FROM ${from} LIMIT -1)`, keys };

    const names = [...this.#values.values()];
    const spread = [...this.#keys.values()];
    const taken = `(SELECT seq, ${values.join(", ")} FROM ${from} LIMIT -1)`;
    const rows = `SELECT DISTINCT seq, ${[...names, ...spread.map(named)].join(", ")}
      FROM ${[taken, ...spread.map(each)].join(" LEFT JOIN ")} WHERE ${ticking}`;
    if (this.#counted.size === 0) return { clauses: [], from: `(${rows})`, keys };

    const counted = [...this.#counted.values()];
    const groups = keys.map((key, at) => `${key} AS g${at}`);
    const own = ["1 AS own", ...names, ...groups, ...counted.map(({ name }) => `NULL AS ${name}`)];
    const ofElements = counted.map((one) => {
      const columns = counted.map((other) => (other === one ? strictly(one) : "NULL"));
      return `SELECT ${["NULL", ...names.map(() => "NULL"), ...groups, ...columns].join(", ")}
        FROM rows JOIN ${each(one)} WHERE ${ticking}`;
    });
    return {
      clauses: [`rows AS MATERIALIZED (${rows})`],
      from: `(${[`SELECT ${own.join(", ")} FROM rows`, ...ofElements].join(" UNION ALL ")})`,
      keys: keys.map((_, at) => `g${at}`),
    };
  }

  #element(elements: Map<string, Element>, prefix: string, field: Field): string {
    const array = this.value(elementsAt("doc", field.segments));
    return kept(elements, array, () => ({ array, name: `${prefix}${elements.size}`, field })).name;
  }
}

interface Rows {
  readonly clauses: readonly string[];
  readonly from: string;
  readonly keys: readonly string[];
}

interface Element {
  readonly array: string;
  readonly name: string;
  readonly field: Field;
}

const each = ({ array, name }: Element) => `json_each(${array}) AS ${name}s`;
const named = (element: Element) => `${strictly(element)} AS ${element.name}`;
const strictly = ({ name, field }: Element) =>
  strict({ type: `${name}s.type`, value: `${name}s.value` }, declaredStrictness(field));
