/**
 * What emitted migrations are made of: steps that take a document from one form to the next. They are pure, and what they are
 * given stays as it is. Paths lead through arrays to each of their elements.
 */
import { storedDate } from "../filter/dates.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";

export type DocumentStep = (document: JsonObject) => JsonObject;

/** One after another. */
export function steps(...all: readonly DocumentStep[]): DocumentStep {
  return (document) => all.reduce((before, step) => step(before), { ...document });
}

/** A step for documents that `holds` is true of. */
export function where(holds: (document: JsonObject) => boolean, step: DocumentStep): DocumentStep {
  return (document) => (holds(document) ? step(document) : document);
}

/** Moves a value; an object that it leaves empty goes with it. */
export function rename(from: string, to: string): DocumentStep {
  const [source, target] = [from.split("."), to.split(".")];
  // What both paths begin with stays where it is, so that values can move inside of each element of an array.
  const most = Math.min(source.length, target.length) - 1;
  const differs = source.findIndex((name, at) => at >= most || name !== target[at]);
  const [around, old, now] = [source.slice(0, differs), source.slice(differs), target.slice(differs)];
  return (document) =>
    changed(document, around, false, (holder) => {
      const { value, rest } = taken(holder, old, from);
      return value === undefined ? holder : given(rest, now, value, to);
    });
}

/** Gives a field a value where it has none; null is one. */
export function fill(field: string, value: JsonValue): DocumentStep {
  return onField(field, true, (holder, name) =>
    Object.hasOwn(holder, name) ? holder : { ...holder, [name]: copied(value) },
  );
}

/** Gives a field a value, whatever it had. */
export function assign(field: string, value: JsonValue): DocumentStep {
  return onField(field, true, (holder, name) => ({ ...holder, [name]: copied(value) }));
}

export function drop(field: string): DocumentStep {
  return onField(field, false, without);
}

/** Replaces texts, also those in an array, by what stands for them; others stay. */
export function translate(field: string, values: JsonObject): DocumentStep {
  const table = new Map(Object.entries(values));
  return onField(field, false, (holder, name) =>
    replaced(holder, name, (value) => {
      const other = typeof value === "string" ? table.get(value) : undefined;
      return other === undefined ? value : other;
    }),
  );
}

export type Converted = "number" | "integer" | "string" | "boolean" | "date" | "date-time";

/**
 * Brings values, also those in an array, into another type; null stays. Without `otherwise`, which stands for what cannot be
 * converted, that is thrown.
 */
export function convert(
  field: string,
  to: Converted,
  { otherwise }: { readonly otherwise?: JsonValue } = {},
): DocumentStep {
  const conversion = conversions[to];
  return onField(field, false, (holder, name) =>
    replaced(holder, name, (value) => {
      if (value === null) return value;
      const converted = conversion.of(value) ?? copied(otherwise);
      if (converted === undefined)
        throw new Error(`'${field}' holds ${kindOf(value)} that cannot be made ${conversion.words}`);
      return converted;
    }),
  );
}

interface Conversion {
  readonly words: string;
  /** Undefined for what cannot be converted. */
  readonly of: (value: JsonValue) => JsonValue | undefined;
}

const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

const conversions: Readonly<Record<Converted, Conversion>> = {
  number: { words: "a number", of: numberOf },
  integer: {
    words: "an integer",
    of: (value) => {
      const number = numberOf(value);
      return Number.isSafeInteger(number) ? number : undefined;
    },
  },
  string: {
    words: "a string",
    of: (value) => (typeof value === "object" ? undefined : String(value)),
  },
  boolean: {
    words: "a boolean",
    of: (value) => {
      if (typeof value === "boolean") return value;
      if (value === "true" || value === 1) return true;
      return value === "false" || value === 0 ? false : undefined;
    },
  },
  date: {
    words: "a date",
    of: (value) =>
      typeof value === "string" && storedDate(value, "date") !== undefined
        ? value
        : instantOf(value)?.slice(0, "YYYY-MM-DD".length),
  },
  "date-time": { words: "a date-time", of: instantOf },
};

function numberOf(value: JsonValue): number | undefined {
  if (typeof value === "number") return value;
  const text = typeof value === "string" ? value.trim() : "";
  if (!decimal.test(text)) return undefined;
  const number = Number(text);
  // Of a whole number that a double cannot hold digits would be lost.
  const isLost = /^[+-]?\d+$/.test(text) && !Number.isSafeInteger(number);
  return isLost || !Number.isFinite(number) ? undefined : number;
}

