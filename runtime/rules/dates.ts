/**
 * Dates in rules: stored RFC 3339 texts in UTC, whose order as text is their order in time; a `date` stands for its
 * midnight. As for filters, a text that is no date sorts among them as text (see filter/instants.ts).
 */
import { field } from "../filter/fields.ts";
import { type MidnightForms, midnightForms } from "../filter/instants.ts";
import { compareText } from "../text-order.ts";

/** `ago('7d')`: the moment `milliseconds` before the request. */
export function ago(now: string, milliseconds: number): string {
  return ahead(now, -milliseconds);
}

/** `ahead('1h')`: the moment `milliseconds` after the request. */
export function ahead(now: string, milliseconds: number): string {
  return new Date(Date.parse(now) + milliseconds).toISOString();
}

/** `a == b` of dates. */
export function sameDate(a: unknown, b: unknown): boolean {
  if (typeof a !== "string" || typeof b !== "string") return false;
  return a === b || (formsOf(a)?.short ?? a) === (formsOf(b)?.short ?? b);
}

/** `a < b` of dates. */
export function earlier(a: unknown, b: unknown): boolean {
  return order(a, b) < 0;
}

/** `a <= b` of dates. */
export function notLater(a: unknown, b: unknown): boolean {
  return order(a, b) <= 0;
}

/** `a > b` of dates. */
export function later(a: unknown, b: unknown): boolean {
  return order(a, b) > 0;
}

/** `a >= b` of dates. */
export function notEarlier(a: unknown, b: unknown): boolean {
  return order(a, b) >= 0;
}

/** `list.includes(item)` of dates. */
export function includesDate(list: unknown, item: unknown): boolean {
  return Array.isArray(list) ? list.some((element) => sameDate(element, item)) : sameDate(list, item);
}

function order(a: unknown, b: unknown): number {
  if (typeof a !== "string" || typeof b !== "string") return Number.NaN;
  const to = formsOf(b);
  if (to !== undefined) return orderToMidnight(a, to);
  const from = formsOf(a);
  return from === undefined ? compareText(a, b) : -orderToMidnight(b, from);
}

function orderToMidnight(date: string, { short, long }: MidnightForms): number {
  if (compareText(date, short) < 0) return -1;
  return compareText(date, long) > 0 ? 1 : 0;
}

const anyDate = field("date", ["date-time", "date"]);

function formsOf(date: string): MidnightForms | undefined {
  return midnightForms(anyDate, date);
}
