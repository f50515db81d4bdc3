/** The settings of collection.yaml, in the order in which administrators read them. */
import type { JsonObject } from "../../runtime/json.ts";
import { Given, publishedSchemas } from "../model/given.ts";
import type { SourceFile } from "../source/source.ts";
import { aggregate } from "./aggregate/aggregate.ts";
import { cache } from "./cache.ts";
import { customId } from "./custom-id.ts";
import { defaults } from "./defaults.ts";
import { fields } from "./fields.ts";
import { files } from "./files/files.ts";
import { organization } from "./organization.ts";
import { realtime } from "./realtime.ts";
import { expand } from "./references/expand.ts";
import { references } from "./references/references.ts";
import { rules } from "./rules.ts";
import { type CollectionSetting, type Merged, merged } from "./setting.ts";
import { softDelete } from "./soft-delete.ts";

const table = [
  rules,
  fields,
  references,
  aggregate,
  cache,
  softDelete,
  customId,
  defaults,
  organization,
  expand,
  realtime,
  files,
];

export const collectionSettings: readonly CollectionSetting[] = table;

type Slots = Merged<ReturnType<(typeof table)[number]["read"]>>;

/** What collection.yaml makes of the model. @param database of the collection; `schema`: of collection.yaml */
export function collectionSlots(
  file: SourceFile | undefined,
  database: string,
  schema: JsonObject = publishedSchemas.collection,
): Slots {
  if (file === undefined) return { rules: {}, fieldRules: [], references: [] };
  const from = { file, given: new Given(file.value, schema), database };
  return merged(table.map(({ read }) => read(from)));
}
