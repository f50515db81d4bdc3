/**
 * Reading the caller's side of a rule: members of `user.profile` and `appConfig`, whose shape may differ from what the
 * rule was compiled against (an older profile, a configuration replaced at run time). A value of another type than
 * declared is absent.
 */

import type { Scalar } from "../filter/algebra.ts";
import { storedDate } from "../filter/dates.ts";
import { isScalar, member } from "./values.ts";

export function textAt(source: unknown, ...path: readonly string[]): string | undefined {
  const value = member(source, ...path);
  return typeof value === "string" ? value : undefined;
}

export function numberAt(source: unknown, ...path: readonly string[]): number | undefined {
  const value = member(source, ...path);
  return typeof value === "number" ? value : undefined;
}

export function booleanAt(source: unknown, ...path: readonly string[]): boolean | undefined {
  const value = member(source, ...path);
  return typeof value === "boolean" ? value : undefined;
}

/** For members declared with more than one scalar type. */
export function scalarAt(source: unknown, ...path: readonly string[]): Scalar | undefined {
  const value = member(source, ...path);
  return isScalar(value) ? value : undefined;
}

/** The scalars of a list; absent where there is no list. */
export function listAt(source: unknown, ...path: readonly string[]): readonly Scalar[] | undefined {
  const value = member(source, ...path);
  return Array.isArray(value) ? value.filter(isScalar) : undefined;
}

/** A date or a date with time, in the form in which documents store them. */
export function dateAt(source: unknown, ...path: readonly string[]): string | undefined {
  const value = textAt(source, ...path);
  return value === undefined ? undefined : (storedDate(value, "date-time") ?? storedDate(value, "date"));
}
