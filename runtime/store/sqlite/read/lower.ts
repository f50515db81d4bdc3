import type { Filter, LeafFilter, Scalar } from "../../../filter/algebra.ts";
import { epochOf } from "../../../filter/dates.ts";
import { type Field, holdsArray, passesArray } from "../../../filter/fields.ts";
import type { SearchTerms } from "../../../filter/search/text-index.ts";
import {
  columnOf,
  hasType,
  isPlain,
  keyExpression,
  type Place,
  reach,
  strict,
  strictnessFor,
} from "../expressions.ts";
import { bind, type Parameters } from "../parameters.ts";
import { sameArray } from "./array-equality.ts";
import { type Comparison, memberTest, symbols, testsOf } from "./comparisons.ts";

/**
 * Filters as SQL conditions on a row of a collection's table. A condition may come out NULL where it is not true; the
 * only place where that would matter, `not`, asks for `IS NOT TRUE`.
 */

/** SQL for the rows whose field, one that passes through an array, has a value of which `condition` is true. */
export type ArrayIndex = (field: Field, condition: (value: string) => string) => string | undefined;

/** What stands beside a collection's table. */
export interface Indexes {
  readonly array: ArrayIndex;
  /** SQL for the rows that the collection's text index finds. */
  readonly text: (terms: SearchTerms, parameters: Parameters) => string;
  /** Conditions are spelled so that indexes of the collection's table serve them. */
  readonly spelled: boolean;
}

/** For rows that are there already: the document says more cheaply than an index what is in its arrays. */
export function rowByRow({ text }: Indexes): Indexes {
  return { array: () => undefined, text, spelled: true };
}

/** For rows that no index has to do with: conditions may be spelled as is cheapest. */
export function unindexed({ text }: Indexes): Indexes {
  return { array: () => undefined, text, spelled: false };
}

type ArrayEquality = Extract<LeafFilter, { op: "equalsArray" }>;

export function lower(filter: Filter, parameters: Parameters, indexes: Indexes): string {
  const part = (inner: Filter) => lower(inner, parameters, indexes);
  switch (filter.op) {
    case "true":
      return "1";
    case "false":
      return "0";
    case "and":
      return joined(columnsFirst(filter.of).map(part), "AND");
    case "or":
      return joined(columnsFirst(filter.of).map(part), "OR");
    case "not":
      return filter.of.op === "exists"
        ? absent(filter.of.field, indexes.spelled)
        : `(${part(filter.of)} IS NOT TRUE)`;
    case "exists":
      return present(filter.field, indexes.spelled);
    case "search":
      return indexes.text(filter.terms, parameters);
    case "equalsArray":
      return arrayEquals(filter, parameters, indexes.array);
    default:
      return compared(filter, parameters, indexes);
  }
}

/** SQLite asks from left to right, and looking into the document is dear. */
export function columnsFirst(filters: readonly Filter[]): readonly Filter[] {
  const inDocument = filters.filter(readsDocument);
  if (inDocument.length === 0 || inDocument.length === filters.length) return filters;
  return [...filters.filter((filter) => !readsDocument(filter)), ...inDocument];
}

function readsDocument(filter: Filter): boolean {
  switch (filter.op) {
    case "true":
    case "false":
    case "search":
      return false;
    case "and":
    case "or":
      return filter.of.some(readsDocument);
    case "not":
      return readsDocument(filter.of);
    default:
      return columnOf(filter.field) === undefined;
  }
}

function compared(filter: Comparison, parameters: Parameters, indexes: Indexes): string {
  const onColumn = columnCondition(filter, parameters);
  if (onColumn !== undefined) return onColumn;

  const { field } = filter;
  const tests = testsOf(filter, parameters);
  if (passesArray(field) && tests.every((test) => test.indexable)) {
    const condition = (value: string) => anyOf(tests.map((test) => test.condition(value, "any")));
    const indexed = indexes.array(field, condition);
    if (indexed !== undefined) return indexed;
  }
  return reached(field, true, (place) => {
    const conditions = tests.map(({ type, condition, indexable }) => {
      const strictness = strictnessFor(field, type);
      // Few rows pass; only of these the type has to be looked at as well.
      if (!indexes.spelled && indexable && !passesArray(field) && isPlain(strictness))
        return `(${condition(place.value, strictness)} AND ${hasType(place, strictness)})`;
      return condition(strict(place, strictness), strictness);
    });
    return anyOf(conditions);
  });
}

