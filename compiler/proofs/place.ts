import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";

/** Puts a value at a path of an object, making the objects on the way. */
export function place(target: JsonObject, path: readonly string[], value: JsonValue): void {
  const [name, ...rest] = path;
  if (name === undefined) return;
  if (rest.length === 0) {
    set(target, name, isJsonObject(value) ? { ...value } : value);
    return;
  }
  const held = Object.hasOwn(target, name) ? target[name] : undefined;
  const inner = isJsonObject(held) ? held : {};
  set(target, name, inner);
  place(inner, rest, value);
}

/** Fields may be called `__proto__`. */
function set(target: JsonObject, name: string, value: JsonValue): void {
  Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true });
}
