import type { Span } from "../../diagnostics/diagnostic.ts";
import type { Place } from "../../schema/place.ts";
import { locate, type Path, type SourceFile } from "../../source/source.ts";

export type Files = ReadonlyMap<string, SourceFile>;

/** Where a schema stands, or what is at these steps from it. */
export function spanAt(
  files: Files,
  { path, at }: Pick<Place, "path" | "at">,
  steps: Path = [],
  target: "key" | "value" = "value",
): Span {
  const file = files.get(path);
  if (file === undefined) throw new Error(`no file ${path}`);
  return locate(file, [...at, ...steps], target);
}
