/** `$ref`s as relative paths and JSON pointers, on plain data. */
import { posix } from "node:path";
import { isJsonObject, type JsonValue } from "../../runtime/json.ts";
import { pathOf } from "../source/source.ts";

/** A place in a file. */
export interface Target {
  /** Relative to the configuration folder. */
  readonly path: string;
  /** JSON pointer, `""` for the whole file. */
  readonly pointer: string;
}

/** What a `$ref` standing in the file `from` names; `undefined` when it is no relative path with a JSON pointer. */
export function targetOf(ref: string, from: string): Target | undefined {
  const [file = "", fragment = ""] = splitOnce(ref, "#");
  if (
    /^[A-Za-z][A-Za-z0-9+.-]*:/.test(file) ||
    file.startsWith("/") ||
    file.includes("\\") ||
    file.includes("?")
  )
    return undefined;
  try {
    const pointer = decodeURIComponent(fragment);
    const path = file === "" ? from : posix.join(posix.dirname(from), decodeURIComponent(file));
    return pointer === "" || pointer.startsWith("/") ? { path, pointer } : undefined;
  } catch {
    return undefined;
  }
}

/** The value at a JSON pointer; `undefined` where there is none. */
export function valueAt(document: JsonValue, pointer: string): JsonValue | undefined {
  let value: JsonValue | undefined = document;
  for (const step of pathOf(pointer)) {
    if (Array.isArray(value)) value = /^(?:0|[1-9]\d*)$/.test(step) ? value[Number(step)] : undefined;
    else if (isJsonObject(value)) value = Object.hasOwn(value, step) ? value[step] : undefined;
    else return undefined;
  }
  return value;
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}
