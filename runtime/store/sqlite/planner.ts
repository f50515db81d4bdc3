import { epochOf } from "../../filter/dates.ts";
import { kept } from "../../kept.ts";
import type { Aggregate } from "../contract/aggregate.ts";
import type { Find } from "../contract/query.ts";
import type { CollectionShape } from "../contract/shape.ts";
import { Connection, ticking } from "./connection.ts";
import type { Value } from "./driver.ts";
import { declaredName, tableName, valuesPrefix } from "./names.ts";
import { provision } from "./provision.ts";
import type { Query } from "./query.ts";
import { textOf, valuesOf } from "./rows.ts";
import { Table } from "./table.ts";

/** A statement as the engine would run it, and what SQLite says that it would do. */
export interface PlannedStatement {
  /** The condition that bounds the rows visited is written `tick()`; it differs in every process. */
  readonly sql: string;
  readonly parameters: readonly Value[];
  /** The lines of `EXPLAIN QUERY PLAN`, indented as they belong together. */
  readonly plan: readonly string[];
}

/** How a statement comes to the documents of its collection. */
export interface Reach {
  /** It goes from one document to the next, through all of them if need be. */
  readonly scans: boolean;
  /** Every entry that it looks at tells what is asked, so that no document is read. */
  readonly covered: boolean;
  /** Declared indexes by their names, and by their paths the arrays whose values are looked up; in the order of the plan. */
  readonly indexes: readonly string[];
}

/**
 * Plans of the statements of a realm, on an empty store in memory that holds the collections. Stores never have
 * statistics (nothing runs `ANALYZE`), so that what SQLite plans here it plans for every store.
 */
export class Planner {
  readonly #connection = new Connection(":memory:", { readOnly: false, busyTimeout: 0 });
  readonly #shapes: ReadonlyMap<string, CollectionShape>;
  readonly #tables = new Map<string, Table>();
  readonly #now: number;

  /** @param now the time that statements are given, RFC 3339 */
  constructor(shapes: readonly CollectionShape[], now: string) {
    this.#shapes = new Map(shapes.map((shape) => [shape.name, shape]));
    this.#now = epochOf(now) ?? 0;
    provision(this.#connection, shapes);
  }

  /** Of each way to the page the statements, in the order in which they are tried. */
  find(collection: string, find: Find): readonly (readonly PlannedStatement[])[] {
    return this.#table(collection)
      .pages.find(this.#now, find)
      .map((way) => {
        const { first, others } = way();
        return [first, ...others.map((other) => other())].map((query) => this.#planned(query));
      });
  }

  aggregate(collection: string, query: Aggregate): PlannedStatement {
    return this.#planned(this.#table(collection).aggregate(this.#now, query));
  }

  close(): void {
    this.#connection.close();
  }

  #table(collection: string): Table {
    const shape = this.#shapes.get(collection);
    if (shape === undefined) throw new Error(`collection ${collection} is not provisioned`);
    return kept(this.#tables, collection, () => new Table(shape));
  }

  #planned({ sql, parameters }: Query): PlannedStatement {
    const depths = new Map<unknown, number>();
    const rows = this.#connection.database.prepare(`EXPLAIN QUERY PLAN ${sql}`);
    rows.setReturnArrays(true);
    const plan = rows.all(...parameters).map((row) => {
      const [id, parent, , detail] = valuesOf(row);
      const depth = depths.get(parent) ?? 0;
      depths.set(id, depth + 1);
      return `${"  ".repeat(depth)}${textOf(detail)}`;
    });
    const shown = sql.replaceAll(ticking, "tick()").replace(/\s+/g, " ").trim();
    return { sql: shown, parameters, plan };
  }
}

/** What a plan says of the documents of a collection. */
export function reachOf(collection: string, { plan }: PlannedStatement): Reach {
  const steps = plan.map((line) => line.trimStart());
  const table = tableName(collection);
  const ofTable = steps.filter((step) =>
    [`SCAN ${table}`, `SEARCH ${table}`].includes(step.split(" USING ")[0] ?? ""),
  );
  const values = `SEARCH ${valuesPrefix(collection)}`;
  const named = steps.flatMap((step) => {
    const [of = "", by = ""] = step.split(" USING ");
    if (of.startsWith(values)) return [of.slice(values.length)];
    const [, name] = /INDEX (.+?)(?: \(.*\))?$/.exec(by) ?? [];
    return (name !== undefined && declaredName(collection, name)) || [];
  });
  return {
    scans: ofTable.some((step) => step.startsWith("SCAN")),
    covered: ofTable.every((step) => step.includes(" USING COVERING INDEX ")),
    indexes: [...new Set(named)],
  };
}
