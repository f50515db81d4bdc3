import type { Document } from "mongodb";
import type { Filter, LeafFilter, Ordering, Scalar } from "../../../filter/algebra.ts";
import { epochOf } from "../../../filter/dates.ts";
import { type Field, holdsArray, passesArray } from "../../../filter/fields.ts";
import { boundOf } from "../../../filter/instants.ts";
import { formsOf as textForms } from "../../../filter/predicate.ts";
import { kept } from "../../../kept.ts";
import type { Regularity } from "../engine.ts";
import { holdsBsonDates, pathOf } from "../layout.ts";
import { searchCondition } from "../text/search.ts";
import type { Fit } from "./expressions.ts";
import { reachCondition } from "./leaves.ts";
import { placed } from "./paths.ts";
import { regexOf } from "./regex.ts";

/**
 * Filters as MongoDB's query language. Over regular fields its operators mean what the algebra means, and indexes serve
 * them. Over others the same operators find every document that matches, and some that do not; an expression then walks
 * the path exactly as declared.
 */
export function lower(filter: Filter, regularity: Regularity): Document {
  const known = kept(lowered, regularity, () => new WeakMap<Filter, Lowered>());
  const before = known.get(filter);
  if (before?.fits.every(([field, regular]) => regularity.isRegular(field) === regular)) return before.query;
  const fits: [Field, boolean][] = [];
  const query = queryOf(filter, {
    isRegular: (field) => {
      const regular = regularity.isRegular(field);
      fits.push([field, regular]);
      return regular;
    },
  });
  known.set(filter, { query, fits });
  return query;
}

/** A filter lowered, and which fields were regular then: that changes when documents are written. */
interface Lowered {
  readonly query: Document;
  readonly fits: readonly (readonly [Field, boolean])[];
}

const lowered = new WeakMap<Regularity, WeakMap<Filter, Lowered>>();

/** Matches nothing, and servers know it. */
export const NOTHING: Document = { _id: { $in: [] } };

function queryOf(filter: Filter, fit: Fit): Document {
  switch (filter.op) {
    case "true":
      return {};
    case "false":
      return NOTHING;
    case "and":
      return { $and: filter.of.map((part) => queryOf(part, fit)) };
    case "or":
      return { $or: filter.of.map((part) => queryOf(part, fit)) };
    case "not":
      return absent(filter.of, fit) ?? { $nor: [queryOf(filter.of, fit)] };
    case "search":
      return searchCondition(filter);
    default:
      return leafQuery(filter, fit);
  }
}

/** The opposite of `exists` as indexes find it; undefined for every other filter. */
function absent(filter: Filter, fit: Fit): Document | undefined {
  if (filter.op !== "exists" || passesArray(filter.field) || !fit.isRegular(filter.field)) return undefined;
  return { [pathOf(filter.field)]: { $eq: null } };
}

/** What regular fields that pass through no array are in every document that satisfies the filter, by their paths. */
export function constantsIn(filter: Filter, fit: Fit): ReadonlyMap<string, Scalar | Date> {
  const found = new Map<string, Scalar | Date>();
  for (const part of filter.op === "and" ? filter.of : [filter]) {
    if (part.op !== "eq" || passesArray(part.field) || !fit.isRegular(part.field)) continue;
    const [form, ...others] = formsOf(part.field, part.value);
    if (form !== undefined && others.length === 0) found.set(pathOf(part.field), form);
  }
  return found;
}

/** Paths of fields that have a scalar in every document that satisfies the filter. */
export function pathsWithValues(filter: Filter): ReadonlySet<string> {
  const paths = new Set<string>();
  for (const part of filter.op === "and" ? filter.of : [filter]) {
    if ("field" in part && part.op !== "exists" && part.op !== "equalsArray") paths.add(part.field.path);
  }
  return paths;
}

function leafQuery(filter: LeafFilter, fit: Fit): Document {
  const exact = fit.isRegular(filter.field) ? exactly(filter) : undefined;
  if (exact !== undefined) return exact;
  const walked = { $expr: reachCondition(filter, fit) };
  return { $and: [loosely(filter), walked] };
}

