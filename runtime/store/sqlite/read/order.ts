import { type Field, passesArray } from "../../../filter/fields.ts";
import { MIDNIGHT } from "../../../filter/instants.ts";
import {
  defaultOrder,
  type Order,
  type OrderValue,
  ordersByInstant,
  type Position,
} from "../../../filter/order.ts";
import { kept } from "../../../kept.ts";
import {
  columnOf,
  dayGlob,
  declaredStrictness,
  heldAs,
  keyExpression,
  type Place,
  placeIn,
  reach,
  strict,
} from "../expressions.ts";
import type { Blank, Parameters } from "../parameters.ts";

/**
 * Orders and positions as SQL. NULL is SQLite's own least value, so that an order's nulls need no words; what is after a
 * position has to speak of them, since no comparison with NULL is true.
 */

/** A key of an order, and where a position is given whether it has a value there. */
export interface SortKey {
  /** Letter by letter that of the indexes over the field. */
  readonly sql: string;
  readonly descending: boolean;
  /** Every document has a value. */
  readonly total: boolean;
  /** Nothing but NULL is less. */
  readonly least: string;
  readonly position?: Blank | null;
}

/** Keys that cannot decide are left out: those named before, and everything after the id. */
export function sortKeys(order: Order, after?: Position): readonly SortKey[] {
  const keys: SortKey[] = [];
  for (const [at, { field, descending }] of order.entries()) {
    const key = sortKey(field, descending);
    if (keys.every(({ sql }) => sql !== key.sql))
      keys.push(after === undefined ? key : { ...key, position: blankFor(field, at, after[at] ?? null) });
    if (field.path === "id") break;
  }
  return keys;
}

/** Creation time, then id. */
export function isDefault(keys: readonly SortKey[]): boolean {
  return (
    keys.length === defaultOrder.length &&
    sortKeys(defaultOrder).every(({ sql }, at) => keys[at]?.sql === sql && !keys[at]?.descending)
  );
}

function blankFor(field: Field, key: number, value: OrderValue): Blank | null {
  return value === null ? null : { key, json: heldAs(field) === "number" && columnOf(field) === undefined };
}

/** The values of an order's keys at a position, as the keys have them: instants as epoch milliseconds, booleans as 0 or 1. */
export function keyValues(order: Order, after: Position): readonly (string | number | null)[] {
  return order.map(({ field }, at) => keyValue(field, after[at] ?? null));
}

/** Fields are declared once, and lists are put in order by them all the time. */
const known = { ascending: new WeakMap<Field, SortKey>(), descending: new WeakMap<Field, SortKey>() };

function sortKey(field: Field, descending: boolean): SortKey {
  return kept(descending ? known.descending : known.ascending, field, () => ({
    sql: sortExpression(field, descending),
    descending,
    total: totalFields.has(field.path),
    least: heldAs(field) === "text" ? "''" : "-9e999",
  }));
}

const totalFields: ReadonlySet<string> = new Set(["id", "_meta.created_at"]);

/**
 * Letter by letter that of the indexes over a field of one type, which hold what compares with it. What a field of
 * several types is ordered by, objects and arrays included, no index holds.
 */
function sortExpression(field: Field, descending: boolean): string {
  if (passesArray(field)) {
    const { from, place } = reach(field, "doc", true);
    return `(SELECT ${descending ? "max" : "min"}(${sortedValue(field, place)}) FROM ${from.join(", ")})`;
  }
  return isOfOneType(field) ? keyExpression(field) : sortedValue(field, placeIn("doc", field.segments));
}

function isOfOneType(field: Field): boolean {
  return declaredStrictness(field) !== "any" && !field.kinds.includes("object") && !ordersByInstant(field);
}

function sortedValue(field: Field, place: Place): string {
  const hasObjects = field.kinds.includes("object");
  if (hasObjects && field.kinds.every((kind) => kind === "object"))
    return `CASE ${place.type} WHEN 'object' THEN 1 END`;
  const strictness = hasObjects ? "any" : declaredStrictness(field);
  const byInstant = (value: string) =>
    ordersByInstant(field)
      ? `CASE WHEN ${value} GLOB '${dayGlob}' THEN ${value} || '${MIDNIGHT}' ELSE ${value} END`
      : value;
  if (strictness === "any") {
    return `CASE ${place.type} WHEN 'object' THEN x'00' WHEN 'array' THEN x'01' WHEN 'false' THEN x'02' WHEN 'true' THEN x'03' ELSE ${byInstant(place.value)} END`;
  }
  return byInstant(strict(place, strictness));
}

