/** Keywords that judge no value that could come, for what stands beside them. */
import type { JsonObject, JsonValue } from "../../../../runtime/json.ts";
import { formats } from "../../../../runtime/validation/formats.ts";
import { type Keyword, keyword as known, type Subject } from "../../../schema/keywords.ts";
import type { Part } from "../../../schema/place.ts";
import { refutation } from "./refutation.ts";

export interface IdleKeyword {
  readonly keyword: string;
  readonly why: string;
}

/** What a keyword needs beside it; without all of them it means nothing. */
const needs: ReadonlyMap<string, readonly string[]> = new Map([
  ["minContains", ["contains"]],
  ["maxContains", ["contains"]],
  ["then", ["if"]],
  ["else", ["if"]],
  ["if", ["then", "else"]],
]);

/** What leaves nothing to a keyword. */
const takesAll: ReadonlyMap<string, string> = new Map([
  ["unevaluatedProperties", "additionalProperties"],
  ["unevaluatedItems", "items"],
]);

/** Those in a schema, in the order in which they are written. */
export function idleKeywords(part: Part): IdleKeyword[] {
  const { schema } = part;
  return Object.keys(schema).flatMap((keyword) => {
    const why = besideType(keyword, schema) ?? besideOthers(keyword, schema) ?? besideValues(keyword, part);
    return why === undefined ? [] : [{ keyword, why }];
  });
}

function besideType(keyword: string, schema: JsonObject): string | undefined {
  const { about: kind } = known(keyword);
  const { type, format } = schema;
  if (kind === undefined || type === undefined || (keyword === "format" && isOfNumbers(format)))
    return undefined;
  const types = [type].flat().map(String);
  const fits = types.includes(kind) || (kind === "number" && types.includes("integer"));
  return fits ? undefined : `it is about ${plurals[kind]}, and the type is ${types.join(" or ")}`;
}

const plurals: Readonly<Record<Subject, string>> = {
  string: "strings",
  number: "numbers",
  array: "arrays",
  object: "objects",
};

function isOfNumbers(format: JsonValue | undefined): boolean {
  const known: Readonly<Record<string, unknown>> = formats;
  const found = typeof format === "string" && Object.hasOwn(known, format) ? known[format] : undefined;
  return typeof found === "object" && found !== null && "type" in found && found.type === "number";
}

function besideOthers(keyword: string, schema: JsonObject): string | undefined {
  const wanted = needs.get(keyword);
  if (wanted?.every((each) => schema[each] === undefined)) return `it needs ${wanted.join(" or ")} beside it`;
  const other = takesAll.get(keyword);
  return other !== undefined && schema[other] !== undefined ? `${other} leaves nothing to it` : undefined;
}

/** Keywords that only narrow down what values are listed. */
function isLimiting(name: string, { about, limit }: Keyword): boolean {
  return name === "pattern" || (limit !== undefined && (about === "number" || about === "string"));
}

/** Limits and patterns that every value of `const` or `enum` meets. */
function besideValues(keyword: string, part: Part): string | undefined {
  const { const: only, enum: listed } = part.schema;
  const values: readonly JsonValue[] = only !== undefined ? [only] : Array.isArray(listed) ? listed : [];
  if (!isLimiting(keyword, known(keyword)) || values.length === 0) return undefined;
  const alone = { ...part, schema: { [keyword]: part.schema[keyword] } };
  if (values.some((value) => refutation(value, [alone]) !== undefined)) return undefined;
  return only !== undefined ? "const says which value it is" : "every value of the enum meets it";
}
