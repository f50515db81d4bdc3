/** Schemas and where they stand. */
import { posix } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";
import { pathOf, pointerOf } from "../source/source.ts";

/**
 * A schema as written, `$ref`s kept. `document` is the file's value; references to other files of the realm are resolved
 * against `path`.
 */
export interface Schema {
  /** Of its file, relative to the configuration folder. */
  readonly path: string;
  /** JSON pointer inside the file, `""` for the whole. */
  readonly pointer: string;
  readonly document: JsonValue;
  /** Every file reachable by `$ref`, itself among them, by path; sorted. */
  readonly files: readonly { readonly path: string; readonly document: JsonValue }[];
  /** Places in the files that could not be made sense of; never in a schema without errors. */
  readonly faults?: readonly Target[];
}

/** A place in a file. */
export interface Target {
  /** Relative to the configuration folder. */
  readonly path: string;
  /** JSON pointer, `""` for the whole file. */
  readonly pointer: string;
}

export type Documents = (path: string) => JsonValue | undefined;

/** A schema, where it stands, and the files that a `$ref` in it may lead to. */
export interface Place {
  readonly documents: Documents;
  readonly path: string;
  /** Steps from the root of its file. */
  readonly at: readonly string[];
  readonly schema: JsonValue;
}

/** One that is an object of keywords. */
export interface Part extends Place {
  readonly schema: JsonObject;
}

/** Under which keys a file of settings holds schemas; undefined of a file that is one itself. */
export function schemaKeys(path: string): readonly string[] | undefined {
  if (/^[^/]+\/realm\.yaml$/.test(path)) return ["profile"];
  return /^[^/]+\/[^/]+\/_func\/[^/]+\/function\.yaml$/.test(path) ? ["input", "output"] : undefined;
}

export function placeOf({ files, path, pointer, document }: Schema): Place {
  const documents: Documents = (wanted) =>
    wanted === path ? document : files.find((file) => file.path === wanted)?.document;
  return { documents, path, at: pathOf(pointer), schema: valueAt(document, pointer) ?? true };
}

/** The schema that one leads to which is nothing but a `$ref`. */
export function leadingTo(schema: Schema): Schema {
  const place = placeOf(schema);
  if (!isPart(place) || Object.keys(place.schema).some((keyword) => keyword !== "$ref")) return schema;
  const target = referred(place);
  if (target === undefined) return schema;
  const document = schema.files.find(({ path }) => path === target.path)?.document ?? null;
  return leadingTo({ ...schema, path: target.path, pointer: pointerOf(target.at), document });
}

/** What stands at a place; undefined where nothing does. */
export function placeAt(documents: Documents, path: string, at: readonly string[]): Place | undefined {
  const document = documents(path);
  const schema = document === undefined ? undefined : stepInto(document, at);
  return schema === undefined ? undefined : { documents, path, at, schema };
}

export function isPart(place: Place): place is Part {
  return isJsonObject(place.schema);
}

/** What stands below a place. */
export function below({ documents, path, at }: Place, steps: readonly string[], schema: JsonValue): Place {
  return { documents, path, at: [...at, ...steps], schema };
}

/** Equal for the same place. */
export function keyOf({ path, at }: Pick<Place, "path" | "at">): string {
  return `${path}#${pointerOf(at)}`;
}

/** What the `$ref` of a schema leads to; undefined where it has none, or it leads nowhere. */
export function referred({ documents, path, schema: { $ref } }: Part): Place | undefined {
  const target = typeof $ref === "string" ? targetOf($ref, path) : undefined;
  return target && placeAt(documents, target.path, pathOf(target.pointer));
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
  return stepInto(document, pathOf(pointer));
}

function stepInto(document: JsonValue, at: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = document;
  for (const step of at) {
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