function keyValue(field: Field, value: OrderValue): string | number | null {
  if (typeof value === "boolean") return value ? 1 : 0;
  return typeof value === "string" && columnOf(field)?.holds === "instant" ? Date.parse(value) : value;
}

/** `ORDER BY …`, or nothing where the keys are all constant. */
export function orderBy(keys: readonly SortKey[]): string {
  return ordered(keys.map(({ sql, descending }) => `${sql}${descending ? " DESC" : ""}`));
}

/** The same, such that no index is walked for it: rows are found first, and sorted then. */
export function sortBy(keys: readonly SortKey[]): string {
  return ordered(keys.map(({ sql, descending }) => `+${sql}${descending ? " DESC" : ""}`));
}

/** The same, of rows whose columns from the second on are the keys. */
export function orderByColumns(keys: readonly SortKey[]): string {
  return ordered(keys.map(({ descending }, at) => `${at + 2}${descending ? " DESC" : ""}`));
}

const ordered = (terms: readonly string[]) => (terms.length === 0 ? "" : ` ORDER BY ${terms.join(", ")}`);

/** Everything after the position, as one condition. */
export function afterPosition(keys: readonly SortKey[], parameters: Parameters): string {
  const pair = instantAndId(keys, parameters);
  if (pair !== undefined) return pair;
  const [key, ...others] = keys;
  if (key === undefined) return "0";
  const { sql, descending, total } = key;
  const alternatives: string[] = [];
  const beyond = beyondPosition(key, parameters);
  if (beyond !== undefined) alternatives.push(beyond);
  if (descending && !total && key.position !== null) alternatives.push(`${sql} IS NULL`);
  if (others.length > 0)
    alternatives.push(`${atPosition(key, parameters)} AND ${afterPosition(others, parameters)}`);
  return alternatives.length === 0 ? "0" : `(${alternatives.join(" OR ")})`;
}

/** A range of an index, and the keys that order what is in it: all keys before them are equal there. */
export interface Seek {
  readonly keys: readonly SortKey[];
  readonly condition: (parameters: Parameters) => string;
}

/**
 * Everything after the position, as ranges of an index that begins with the first `walked` keys, in the keys' order. Each
 * is found by going down the index once, however far in the list it lies. Rows that equal the position in all of these
 * keys come with those after them: one range less, but all of them are looked at.
 */
export function seeksAfter(keys: readonly SortKey[], walked: number): readonly Seek[] {
  const seeks = seeksFrom(keys, walked);
  return seeks.length > 0 ? seeks : [nothing];
}

/** Not `0`: SQLite would see that nothing is left to find, and then miss the index that it is told to take. */
const nothing: Seek = { keys: [], condition: () => "seq IS NULL" };

function seeksFrom(keys: readonly SortKey[], walked: number): readonly Seek[] {
  const last = keys[walked - 1];
  const rest = keys.slice(walked);
  if (walked === keys.length && isInstantAndId(keys.slice(-2))) {
    const pair = keys.slice(-2);
    const beyond = { keys: pair, condition: (parameters: Parameters) => afterPosition(pair, parameters) };
    return [...within(keys.slice(0, -2), [beyond]), ...seeksBeyond(keys, walked - 2)];
  }
  if (rest.length === 0) return seeksBeyond(keys, walked);
  if (last === undefined || last.position === null) {
    const equal = { keys: rest, condition: (parameters: Parameters) => afterPosition(rest, parameters) };
    return [...within(keys.slice(0, walked), [equal]), ...seeksBeyond(keys, walked)];
  }
  const from = [last, ...rest];
  const together = {
    keys: from,
    condition: (parameters: Parameters) =>
      `${fromPosition(last, parameters)} AND ${afterPosition(from, parameters)}`,
  };
  const ranges = last.descending && !last.total ? [together, nullsOf(last, rest)] : [together];
  return [...within(keys.slice(0, walked - 1), ranges), ...seeksBeyond(keys, walked - 1)];
}

