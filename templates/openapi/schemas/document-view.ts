import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../runtime/json.ts";
import { mapKeyword, mapMembers } from "./keywords.ts";
import { type Place, target, targetKey, within } from "./place.ts";
import type { SchemaPool } from "./pool.ts";

/** How a document as it travels differs from what the collection's schema.json describes. */
export interface View {
  /** Server-owned members beside those of the schema. */
  readonly added: JsonObject;
  /** Which of them are always there. */
  readonly required: readonly string[];
  /** Paths that may be missing although the schema requires them (field rules). */
  readonly optional: readonly (readonly string[])[];
  /** Further members are possible although the schema refuses them: what is stored may be older than the schema. */
  readonly open: boolean;
}

/**
 * A collection's schema seen through a view: everything that the schema accepts is accepted here with the view's changes.
 * Where JSON Schema cannot say the changed thing exactly (`not`, `if`, `oneOf` about members that may be missing), the
 * result says less, never something wrong.
 */
export function documentView(pool: SchemaPool, place: Place, view: View): JsonObject {
  const own = level(pool, place, view, new Set());
  const properties = isJsonObject(own.properties) ? own.properties : {};
  const required = Array.isArray(own.required) ? own.required : [];
  return {
    ...own,
    type: "object",
    properties: { ...view.added, ...properties },
    ...(view.required.length + required.length > 0 && { required: [...view.required, ...required] }),
  };
}

/** One schema that applies to the document itself, or to an object on the way to an optional path. */
function level(pool: SchemaPool, place: Place, view: View, seen: ReadonlySet<string>): JsonObject {
  const { value } = place;
  if (!isJsonObject(value)) return pool.embed(place);
  const names = Object.keys(view.added);
  // Members whose own schema changes: a keyword that reaches them by another way than `properties` would contradict it.
  const changed = [...names, ...view.optional.flatMap((path) => (path.length > 1 ? path.slice(0, 1) : []))];
  const mayMiss = new Set(view.optional.filter((path) => path.length === 1).map((path) => path[0]));
  const weak = view.open || view.optional.length > 0;
  const branch = (child: JsonValue): JsonObject =>
    admit(level(pool, within(place, child), view, seen), names);
  const result: JsonObject = {};
  const all: JsonValue[] = [];

  for (const [keyword, held] of Object.entries(value)) {
    if (held === undefined || (weak && inexpressible.has(keyword))) continue;
    if (names.length > 0 && aboutWhole.has(keyword)) continue;
    if (view.optional.length > 0 && (keyword === "const" || keyword === "enum")) continue;
    if (mayMiss.size > 0 && keyword === "minProperties") continue;
    if (view.open && keyword === "additionalProperties" && held === false) continue;

    if (keyword === "$ref") {
      const there = target(place, held);
      if (there && !seen.has(targetKey(there))) {
        const seenThrough = admit(level(pool, there, view, new Set([...seen, targetKey(there)])), names);
        const same = isDeepStrictEqual(seenThrough, pool.embed(there));
        all.push(same ? pool.component(there, "", (at) => pool.embed(at)) : seenThrough);
      }
    } else if (keyword === "properties" && isJsonObject(held)) {
      result.properties = mapMembers(held, (child, name) =>
        member(pool, within(place, child), name, view, seen),
      );
    } else if (keyword === "required" && Array.isArray(held)) {
      const left = held.filter((name) => typeof name !== "string" || !mayMiss.has(name));
      if (left.length > 0) result.required = left;
    } else if (keyword === "dependentRequired" && isJsonObject(held)) {
      result.dependentRequired = mapMembers(held, (list) =>
        Array.isArray(list) ? list.filter((name) => typeof name !== "string" || !mayMiss.has(name)) : list,
      );
    } else if (keyword === "patternProperties" && isJsonObject(held)) {
      const kept = Object.entries(held).filter(
        ([pattern]) => !changed.some((name) => matches(pattern, name)),
      );
      const patterns = Object.fromEntries(kept);
      result.patternProperties = mapMembers(patterns, (child) => pool.embedValue(within(place, child)));
    } else if (keyword === "oneOf" && weak) {
      // Two branches may fit what the schema gives to one.
      all.push({ anyOf: mapKeyword(keyword, held, branch) });
    } else if (inPlace.has(keyword)) {
      const copied = mapKeyword(keyword, held, branch);
      if (keyword === "allOf" && Array.isArray(copied)) all.unshift(...copied);
      else result[keyword] = copied;
    } else {
      const copied = mapKeyword(keyword, held, (child) => pool.embedValue(within(place, child)));
      if (copied !== undefined) result[keyword] = copied;
    }
  }
  const [only] = all;
  if (all.length === 1 && isJsonObject(only) && Object.keys(result).length === 0) return only;
  if (all.length > 0) result.allOf = all;
  return result;
}

function member(
  pool: SchemaPool,
  place: Place,
  name: string,
  view: View,
  seen: ReadonlySet<string>,
): JsonValue {
  const below = view.optional
    .filter((path) => path.length > 1 && path[0] === name)
    .map((path) => path.slice(1));
  if (below.length === 0) return pool.embedValue(place);
  return level(pool, place, { added: {}, required: [], optional: below, open: false }, seen);
}

/** Lets the server-owned members through a branch that refuses what it does not name. */
function admit(schema: JsonObject, names: readonly string[]): JsonObject {
  if (!Object.keys(schema).some((keyword) => closing.has(keyword)) || names.length === 0) return schema;
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  return {
    ...schema,
    properties: { ...Object.fromEntries(names.map((name) => [name, true])), ...properties },
  };
}

function matches(pattern: string, name: string): boolean {
  try {
    return new RegExp(pattern, "u").test(name);
  } catch {
    return true;
  }
}

/** Refuse members that the schema does not name. */
const closing: ReadonlySet<string> = new Set(["additionalProperties", "unevaluatedProperties"]);

/** Speak of all members together, so they are wrong as soon as members are added. */
const aboutWhole: ReadonlySet<string> = new Set([
  "const",
  "default",
  "enum",
  "examples",
  "maxProperties",
  "propertyNames",
]);

/** Cannot be weakened member by member. */
const inexpressible: ReadonlySet<string> = new Set(["else", "if", "not", "then", "unevaluatedProperties"]);

/** Apply to the very value that the schema applies to. */
const inPlace: ReadonlySet<string> = new Set([
  "allOf",
  "anyOf",
  "dependentSchemas",
  "else",
  "if",
  "not",
  "oneOf",
  "then",
]);