/** The most milliseconds before or after 1970 that a date can be. */
const MAX_TIME = 8.64e15;

/** In UTC; numbers are milliseconds since 1970, a day begins at its midnight. */
function instantOf(value: JsonValue): string | undefined {
  if (typeof value === "number")
    return Math.abs(value) > MAX_TIME ? undefined : storedDate(new Date(value).toISOString(), "date-time");
  if (typeof value !== "string") return undefined;
  const day = storedDate(value, "date");
  return storedDate(day === undefined ? value : `${day}T00:00:00Z`, "date-time");
}

function kindOf(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** Documents do not share what a step gives them. */
function copied<T extends JsonValue | undefined>(value: T): T {
  return typeof value === "object" ? structuredClone(value) : value;
}

type Change = (holder: JsonObject) => JsonObject;

function onField(
  field: string,
  make: boolean,
  change: (holder: JsonObject, name: string) => JsonObject,
): DocumentStep {
  const names = field.split(".");
  const around = names.slice(0, -1);
  const name = names.at(-1) ?? "";
  return (document) => changed(document, around, make, (holder) => change(holder, name));
}

/**
 * A document in which the objects at a path are changed. `make`: where nothing is on the way objects are made, and anything
 * else than an object is thrown; without it both stay.
 */
function changed(
  object: JsonObject,
  path: readonly string[],
  make: boolean,
  change: Change,
  depth = 0,
): JsonObject {
  const name = path[depth];
  if (name === undefined) return change(object);
  const before = ownOf(object, name);
  const after = inside(before);
  return after === before ? object : { ...object, [name]: after };

  function inside(value: JsonValue | undefined): JsonValue | undefined {
    if (isJsonObject(value)) return changed(value, path, make, change, depth + 1);
    if (Array.isArray(value)) return eachOf(value, (item) => inside(item) ?? null);
    if (!make) return value;
    if (value === undefined) return changed({}, path, make, change, depth + 1);
    const place = path.slice(0, depth + 1).join(".");
    throw new Error(`'${place}' holds ${kindOf(value)}, so nothing can be put into it`);
  }
}

function replaced(holder: JsonObject, name: string, replace: (value: JsonValue) => JsonValue): JsonObject {
  const before = ownOf(holder, name);
  if (before === undefined) return holder;
  const after = Array.isArray(before) ? eachOf(before, replace) : replace(before);
  return after === before ? holder : { ...holder, [name]: after };
}

/** The same array where nothing in it is replaced. */
function eachOf(items: readonly JsonValue[], replace: (item: JsonValue) => JsonValue): readonly JsonValue[] {
  const after = items.map(replace);
  return after.every((item, at) => item === items[at]) ? items : after;
}

interface Taken {
  /** Undefined where there is none. */
  readonly value: JsonValue | undefined;
  readonly rest: JsonObject;
}

function taken(holder: JsonObject, [name = "", ...path]: readonly string[], field: string): Taken {
  const value = ownOf(holder, name);
  if (path.length === 0) return { value, rest: without(holder, name) };
  if (Array.isArray(value))
    throw new Error(`'${field}' leads into an array, which it cannot be moved out of`);
  if (!isJsonObject(value)) return { value: undefined, rest: holder };
  const inner = taken(value, path, field);
  const isEmpty = Object.keys(inner.rest).length === 0;
  return { value: inner.value, rest: isEmpty ? without(holder, name) : { ...holder, [name]: inner.rest } };
}

function given(
  holder: JsonObject,
  [name = "", ...path]: readonly string[],
  value: JsonValue,
  field: string,
): JsonObject {
  const present = ownOf(holder, name);
  if (path.length === 0) {
    if (present !== undefined) throw new Error(`'${field}' has a value already`);
    return { ...holder, [name]: value };
  }
  if (present !== undefined && !isJsonObject(present))
    throw new Error(`'${field}' leads into ${kindOf(present)}, which nothing can be moved into`);
  return { ...holder, [name]: given(present ?? {}, path, value, field) };
}

function without(holder: JsonObject, name: string): JsonObject {
  if (!Object.hasOwn(holder, name)) return holder;
  const { [name]: _, ...rest } = holder;
  return rest;
}

function ownOf(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
