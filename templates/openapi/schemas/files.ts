import type { FileSetting } from "../../../compiler/model/model.ts";
import { versionNames } from "../../../runtime/realm/files.ts";
import type { Ref, SchemaPool } from "./pool.ts";

/** What `version` can say of the files in fields; undefined where none has any. */
export function versionSchema(
  pool: SchemaPool,
  files: readonly FileSetting[] | undefined,
  stem: string,
): Ref | undefined {
  const names = versionNames(files);
  return names.length === 0 ? undefined : pool.add(`${stem}Version`, { type: "string", enum: [...names] });
}