/** Of what is after the position, that which differs from it in the first `walked` keys. */
export function seeksBeyond(keys: readonly SortKey[], walked: number): readonly Seek[] {
  const seeks: Seek[] = [];
  for (let at = walked - 1; at >= 0; at--) {
    const key = keys[at];
    // Descending, nothing comes after null.
    if (key === undefined || (key.descending && key.position === null)) continue;
    const rest = keys.slice(at + 1);
    const condition = (parameters: Parameters) => beyondPosition(key, parameters) ?? "1";
    const beyond = { keys: [key, ...rest], condition };
    const ranges = key.descending && !key.total ? [beyond, nullsOf(key, rest)] : [beyond];
    seeks.push(...within(keys.slice(0, at), ranges));
  }
  return seeks;
}

/** The ranges among the rows that equal the position in these keys. */
export function within(equal: readonly SortKey[], seeks: readonly Seek[]): readonly Seek[] {
  return seeks.map(({ keys, condition }) => ({
    keys,
    condition: (parameters) =>
      [...equal.map((key) => atPosition(key, parameters)), condition(parameters)].join(" AND "),
  }));
}

const nullsOf = ({ sql }: SortKey, keys: readonly SortKey[]): Seek => ({
  keys,
  condition: () => `${sql} IS NULL`,
});

/**
 * Everything: the rows whose first key comes first, which are in order by the others, and then those after them. `start`
 * is SQL for the value that the first key has there.
 */
export function seeksFromStart(
  key: SortKey,
  others: readonly SortKey[],
  start: string,
): readonly [readonly Seek[], readonly Seek[]] {
  const { sql, descending, least } = key;
  const first = { keys: others, condition: () => `${sql} IS ${start}` };
  if (!descending) {
    const later = `${sql} >= coalesce(${start}, ${least}) AND ${sql} IS NOT ${start}`;
    return [[first], [{ keys: [key, ...others], condition: () => later }]];
  }
  const less = { keys: [key, ...others], condition: () => `${sql} < ${start}` };
  const nulls = { keys: others, condition: () => `${sql} IS NULL AND ${start} IS NOT NULL` };
  return [[first], [less, nulls]];
}

/** Beyond the position by the key alone, nulls left aside; undefined where nothing is. */
function beyondPosition(key: SortKey, parameters: Parameters): string | undefined {
  const { sql, descending, position, least } = key;
  // An index serves this, but not `IS NOT NULL`.
  if (position === null || position === undefined) return descending ? undefined : `${sql} >= ${least}`;
  return `${sql} ${descending ? "<" : ">"} ${parameters.addBlank(position)}`;
}

/** Beyond the position or at it. */
function fromPosition(key: SortKey, parameters: Parameters): string {
  const { sql, descending, position } = key;
  if (position === null || position === undefined) throw new Error("nothing to begin from");
  return `${sql} ${descending ? "<=" : ">="} ${parameters.addBlank(position)}`;
}

function atPosition({ sql, position }: SortKey, parameters: Parameters): string {
  return position === null || position === undefined
    ? `${sql} IS NULL`
    : `${sql} = ${parameters.addBlank(position)}`;
}

/** Two columns that are never null and that our indexes end with: SQLite seeks for both at once. */
function isInstantAndId([instant, id, ...others]: readonly SortKey[]): boolean {
  return (
    instant?.sql === "created_at" &&
    id?.sql === "id" &&
    instant.descending === id.descending &&
    others.length === 0
  );
}

function instantAndId(keys: readonly SortKey[], parameters: Parameters): string | undefined {
  if (!isInstantAndId(keys)) return undefined;
  const [at, id] = keys.map(({ position }) => position ?? undefined);
  if (at === undefined || id === undefined) return undefined;
  const place = `(${parameters.addBlank(at)}, ${parameters.addBlank(id)})`;
  return `(created_at, id) ${keys[0]?.descending ? "<" : ">"} ${place}`;
}
