import type { Document } from "mongodb";
import { documentFields } from "../../../filter/fields.ts";
import type { Order } from "../../../filter/order.ts";
import { columns, holdsBsonDates, own, pathOf } from "../layout.ts";
import { type Fit, ordersNatively, orderValue } from "./expressions.ts";

/** A key that documents are sorted by: a path of theirs, or one at which its value is put first. */
export interface SortKey {
  readonly path: string;
  readonly descending: boolean;
  /** Every document has a value. */
  readonly total: boolean;
  /** Its values are BSON dates. */
  readonly holdsDates: boolean;
  /** Which of the order's keys it is. */
  readonly at: number;
}

export interface Sorting {
  readonly keys: readonly SortKey[];
  /** For `$sort`, or the driver's option. */
  readonly sort: ReadonlyMap<string, 1 | -1>;
  /** Where documents are not sorted by their own members alone: a stage that adds the others. */
  readonly computed?: Document;
}

const totalPaths: ReadonlySet<string> = new Set([columns.id, columns.createdAt]);

/** Keys that cannot decide are left out: those named before, and everything after the id. */
export function sortingOf(order: Order, fit: Fit): Sorting {
  const keys = new Map<string, SortKey>();
  const computed: Document = {};
  for (const [at, key] of order.entries()) {
    const { field, descending } = key;
    if (keys.has(field.path)) continue;
    const native = ordersNatively(field, fit);
    if (!native) computed[`k${at}`] = orderValue(key, fit);
    const path = native ? pathOf(field) : `${own.order}.k${at}`;
    const holdsDates = native && holdsBsonDates(field);
    keys.set(field.path, { path, descending, total: totalPaths.has(path), holdsDates, at });
    if (field.path === documentFields.id.path) break;
  }
  const sort = new Map(
    [...keys.values()].map(({ path, descending }) => [path, descending ? -1 : 1] as const),
  );
  const sorting = { keys: [...keys.values()], sort };
  return Object.keys(computed).length === 0
    ? sorting
    : { ...sorting, computed: { $set: { [own.order]: computed } } };
}
