/** Types of values in the rule form, and dates written as text. */
import { storedDate } from "../../../runtime/filter/dates.ts";
import type { Value } from "./form.ts";
import { booleanType, dayType, instantType, numberType, type ValueKind, type ValueType } from "./types.ts";

export function typeOf(value: Value): ValueType {
  switch (value.kind) {
    case "null":
      return { kinds: [] };
    case "literal":
    case "list":
    case "read":
    case "claim":
      return value.type;
    case "now":
    case "moment":
      return instantType;
    case "length":
      return numberType;
    case "ends":
      return { kinds: [], elements: ["text"] };
    case "condition":
      return booleanType;
    case "pick":
      return union(typeOf(value.yes), typeOf(value.no));
  }
}

function union(a: ValueType, b: ValueType): ValueType {
  const elements =
    a.elements === undefined && b.elements === undefined
      ? undefined
      : [...(a.elements ?? []), ...(b.elements ?? [])];
  return {
    kinds: [...new Set([...a.kinds, ...b.kinds])],
    ...(elements === undefined ? {} : { elements }),
  };
}

/** What compares with what: dates of both precisions are one class. */
export type Class = "text" | "number" | "boolean" | "date" | "object";

export function classOf(kind: ValueKind): Class {
  return kind === "date" || kind === "date-time" ? "date" : kind;
}

export function classes(kinds: readonly ValueKind[]): readonly Class[] {
  return [...new Set(kinds.map(classOf))];
}

export function isDate(value: Value): boolean {
  return classes(typeOf(value).kinds).includes("date");
}

/**
 * A value beside a date: text literals in it become the dates that they are. Answers the literal that is none instead.
 */
export function asDate(value: Value): { readonly value: Value } | { readonly wrong: Value } {
  switch (value.kind) {
    case "literal": {
      if (typeof value.value !== "string" || isDate(value)) return { value };
      const date = dateLiteral(value.value);
      return date === undefined ? { wrong: value } : { value: { ...value, ...date } };
    }
    case "list": {
      const dates = value.items.map((item) => (typeof item === "string" ? dateLiteral(item) : undefined));
      const items = dates.map((date) => date?.value);
      return items.every((item) => item !== undefined)
        ? {
            value: {
              ...value,
              items,
              type: { kinds: [], elements: dates.flatMap((date) => date?.type.kinds ?? []) },
            },
          }
        : { wrong: value };
    }
    case "pick": {
      const yes = asDate(value.yes);
      const no = asDate(value.no);
      if ("wrong" in yes) return yes;
      if ("wrong" in no) return no;
      return { value: { ...value, yes: yes.value, no: no.value } };
    }
    default:
      return { value };
  }
}

function dateLiteral(text: string): { readonly value: string; readonly type: ValueType } | undefined {
  const day = storedDate(text, "date");
  if (day !== undefined) return { value: day, type: dayType };
  const instant = storedDate(text, "date-time");
  return instant === undefined ? undefined : { value: instant, type: instantType };
}
