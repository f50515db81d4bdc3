/** realm.yaml to the model. What is faulty there is left out or at its default: validation has said so. */
import { parseDuration } from "../../runtime/instance/units.ts";
import type { JsonValue } from "../../runtime/json.ts";
import { locate, type SourceFile } from "../load/source.ts";
import { objectOf, stringsOf } from "./collection.ts";
import type { Realm } from "./model.ts";

export type RealmSettings = Omit<Realm, "databases" | "inputs" | "profile" | "name">;

const day = 86_400_000;

export function realmSettings(file: SourceFile): RealmSettings {
  const { value } = file;
  return {
    span: locate(file, []),
    auth: value.auth === "enabled",
    signup: value.signup === "open" ? "open" : "closed",
    roles: Object.keys(objectOf(value.roles)).sort(),
    defaultRoles: stringsOf(value.default_roles),
    origins: stringsOf(objectOf(value.cors).origins),
    sessions: sessionsOf(value.sessions),
    appConfig: objectOf(value.app_config),
    openapi: value.openapi === "users" || value.openapi === "off" ? value.openapi : "public",
  };
}

function sessionsOf(value: JsonValue | undefined): Realm["sessions"] {
  const { lifetime, idle_timeout: idle, cookie } = objectOf(value);
  const { enabled, same_site: sameSite } = objectOf(cookie);
  const sessions = { lifetime: durationOf(lifetime) ?? 30 * day, idleTimeout: durationOf(idle) ?? 7 * day };
  if (enabled !== true) return sessions;
  return {
    ...sessions,
    cookie: { sameSite: sameSite === "strict" || sameSite === "none" ? sameSite : "lax" },
  };
}

function durationOf(value: JsonValue | undefined): number | undefined {
  return typeof value === "string" ? parseDuration(value) : undefined;
}
