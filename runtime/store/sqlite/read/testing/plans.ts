/** Things with indexes of every kind, and what the engine plans for requests to them. */
import { afterEach, beforeEach } from "vitest";
import { type Filter, TRUE } from "../../../../filter/algebra.ts";
import { documentFields, type Field, field, ownershipFields } from "../../../../filter/fields.ts";
import { type Order, orderBy } from "../../../../filter/order.ts";
import type { Visibility } from "../../../contract/document.ts";
import type { Find } from "../../../contract/query.ts";
import type { CollectionShape } from "../../../contract/shape.ts";
import { Connection } from "../../connection.ts";
import { type StoreFile, storeFile } from "../../file.ts";
import { provision } from "../../provision.ts";
import type { Query } from "../../query.ts";
import { Table } from "../../table.ts";

export const status = field("status", "string");
export const size = field("size", "integer");
export const open = field("open", "boolean");
export const hostile = field('it\'s "q" é 0', "string");
export const either = field("either", ["string", "integer"]);
export const place = field("place", "string");
export const tags = field("tags", "string", ["tags"]);
export const lines = field("lines.sku", "string", ["lines"]);
export const owner = ownershipFields["_meta.owner"];

export const { id, "_meta.created_at": created } = documentFields;

export const by = (...keys: readonly (Field | readonly ["-", Field])[]): Order =>
  orderBy(
    keys.map((key) =>
      "path" in key ? { field: key, descending: false } : { field: key[1], descending: true },
    ),
  );

const index = (name: string, ...fields: (typeof status)[]) => ({
  name,
  keys: fields.map((key) => ({ field: key, descending: key === size })),
  unique: false,
});

const shape: CollectionShape = {
  name: "app.things",
  fields: documentFields,
  indexes: [
    index("owner", owner),
    index("status_size", status, size),
    index("open", open),
    index("open_size", open, size),
    index("hostile", hostile),
    index("either", either),
    index("place_id", place, id),
    index("tags", tags),
    index("lines", lines),
    { ...index("code", field("code", "string")), unique: true },
  ],
  feed: false,
};

export const table = new Table(shape);

/** The statements of each way to a page. */
export const statements = (find: Partial<Find>): readonly Query[] =>
  table.pages.find(0, { filter: TRUE, visibility: "live", limit: 21, skip: 0, ...find }).flatMap((way) => {
    const { first, others } = way();
    return [first, ...others.map((other) => other())];
  });

/** What a plan says that sorts. */
export const sorting = "TEMP B-TREE";

/** Empty things, made anew for each test of a file. */
export class Plans {
  #file: StoreFile | undefined;
  #connection: Connection | undefined;

  /** To be called at the top of a file. */
  static eachTest(): Plans {
    const plans = new Plans();
    beforeEach(() => plans.#open());
    afterEach(() => plans.#close());
    return plans;
  }

  get connection(): Connection {
    if (this.#connection === undefined) throw new Error("there is none between tests");
    return this.#connection;
  }

  of({ sql, parameters }: Query): string {
    const rows: readonly unknown[] = this.connection.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters);
    return rows.map((row) => (Array.isArray(row) ? `${row[3]}` : "")).join("\n");
  }

  /** Of each statement of each way. */
  all(find: Partial<Find>): readonly string[] {
    return statements(find).map((statement) => this.of(statement));
  }

  /** Of a list with a filter. */
  find(filter: Filter, visibility: Visibility = "live"): string {
    return this.all({ filter, visibility }).join("\n");
  }

  #open(): void {
    this.#file = storeFile(":memory:", "plan");
    this.#connection = new Connection(this.#file.path, { readOnly: false, busyTimeout: 0 });
    provision(this.#connection, [shape]);
  }

  #close(): void {
    this.#connection?.close();
    this.#file?.remove();
  }
}
