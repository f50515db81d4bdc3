import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts";

/**
 * Applies a JSON Merge Patch (RFC 7396) to an object: members overwrite, nested objects merge, `null` removes. Neither
 * argument changes; what the patch leaves alone is shared with the result.
 */
export function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  // Spreading defines members, also one named `__proto__`.
  const result: JsonObject = { ...target };
  for (const name of Object.keys(patch)) {
    const value = patch[name];
    if (value === null || value === undefined) delete result[name];
    else define(result, name, isJsonObject(value) ? mergePatch(objectAt(target, name), value) : value);
  }
  return result;
}

function objectAt(target: JsonObject, name: string): JsonObject {
  const value = Object.hasOwn(target, name) ? target[name] : undefined;
  return isJsonObject(value) ? value : {};
}

/** Sets an own member, whatever its name: an assignment to `__proto__` would set the prototype. */
export function define(object: JsonObject, name: string, value: JsonValue): void {
  if (name !== "__proto__") object[name] = value;
  else Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true });
}