/** Over a regular field; undefined where MongoDB has no operator that would mean the same. */
function exactly(filter: LeafFilter): Document | undefined {
  const { field } = filter;
  switch (filter.op) {
    case "exists":
      return holdsArray(field)
        ? placed(field, { $type: "array" }, { together: true, elements: false })
        : placed(field, { $ne: null }, { together: true, elements: true });
    case "equalsArray": {
      if (!holdsArray(field)) return NOTHING;
      const forms = filter.value.map((element) => (element === null ? [null] : formsOf(field, element)));
      if (forms.some(({ length }) => length === 0)) return NOTHING;
      // Every combination would have to be spelled out.
      if (forms.some(({ length }) => length > 1)) return undefined;
      const $eq = forms.map(([form]) => form);
      return placed(field, { $eq }, { together: true, elements: false });
    }
    default: {
      const condition = conditionOf(filter);
      if (condition === undefined || condition === NOTHING) return condition;
      return placed(field, condition, { together: filter.op === "between", elements: true });
    }
  }
}

type ScalarFilter = Exclude<LeafFilter, { op: "exists" | "equalsArray" }>;

/** Of one value at a regular field's path. */
function conditionOf(filter: ScalarFilter): Document | undefined {
  const { field } = filter;
  switch (filter.op) {
    case "eq":
    case "in":
      return equalTo(valuesOf(filter).flatMap((value) => formsOf(field, value)));
    case "lt":
    case "lte":
    case "gt":
    case "gte": {
      const bound = exactBound(field, filter.op, filter.value);
      return bound === undefined ? undefined : { [`$${filter.op}`]: bound };
    }
    case "between": {
      const [min, max] = [exactBound(field, "gte", filter.min), exactBound(field, "lte", filter.max)];
      return min === undefined || max === undefined ? undefined : { $gte: min, $lte: max };
    }
    default:
      return holdsBsonDates(field) ? undefined : { $regex: regexOf(filter) };
  }
}

function equalTo(values: readonly (Scalar | Date)[]): Document {
  const [only] = values;
  if (only === undefined) return NOTHING;
  return values.length === 1 ? { $eq: only } : { $in: values };
}

function valuesOf(filter: Extract<LeafFilter, { op: "eq" | "in" }>): readonly Scalar[] {
  return filter.op === "eq" ? [filter.value] : filter.values;
}

/** What a value that equals this one is in a regular field; nothing where no value does. */
function formsOf(field: Field, value: Scalar): readonly (Scalar | Date)[] {
  if (typeof value !== "string") return [value];
  if (!holdsBsonDates(field)) return textForms(field, value);
  return dateFor(value);
}

/** Undefined where BSON dates would have to be compared with what is no date. */
function exactBound(field: Field, op: Ordering, bound: string | number): string | number | Date | undefined {
  if (typeof bound === "number") return bound;
  if (!holdsBsonDates(field)) return boundOf(field, op, bound);
  const at = epochOf(bound);
  return at === undefined ? undefined : new Date(at);
}

/**
 * A condition that holds wherever the filter does, also where arrays and values of other types stand, such as BSON dates
 * that count as their texts.
 */
function loosely(filter: LeafFilter): Document {
  const { field } = filter;
  const path = pathOf(field);
  const orDate = (condition: Document, date: Document) => ({
    $or: [{ [path]: condition }, { [path]: date }],
  });
  const isDate = { $type: "date" };
  switch (filter.op) {
    case "exists":
      return { [path]: { $exists: true } };
    case "equalsArray":
      return { [path]: { $type: "array" } };
    case "eq":
    case "in": {
      const texts = valuesOf(filter).flatMap((value) => textForms(field, value));
      return { [path]: equalTo([...texts, ...texts.flatMap(dateFor)]) };
    }
    case "lt":
    case "lte":
    case "gt":
    case "gte": {
      const { op, value } = filter;
      const condition = { [`$${op}`]: boundOf(field, op, value) };
      if (typeof value === "number") return { [path]: condition };
      // A day comes before its midnight as a text: the date of both is neither before nor after.
      const [date] = dateFor(value);
      return orDate(condition, date === undefined ? isDate : { [`$${op.slice(0, 2)}e`]: date });
    }
    case "between": {
      const condition = { $gte: boundOf(field, "gte", filter.min), $lte: boundOf(field, "lte", filter.max) };
      const [min] = dateFor(filter.min);
      const [max] = dateFor(filter.max);
      return orDate(condition, min === undefined || max === undefined ? isDate : { $gte: min, $lte: max });
    }
    default:
      return orDate({ $regex: regexOf(filter) }, isDate);
  }
}

function dateFor(value: Scalar): readonly Date[] {
  const at = typeof value === "string" ? epochOf(value) : undefined;
  return at === undefined ? [] : [new Date(at)];
}
