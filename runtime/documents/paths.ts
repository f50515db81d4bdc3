import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { define } from "../merge-patch.ts";

/** Paths through objects, own members only: a member may be called `constructor`. */
export type Path = readonly string[];

/** Undefined where the path reaches nothing. */
export function valueAt(object: JsonObject, path: Path): JsonValue | undefined {
  let reached: JsonValue | undefined = object;
  for (const name of path) {
    if (!isJsonObject(reached) || !Object.hasOwn(reached, name)) return undefined;
    reached = reached[name];
  }
  return reached;
}

/**
 * A copy of the object with a value at the path; objects on the way are made where there is nothing or null. Undefined
 * where something else stands in the way.
 */
export function withValue(object: JsonObject, path: Path, value: JsonValue): JsonObject | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return undefined;
  const inner = rest.length === 0 ? value : withMember(valueAt(object, [name]), rest, value);
  if (inner === undefined) return undefined;
  const copy = { ...object };
  define(copy, name, inner);
  return copy;
}

function withMember(container: JsonValue | undefined, path: Path, value: JsonValue): JsonObject | undefined {
  if (container === undefined || container === null) return withValue({}, path, value);
  return isJsonObject(container) ? withValue(container, path, value) : undefined;
}

/**
 * A copy of the object in which the path reaches nothing, nor in objects of lists on the way: a stored document may be
 * older than the schema that has none there.
 */
export function withoutValue(object: JsonObject, path: Path): JsonObject {
  const [name, ...rest] = path;
  const inner = name !== undefined && Object.hasOwn(object, name) ? object[name] : undefined;
  if (name === undefined || inner === undefined) return object;
  const copy = { ...object };
  if (rest.length === 0) delete copy[name];
  else define(copy, name, withoutInner(inner, rest));
  return copy;
}

function withoutInner(value: JsonValue, path: Path): JsonValue {
  if (Array.isArray(value)) return value.map((item) => withoutInner(item, path));
  return isJsonObject(value) ? withoutValue(value, path) : value;
}
