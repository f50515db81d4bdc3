/**
 * Integers beyond ±(2^53 - 1) in documents. A field that is declared as a number takes them as the doubles that they are, one that
 * is declared as an integer refuses them by its validator, and what is not declared refuses them here, since nothing says that
 * losing digits is right.
 */
import type { Detail } from "../errors.ts";
import type { FieldTable } from "../filter/fields.ts";
import { problemsNamed } from "../http/body.ts";
import { beyondSafeIntegers, isJsonObject, type JsonObject, type JsonValue } from "../json.ts";

/** @param values those that the body holds */
export function undeclaredIntegers(
  members: JsonObject,
  fields: FieldTable,
  values: ReadonlySet<number>,
): readonly Detail[] {
  const found: Detail[] = [];
  if (values.size > 0) object(members, "", "");
  return found;

  /** @param field its path without positions in arrays, with a dot at its end; empty at the top */
  function object(of: JsonObject, path: string, field: string): void {
    for (const [name, value] of Object.entries(of))
      if (value !== undefined) visit(value, `${path}${name}`, `${field}${name}`);
  }

  function visit(value: JsonValue, path: string, field: string): void {
    if (found.length === problemsNamed) return;
    if (typeof value === "number") {
      if (values.has(value) && !takesNumbers(fields, field)) found.push({ path, reason: beyondSafeIntegers });
    } else if (Array.isArray(value))
      for (const [at, each] of value.entries()) visit(each, `${path}.${at}`, field);
    else if (isJsonObject(value)) object(value, `${path}.`, `${field}.`);
  }
}

function takesNumbers(fields: FieldTable, path: string): boolean {
  return Object.hasOwn(fields, path) && fields[path]?.kinds.includes("number") === true;
}
