import { isDeepStrictEqual } from "node:util";
import { closing, keyword as knownKeyword } from "../../../compiler/schema/keywords.ts";
import { below, isPart, keyOf, type Place, referred } from "../../../compiler/schema/place.ts";
import { mapMembers } from "../../../compiler/schema/walk.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../runtime/json.ts";
import { mapKeyword } from "./keywords.ts";
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
  if (!isPart(place)) return pool.embed(place);
  const names = Object.keys(view.added);
  // Members whose own schema changes: a keyword that reaches them by another way than `properties` would contradict it.
  const changed = [...names, ...view.optional.flatMap((path) => (path.length > 1 ? path.slice(0, 1) : []))];
  const mayMiss = new Set(view.optional.filter((path) => path.length === 1).map((path) => path[0]));
  const weak = view.open || view.optional.length > 0;
  const branch = (inner: Place): JsonObject => admit(level(pool, inner, view, seen), names);
  const result: JsonObject = {};
  const all: JsonValue[] = [];

  for (const [keyword, held] of Object.entries(place.schema)) {
    if (held === undefined || (weak && inexpressible.has(keyword))) continue;
    if (names.length > 0 && aboutWhole.has(keyword)) continue;
    if (view.optional.length > 0 && (keyword === "const" || keyword === "enum")) continue;
    if (mayMiss.size > 0 && keyword === "minProperties") continue;
    if (view.open && keyword === "additionalProperties" && held === false) continue;

    if (keyword === "$ref") {
      const there = referred(place);
      if (there && !seen.has(keyOf(there))) {
        const seenThrough = admit(level(pool, there, view, new Set([...seen, keyOf(there)])), names);
        const same = isDeepStrictEqual(seenThrough, pool.embed(there));
        all.push(same ? pool.component(there, "", (at) => pool.embed(at)) : seenThrough);
      }
    } else if (keyword === "properties" && isJsonObject(held)) {
      result.properties = mapKeyword(place, keyword, (inner) => member(pool, inner, view, seen));
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
      result.patternProperties = mapMembers(Object.fromEntries(kept), (schema, pattern) =>
        pool.embedValue(below(place, [keyword, pattern], schema)),
      );
    } else if (keyword === "oneOf" && weak) {
      // Two branches may fit what the schema gives to one.
      all.push({ anyOf: mapKeyword(place, keyword, branch) });
    } else if (knownKeyword(keyword).inPlace) {
      const copied = mapKeyword(place, keyword, branch);
      if (keyword === "allOf" && Array.isArray(copied)) all.unshift(...copied);
      else result[keyword] = copied;
    } else {
      const copied = mapKeyword(place, keyword, (inner) => pool.embedValue(inner));
      if (copied !== undefined) result[keyword] = copied;
    }
  }
  const [only] = all;
  if (all.length === 1 && isJsonObject(only) && Object.keys(result).length === 0) return only;
  if (all.length > 0) result.allOf = all;
  return result;
}

function member(pool: SchemaPool, place: Place, view: View, seen: ReadonlySet<string>): JsonValue {
  const name = place.at.at(-1);
  const below = view.optional
    .filter((path) => path.length > 1 && path[0] === name)
    .map((path) => path.slice(1));
  if (below.length === 0) return pool.embedValue(place);
  return level(pool, place, { added: {}, required: [], optional: below, open: false }, seen);
}

/** Lets the server-owned members through a branch that refuses what it does not name. */
function admit(schema: JsonObject, names: readonly string[]): JsonObject {
  if (!closing.some((keyword) => schema[keyword] !== undefined) || names.length === 0) return schema;
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
