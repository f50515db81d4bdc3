import type { Field } from "./fields.ts";
import type { SearchTerms, TextIndex } from "./search/text-index.ts";

/**
 * The one query language inside: rules, lists, expansion lookups and subscriptions all end in it.
 *
 * Two-valued: every filter is true or false of a document, never unknown. A path *reaches* values: it walks its
 * segments and, where `Field.arrays` says so, every element of an array. Null and missing are the same, *absent*.
 * A leaf is true when at least one reached value satisfies it, so a leaf on an absent path is false and `not` is its
 * exact opposite. Values compare only with values of their own JSON type (integers and floats are one type); an array
 * or object where a scalar is declared equals nothing. Strings compare by code point; dates are stored normalised and
 * compare as instants (`date` stands for its midnight UTC). Case-insensitive means Unicode simple case folding.
 */
export type Filter =
  | { readonly op: "true" }
  | { readonly op: "false" }
  | { readonly op: "and"; readonly of: readonly Filter[] }
  | { readonly op: "or"; readonly of: readonly Filter[] }
  | { readonly op: "not"; readonly of: Filter }
  | LeafFilter
  | SearchFilter;

export type LeafFilter =
  /** A reached value equals `value`. */
  | { readonly op: "eq"; readonly field: Field; readonly value: Scalar }
  /** A reached value equals one of `values` (never empty, never one: see {@link isIn}). */
  | { readonly op: "in"; readonly field: Field; readonly values: readonly Scalar[] }
  /** A reached value is ordered so against `value`. */
  | { readonly op: Ordering; readonly field: Field; readonly value: string | number }
  /** One reached value lies within both bounds, which are included. */
  | {
      readonly op: "between";
      readonly field: Field;
      readonly min: string | number;
      readonly max: string | number;
    }
  /** A reached string starts with, ends with or contains `value`, all of whose characters are literal. */
  | { readonly op: TextMatch; readonly field: Field; readonly value: string; readonly ignoreCase: boolean }
  /** All of a reached string matches: `%` any run of characters, `_` one code point, everything else itself. */
  | { readonly op: "like"; readonly field: Field; readonly pattern: string; readonly ignoreCase: boolean }
  /** The array that stands at the path has exactly these elements in this order. */
  | { readonly op: "equalsArray"; readonly field: Field; readonly value: readonly (Scalar | null)[] }
  /** The path reaches a non-null value; an array, even an empty one, is a value. */
  | { readonly op: "exists"; readonly field: Field };

/** The document's text matches (spec: Full-text search). Stands at the top of a filter or in conjunctions only. */
export type SearchFilter = { readonly op: "search"; readonly index: TextIndex; readonly terms: SearchTerms };

export type Scalar = string | number | boolean;
export type Ordering = "lt" | "lte" | "gt" | "gte";
export type TextMatch = "startsWith" | "endsWith" | "contains";

export const TRUE: Filter = { op: "true" };
export const FALSE: Filter = { op: "false" };

export const always = (holds: boolean): Filter => (holds ? TRUE : FALSE);

/** Conjunction with constants folded and nested conjunctions flattened. */
export function and(...filters: readonly Filter[]): Filter {
  return fold("and", "true", "false", filters);
}

/** Disjunction with constants folded and nested disjunctions flattened. */
export function or(...filters: readonly Filter[]): Filter {
  return fold("or", "false", "true", filters);
}

function fold(
  op: "and" | "or",
  neutral: Filter["op"],
  absorbing: Filter["op"],
  filters: readonly Filter[],
): Filter {
  const of: Filter[] = [];
  for (const filter of filters) {
    if (filter.op === absorbing) return filter;
    if (filter.op === neutral) continue;
    if (filter.op === op) of.push(...filter.of);
    else of.push(filter);
  }
  const only = of[0];
  if (only === undefined) return always(neutral === "true");
  return of.length === 1 ? only : { op, of };
}

export function not(filter: Filter): Filter {
  switch (filter.op) {
    case "true":
      return FALSE;
    case "false":
      return TRUE;
    case "not":
      return filter.of;
    default:
      return { op: "not", of: filter };
  }
}

/** A caller's value that may be absent: compared with it, every field is false. */
export type Known<T> = T | null | undefined;

export function eq(field: Field, value: Known<Scalar>): Filter {
  return value === null || value === undefined ? FALSE : { op: "eq", field, value };
}

export function isIn(field: Field, values: Known<readonly Known<Scalar>[]>): Filter {
  const present = [...new Set((values ?? []).filter((value) => value !== null && value !== undefined))];
  const [first] = present;
  if (first === undefined) return FALSE;
  return present.length === 1 ? { op: "eq", field, value: first } : { op: "in", field, values: present };
}

export function compare(op: Ordering, field: Field, value: Known<string | number>): Filter {
  return value === null || value === undefined ? FALSE : { op, field, value };
}

export function text(op: TextMatch, field: Field, value: Known<string>, ignoreCase = false): Filter {
  return value === null || value === undefined ? FALSE : { op, field, value, ignoreCase };
}

export function like(field: Field, pattern: string, ignoreCase = false): Filter {
  return { op: "like", field, pattern, ignoreCase };
}

export function between(field: Field, min: string | number, max: string | number): Filter {
  return { op: "between", field, min, max };
}

export function equalsArray(field: Field, value: readonly (Scalar | null)[]): Filter {
  return { op: "equalsArray", field, value };
}

export function search(index: TextIndex, terms: SearchTerms): Filter {
  return { op: "search", index, terms };
}

/** The search that a filter asks for, if it asks for one. */
export function searchIn(filter: Filter): SearchFilter | undefined {
  if (filter.op === "search") return filter;
  if (filter.op !== "and") return undefined;
  return filter.of.find((part) => part.op === "search");
}

export function exists(field: Field): Filter {
  return { op: "exists", field };
}
