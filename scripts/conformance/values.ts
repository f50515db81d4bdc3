import fc from "fast-check";
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";
import type { Description } from "./description.ts";

type Values = fc.Arbitrary<JsonValue>;

/** By schema: making them takes longer than taking values of them. */
const made = new WeakMap<JsonObject, Values>();

/** Values that mostly fit a schema of the description; what they do fit is for its validators to say. */
export function fitting(description: Description, schema: JsonValue | undefined): Values {
  const whole = description.follow(schema);
  const values = made.get(whole) ?? valuesOf(description, whole);
  made.set(whole, values);
  return values;
}

function valuesOf(description: Description, whole: JsonObject): Values {
  if (whole["const"] !== undefined) return fc.constant(whole["const"]);
  if (Array.isArray(whole["enum"])) return fc.constantFrom<JsonValue[]>(...whole["enum"]);
  const branches = whole["anyOf"] ?? whole["oneOf"];
  if (Array.isArray(branches)) {
    return seldomNull(branches.map((branch) => [isNull(branch), fitting(description, branch)]));
  }
  const types = Array.isArray(whole["type"]) ? whole["type"] : [whole["type"] ?? "object"];
  return seldomNull(types.map((type) => [type === "null", ofType(description, String(type), whole)]));
}

function isNull(schema: JsonValue): boolean {
  return isJsonObject(schema) && schema["type"] === "null";
}

/** In a patch null takes a field away, which most documents need. */
function seldomNull(branches: readonly (readonly [isNull: boolean, Values])[]): Values {
  return fc.oneof(...branches.map(([rare, arbitrary]) => ({ arbitrary, weight: rare ? 1 : 12 })));
}

function ofType(description: Description, type: string, schema: JsonObject): Values {
  const bound = (name: string, fallback: number) => Number(schema[name] ?? fallback);
  switch (type) {
    case "null":
      return fc.constant(null);
    case "boolean":
      return fc.boolean();
    case "integer":
      return fc.integer({ min: bound("minimum", -1000), max: Math.min(bound("maximum", 1000), 1000) });
    case "number":
      return fc.double({ min: bound("minimum", -1000), max: bound("maximum", 1000), noNaN: true });
    case "array": {
      const limits = { minLength: bound("minItems", 0), maxLength: Math.min(bound("maxItems", 3), 3) };
      return fc.array(fitting(description, schema["items"] ?? {}), limits);
    }
    case "string":
      return text(schema, bound("minLength", 0), Math.min(bound("maxLength", 20), 20));
    default:
      return members(description, schema);
  }
}

function text(schema: JsonObject, minLength: number, maxLength: number): fc.Arbitrary<string> {
  const narrower = Array.isArray(schema["allOf"]) ? schema["allOf"] : [];
  const pattern = [schema, ...narrower].findLast(
    (each) => isJsonObject(each) && each["pattern"] !== undefined,
  );
  if (isJsonObject(pattern)) {
    // What fast-check cannot look ahead to is left to chance.
    return fc.stringMatching(new RegExp(String(pattern["pattern"]).replace(/\(\?[=!].*?\)/g, ""), "u"));
  }
  switch (schema["format"]) {
    case "email":
      return fc.stringMatching(/^[a-z]{1,8}@[a-z]{1,8}\.io$/);
    case "date-time":
      return fc.integer({ max: 4e12 }).map((time) => new Date(Math.abs(time)).toISOString());
    case "date":
      return fc.integer({ max: 4e12 }).map((time) => new Date(Math.abs(time)).toISOString().slice(0, 10));
    case "uri":
      return fc.webUrl();
    default:
      return fc.string({ minLength: Math.max(minLength, 1), maxLength: Math.max(maxLength, 1) });
  }
}

function members(description: Description, schema: JsonObject): Values {
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"].map(String) : [];
  const each = Object.entries(properties).map(
    // Conditions hold others; queries are where all kinds of them are tried.
    ([name, member]) => [name, name === "where" ? fc.constant({}) : fitting(description, member)] as const,
  );
  return fc.record(Object.fromEntries(each), {
    requiredKeys: required.filter((name) => Object.hasOwn(properties, name)),
  });
}

/** An object with at most so many of these members, and one at least where there are any. */
export function fewOf(members: Readonly<Record<string, Values>>, most: number): fc.Arbitrary<JsonObject> {
  const names = Object.keys(members);
  return fc
    .subarray(names, { minLength: Math.min(names.length, 1), maxLength: Math.min(names.length, most) })
    .chain((some) =>
      fc.record(Object.fromEntries(some.map((name) => [name, members[name] ?? fc.constant(null)]))),
    );
}

const junk: readonly JsonValue[] = [null, true, -1, 0.5, "", "\u{1f4a5}", "x".repeat(400), [], [[]], {}];

/** The value with one thing about it changed: a member dropped or replaced, or a new one. */
export function spoilt(values: Values): Values {
  return fc
    .tuple(values, fc.nat(), fc.constantFrom(...junk), fc.constantFrom("drop", "replace", "add"))
    .map(([value, at, other, how]) => change(value, at, other, how));
}

function change(value: JsonValue, at: number, other: JsonValue, how: "drop" | "replace" | "add"): JsonValue {
  if (!isJsonObject(value)) return other;
  const names = Object.keys(value);
  const name = names[at % Math.max(names.length, 1)];
  if (how === "add" || name === undefined) return { ...value, unheard_of: other };
  if (how === "replace") {
    const inner = value[name];
    // Sometimes further inside.
    const changed = at % 2 === 0 && isJsonObject(inner) ? change(inner, at >> 1, other, how) : other;
    return { ...value, [name]: changed };
  }
  const { [name]: _dropped, ...rest } = value;
  return rest;
}
