import type { Field } from "./fields.ts";

/**
 * The one query language inside: rules, lists, expansion lookups and subscriptions all end in it.
 *
 * Two-valued: every filter is true or false of a document, never unknown. A path *reaches* values: it walks its
 * segments and, where `Field.arrays` says so, every element of an array. Null and missing are the same, *absent*.
 * A leaf is true when at least one reached value satisfies it, so a leaf on an absent path is false and `not` is its
 * exact opposite. Values compare only with values of their own JSON type (integers and floats are one type); an array
 * or object where a scalar is declared equals nothing. Strings compare by code point; dates are stored normalised and
 * compare as instants (`date` stands for its midnight UTC).
 */
export type Filter =
  | { readonly op: "true" }
  | { readonly op: "false" }
  | { readonly op: "and"; readonly of: readonly Filter[] }
  | { readonly op: "or"; readonly of: readonly Filter[] }
  | { readonly op: "not"; readonly of: Filter }
  | LeafFilter;

export type LeafFilter =
  /** A reached value equals `value`. */
  | { readonly op: "eq"; readonly field: Field; readonly value: Scalar }
  /** A reached value equals one of `values` (never empty, never one: see {@link isIn}). */
  | { readonly op: "in"; readonly field: Field; readonly values: readonly Scalar[] }
  /** A reached value is ordered so against `value`. */
  | { readonly op: Ordering; readonly field: Field; readonly value: string | number }
  /** A reached string starts with, ends with or contains `value` (case-sensitive, all characters literal). */
  | { readonly op: TextMatch; readonly field: Field; readonly value: string }
  /** The path reaches a non-null value; an array, even an empty one, is a value. */
  | { readonly op: "exists"; readonly field: Field };

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

export function text(op: TextMatch, field: Field, value: Known<string>): Filter {
  return value === null || value === undefined ? FALSE : { op, field, value };
}

export function exists(field: Field): Filter {
  return { op: "exists", field };
}
