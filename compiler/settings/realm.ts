/** The settings of realm.yaml, in the order in which administrators read them. */
import type { JsonObject } from "../../runtime/json.ts";
import type { Span } from "../diagnostics/diagnostic.ts";
import { Given, publishedSchemas } from "../model/given.ts";
import { locate, type SourceFile } from "../source/source.ts";
import { admin } from "./realm/admin.ts";
import { appConfig } from "./realm/app-config.ts";
import { auth } from "./realm/auth.ts";
import { cors } from "./realm/cors.ts";
import { email } from "./realm/email.ts";
import { functionLimits } from "./realm/functions.ts";
import { mfa } from "./realm/mfa.ts";
import { migrations } from "./realm/migrations.ts";
import { openapi } from "./realm/openapi.ts";
import { organizations } from "./realm/organizations/organizations.ts";
import { profile } from "./realm/profile.ts";
import { realtimeLimits } from "./realm/realtime.ts";
import { roles } from "./realm/roles.ts";
import { sessions } from "./realm/sessions.ts";
import { signup } from "./realm/signup.ts";
import { storage } from "./realm/storage.ts";
import { tokens } from "./realm/tokens.ts";
import { type Merged, merged, type RealmSetting } from "./setting.ts";

const table = [
  auth,
  signup,
  roles,
  profile,
  sessions,
  mfa,
  tokens,
  email,
  organizations,
  cors,
  admin,
  openapi,
  appConfig,
  realtimeLimits,
  functionLimits,
  storage,
  migrations,
];

export const realmSettings: readonly RealmSetting[] = table;

type Slots = Merged<ReturnType<(typeof table)[number]["read"]>>;

/** What realm.yaml makes of the model. @param schema of realm.yaml */
export function realmSlots(
  file: SourceFile,
  schema: JsonObject = publishedSchemas.realm,
): Slots & { readonly span: Span } {
  const from = { file, given: new Given(file.value, schema) };
  return { span: locate(file, []), ...merged(table.map(({ read }) => read(from))) };
}
