/** The settings of realm.yaml, in the order in which administrators read them. */
import type { JsonObject } from "../../runtime/json.ts";
import { Given, publishedSchemas } from "../model/given.ts";
import { realmSettings as otherSettings, type RealmSettings } from "../model/realm.ts";
import type { SourceFile } from "../source/source.ts";
import { admin } from "./realm/admin.ts";
import { auth } from "./realm/auth.ts";
import { cors } from "./realm/cors.ts";
import { openapi } from "./realm/openapi.ts";
import { type Merged, merged, type RealmSetting } from "./setting.ts";

const table = [auth, cors, admin, openapi];

export const realmSettings: readonly RealmSetting[] = table;

type Slots = Merged<ReturnType<(typeof table)[number]["read"]>>;

/** What realm.yaml makes of the model. @param schema of realm.yaml */
export function realmSlots(
  file: SourceFile,
  schema: JsonObject = publishedSchemas.realm,
): Slots & RealmSettings {
  const from = { file, given: new Given(file.value, schema) };
  return { ...otherSettings(file, schema), ...merged(table.map(({ read }) => read(from))) };
}
