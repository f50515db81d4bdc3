/** Why a value surely does not fit a schema. What is not looked at (`not`, `if`, `unevaluated…`) refutes nothing. */
import {
  beyondSafeIntegers,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "../../../../runtime/json.ts";
import { duplicateItems, equal } from "../../../../runtime/validation/equal.ts";
import { formats } from "../../../../runtime/validation/formats.ts";
import { isMultipleOf } from "../../../../runtime/validation/multiples.ts";
import { codePointLength } from "../../../../runtime/validation/text.ts";
import { strings } from "../../../schema/facets.ts";
import type { Part, Place } from "../../../schema/place.ts";
import { allTypes, type JsonType } from "../../../schema/shapes.ts";
import { branchesOf, conjunctsOf } from "../../../schema/walk.ts";
import { mayMatch } from "../../patterns.ts";
import { elementOf, memberOf } from "./places.ts";

/** Levels of values in values that are looked at. */
const DEEPEST = 20;
/** The first reason found, in words that follow the value; `undefined` where none is. */
export function refutation(value: JsonValue, places: readonly Place[], depth = 0): string | undefined {
  if (depth > DEEPEST) return undefined;
  const { parts, never } = conjunctsOf(places);
  if (never.length > 0) return "is not allowed";
  const again = (inner: JsonValue, of: readonly Place[]): string | undefined =>
    refutation(inner, of, depth + 1);
  for (const { schema } of parts) {
    const found = typeProblem(value, schema) ?? listProblem(value, schema) ?? ownProblem(value, schema);
    if (found !== undefined) return found;
  }
  return insideProblem(value, parts, again) ?? branchProblem(value, parts, again);
}

type Again = (value: JsonValue, places: readonly Place[]) => string | undefined;

function typeProblem(value: JsonValue, { type }: JsonObject): string | undefined {
  if (type === undefined) return undefined;
  const types = [type].flat().map(String);
  // Of a type that there is not another check tells.
  const fits = !types.every(isType) || types.length === 0 || types.some((each) => isOfType(value, each));
  if (fits) return undefined;
  const isLarge = typeof value === "number" && Number.isInteger(value) && types.includes("integer");
  return isLarge ? `is too large: ${beyondSafeIntegers}` : `is not of type ${types.join(" or ")}`;
}

export function isType(name: string): name is JsonType {
  return allTypes.some((type) => type === name);
}

function isOfType(value: JsonValue, type: string): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isJsonObject(value);
    case "integer":
      return Number.isSafeInteger(value);
    default:
      return typeof value === type;
  }
}

function listProblem(value: JsonValue, schema: JsonObject): string | undefined {
  if (schema.const !== undefined && !equal(value, schema.const))
    return `is not the const ${shown(schema.const)}`;
  const { enum: listed } = schema;
  if (!Array.isArray(listed) || listed.includes(value)) return undefined;
  if (typeof value === "object" && listed.some((each: JsonValue) => equal(value, each))) return undefined;
  return "is not in the enum";
}

function ownProblem(value: JsonValue, schema: JsonObject): string | undefined {
  if (typeof value === "number") return numberProblem(value, schema);
  if (typeof value === "string") return textProblem(value, schema);
  if (Array.isArray(value)) {
    if (schema.uniqueItems === true && duplicateItems(value) !== undefined) return "holds an item twice";
    return countProblem(value.length, schema, "Items");
  }
  if (!isJsonObject(value)) return undefined;
  const missing = strings(schema.required).find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) return `lacks '${missing}'`;
  return countProblem(Object.keys(value).length, schema, "Properties");
}

function numberProblem(value: number, schema: JsonObject): string | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (typeof minimum === "number" && value < minimum) return `is below the minimum ${minimum}`;
  if (typeof maximum === "number" && value > maximum) return `is above the maximum ${maximum}`;
  if (typeof exclusiveMinimum === "number" && value <= exclusiveMinimum)
    return `is not above the exclusiveMinimum ${exclusiveMinimum}`;
  if (typeof exclusiveMaximum === "number" && value >= exclusiveMaximum)
    return `is not below the exclusiveMaximum ${exclusiveMaximum}`;
  if (typeof multipleOf === "number" && multipleOf > 0 && !isMultipleOf(value, multipleOf))
    return `is no multiple of ${multipleOf}`;
  return undefined;
}

function textProblem(value: string, schema: JsonObject): string | undefined {
  const { pattern, format } = schema;
  if (typeof pattern === "string" && !mayMatch(pattern, value))
    return `does not match the pattern ${pattern}`;
  if (typeof format === "string" && !isOfFormat(value, format)) return `is no ${format}`;
  return countProblem(codePointLength(value), schema, "Length");
}

const known: Readonly<Record<string, unknown>> = formats;

function isOfFormat(value: string, name: string): boolean {
  const format = Object.hasOwn(known, name) ? known[name] : undefined;
  if (format instanceof RegExp) return format.test(value);
  return typeof format !== "function" || format(value) === true;
}

function countProblem(
  count: number,
  schema: JsonObject,
  of: "Items" | "Length" | "Properties",
): string | undefined {
  const [least, most] = [schema[`min${of}`], schema[`max${of}`]];
  const [fewer, more] = of === "Length" ? ["is shorter", "is longer"] : ["has fewer", "has more"];
  if (typeof least === "number" && count < least) return `${fewer} than min${of} ${least}`;
  if (typeof most === "number" && count > most) return `${more} than max${of} ${most}`;
  return undefined;
}

function insideProblem(value: JsonValue, parts: readonly Part[], again: Again): string | undefined {
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) {
      const found = again(item, elementOf(parts, at));
      if (found !== undefined) return `has an item, ${shown(item)}, that ${found}`;
    }
  } else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      const found = member === undefined ? undefined : again(member, memberOf(parts, name));
      if (found !== undefined) return `has a member, '${name}', that ${found}`;
    }
  }
  return undefined;
}

function branchProblem(value: JsonValue, parts: readonly Part[], again: Again): string | undefined {
  for (const part of parts)
    for (const keyword of ["anyOf", "oneOf"]) {
      const branches = branchesOf(part, keyword);
      if (branches.length === 0) continue;
      const problems = branches.map((branch) => again(value, [branch]));
      if (problems.every((each) => each !== undefined)) return `fits no branch of ${keyword}`;
    }
  return undefined;
}

/** A value in a message. */
export function shown(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length <= 40 ? text : `${text.slice(0, 39)}…`;
}
