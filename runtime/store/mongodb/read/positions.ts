import type { Document } from "mongodb";
import type { Scalar } from "../../../filter/algebra.ts";
import { epochOf } from "../../../filter/dates.ts";
import type { Order, Position } from "../../../filter/order.ts";
import type { Fit } from "./expressions.ts";
import { NOTHING } from "./filter.ts";
import { type Sorting, type SortKey, sortingOf } from "./order.ts";

/** A key of an order, and what it is at a position. */
interface Place {
  readonly key: SortKey;
  readonly value: Stored | null;
}

/** A value as it is stored. */
type Stored = Scalar | Date;

/**
 * Everything after the position: for each key the documents that are equal in those before it and beyond it in this one.
 * In front stands what all of these have in common, a bound of the first key, so that only that part of an index is
 * walked whose documents may come after. Null and missing are one, less than everything; no comparison is true of them.
 *
 * @param constants what a filter has all documents alike in, by path: there a key that the position agrees with is left
 * out, so that the next one is bound
 */
export function afterPosition(
  keys: readonly SortKey[],
  position: Position,
  constants: ReadonlyMap<string, Stored>,
): Document {
  const places = keys.map((key) => placeOf(key, position));
  return after(places.filter(({ key, value }) => !isSame(constants.get(key.path), value)));
}

/** A position that is no date where documents have dates, is one of documents that others stood beside. */
export function sortingFor(fit: Fit, order: Order, after: Position | undefined): Sorting {
  const sorting = sortingOf(order, fit);
  if (after === undefined || isPosition(sorting.keys, after)) return sorting;
  return sortingOf(order, { isRegular: () => false });
}

/** A key at which all documents are what the position is does not decide. */
function isSame(constant: Stored | undefined, value: Stored | null): boolean {
  return constant instanceof Date && value instanceof Date
    ? constant.getTime() === value.getTime()
    : constant === value;
}

/** Whether the position has BSON dates wherever documents have. */
export function isPosition(keys: readonly SortKey[], position: Position): boolean {
  return keys
    .map((key) => placeOf(key, position))
    .every(({ key, value }) => !key.holdsDates || value === null || value instanceof Date);
}

function placeOf(key: SortKey, position: Position): Place {
  const value = position[key.at] ?? null;
  const at = key.holdsDates && typeof value === "string" ? epochOf(value) : undefined;
  return { key, value: at === undefined ? value : new Date(at) };
}

function after(places: readonly Place[]): Document {
  const [first, ...others] = places;
  if (first === undefined) return NOTHING;
  const { key, value } = first;
  // Nothing comes after null.
  if (value === null && key.descending)
    return others.length === 0 ? NOTHING : { $and: [at(first), after(others)] };
  if (others.length === 0) return beyond(first);
  const later = after(others);
  if (later === NOTHING) return beyond(first);
  const alternatives = { $or: [beyond(first), { $and: [at(first), later] }] };
  return value === null ? alternatives : { $and: [from(first), alternatives] };
}

const at = ({ key: { path }, value }: Place): Document => ({ [path]: { $eq: value } });

function beyond({ key: { path, descending, total }, value }: Place): Document {
  if (value === null) return { [path]: { $ne: null } };
  if (!descending) return { [path]: { $gt: value } };
  return { [path]: total ? { $lt: value } : { $not: { $gte: value } } };
}

/** At the position or beyond it. */
function from({ key: { path, descending, total }, value }: Place): Document {
  if (!descending) return { [path]: { $gte: value } };
  return { [path]: total ? { $lte: value } : { $not: { $gt: value } } };
}
