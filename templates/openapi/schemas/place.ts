import type { Schema } from "../../../compiler/model/model.ts";
import { targetOf, valueAt } from "../../../compiler/model/pointers.ts";
import type { JsonValue } from "../../../runtime/json.ts";

/** A subschema and the file it stands in, so that a `$ref` in it can be followed. */
export interface Place {
  readonly files: Schema["files"];
  /** Of its file. */
  readonly path: string;
  readonly value: JsonValue;
}

/** What a reference can name. */
export interface Target extends Place {
  /** JSON pointer inside its file. */
  readonly pointer: string;
}

/** The place of a schema as the model holds it. */
export function placeOf({ files, path, pointer, document }: Schema): Target {
  return { files, path, pointer, value: valueAt(document, pointer) ?? true };
}

/** A subschema of a place. */
export function within(place: Place, value: JsonValue): Place {
  return { files: place.files, path: place.path, value };
}

/** Equal for the same target. */
export function targetKey({ path, pointer }: Target): string {
  return `${path}#${pointer}`;
}

/** What the `$ref` of a place points at; the model's checks have seen that there is something. */
export function target(from: Place, reference: JsonValue | undefined): Target | undefined {
  const named = typeof reference === "string" ? targetOf(reference, from.path) : undefined;
  const document = from.files.find(({ path }) => path === named?.path)?.document;
  const value = named && document !== undefined ? valueAt(document, named.pointer) : undefined;
  return named && value !== undefined ? { files: from.files, ...named, value } : undefined;
}
