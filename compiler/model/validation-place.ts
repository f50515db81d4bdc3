/** A failed keyword of our configuration schemas, and where in a file that is. */
import type { JsonObject, JsonValue } from "../../runtime/json.ts";
import type { Span } from "../diagnostics/diagnostic.ts";
import type { Path, SourceFile } from "../source/source.ts";

/** What one ajv error says, with the schema around the failed keyword. */
export interface SchemaError {
  readonly keyword: string;
  readonly path: readonly string[];
  readonly params: Readonly<Record<string, unknown>>;
  readonly schema: JsonObject;
  readonly value: JsonValue;
  /** The error is about the name of a member, not about a value. */
  readonly aboutName: boolean;
}

export interface Place {
  readonly file: SourceFile;
  readonly path: Path;
  readonly error: SchemaError;
  readonly value: Span;
  readonly key: Span;
}

export function lastOf(path: Path): string {
  return String(path.at(-1) ?? "");
}