/** The array as a whole; an index of its elements finds the rows that have the first of them. */
function arrayEquals(
  { field, value }: ArrayEquality,
  parameters: Parameters,
  arrayIndex: ArrayIndex,
): string {
  const exact = reached(field, false, (place) => sameArray(place, field, value, parameters));
  const element = value.find((of) => of !== null);
  if (element === undefined || !holdsArray(field)) return exact;
  const indexed = arrayIndex(field, (stored) => {
    const tests = testsOf({ op: "eq", field, value: element }, parameters);
    return anyOf(tests.map((test) => test.condition(stored, "any")));
  });
  return indexed === undefined ? exact : `(${indexed} AND ${exact})`;
}

const anyOf = (conditions: readonly string[]) => joined(conditions, "OR");

/** Long rows of conditions are halved again and again, since SQLite limits how deep an expression may be. */
function joined(conditions: readonly string[], operator: "AND" | "OR"): string {
  const [only] = conditions;
  if (only === undefined) return operator === "AND" ? "1" : "0";
  if (conditions.length === 1) return only;
  if (conditions.length <= 100) return `(${conditions.join(` ${operator} `)})`;
  const middle = conditions.length >> 1;
  return `(${joined(conditions.slice(0, middle), operator)} ${operator} ${joined(conditions.slice(middle), operator)})`;
}

/** An index that has a value says so; where it has none, there may yet be one of another type than declared. */
function present(field: Field, spelled: boolean): string {
  const column = columnOf(field);
  if (column !== undefined) return `${column.sql} IS NOT NULL`;
  const stands = reached(field, false, ({ type }) => `${type} <> 'null'`);
  return spelled && !passesArray(field) ? `(${keyExpression(field)} IS NOT NULL OR ${stands})` : stands;
}

function absent(field: Field, spelled: boolean): string {
  const column = columnOf(field);
  if (column !== undefined) return `${column.sql} IS NULL`;
  const stands = present(field, false);
  return spelled && !passesArray(field)
    ? `(${keyExpression(field)} IS NULL AND (${stands}) IS NOT TRUE)`
    : `((${stands}) IS NOT TRUE)`;
}

/**
 * A condition that holds when a place which the field's path reaches passes the test. The plus keeps SQLite (3.51 to 3.53
 * at least) from making a join of it, where `OFFSET` then counts a row once for each place.
 */
function reached(field: Field, elements: boolean, test: (place: Place) => string): string {
  const { from, place } = reach(field, "doc", elements);
  return from.length === 0 ? test(place) : `+EXISTS (SELECT 1 FROM ${from.join(", ")} WHERE ${test(place)})`;
}

/** The condition on the column that holds the field, where one does and its values compare with this one. */
function columnCondition(filter: Comparison, parameters: Parameters): string | undefined {
  const column = columnOf(filter.field);
  if (column === undefined) return undefined;
  switch (filter.op) {
    case "eq":
    case "in": {
      const values = filter.op === "eq" ? [filter.value] : filter.values;
      const own = values.map((value) => columnValue(value, column.holds));
      const type = column.holds === "text" ? "text" : "number";
      const bound = own.filter((value) => value !== undefined);
      return bound.length < own.length
        ? undefined
        : memberTest(type, bound, parameters).condition(column.sql, type);
    }
    case "lt":
    case "lte":
    case "gt":
    case "gte": {
      const bound = columnValue(filter.value, column.holds);
      return bound === undefined
        ? undefined
        : `${column.sql} ${symbols[filter.op]} ${bind(bound, parameters)}`;
    }
    case "between": {
      const [min, max] = [columnValue(filter.min, column.holds), columnValue(filter.max, column.holds)];
      return min === undefined || max === undefined
        ? undefined
        : `${column.sql} BETWEEN ${bind(min, parameters)} AND ${bind(max, parameters)}`;
    }
    default:
      return column.holds === "text"
        ? anyOf(testsOf(filter, parameters).map((test) => test.condition(column.sql, "text")))
        : undefined;
  }
}

function columnValue(value: Scalar, holds: "text" | "number" | "instant"): string | number | undefined {
  switch (holds) {
    case "text":
      return typeof value === "string" ? value : undefined;
    case "number":
      return typeof value === "number" ? value : undefined;
    case "instant":
      return typeof value === "string" ? epochOf(value) : undefined;
  }
}
