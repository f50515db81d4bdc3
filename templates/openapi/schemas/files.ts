import type { Collection } from "../../../compiler/model/model.ts";
import { versionNames } from "../../../runtime/realm/files.ts";
import type { Ref, SchemaPool } from "./pool.ts";

/** What `version` can say of a collection's files; undefined where none has any. */
export function versionSchema(pool: SchemaPool, { files }: Collection, stem: string): Ref | undefined {
  const names = versionNames(files);
  return names.length === 0 ? undefined : pool.add(`${stem}Version`, { type: "string", enum: [...names] });
}
