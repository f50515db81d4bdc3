/** realm.yaml to the model. What is faulty there is left out or at its default: validation has said so. */

import type { JsonObject } from "../../runtime/json.ts";
import { adminAreas } from "../../runtime/realm/administration.ts";
import type { RealtimeLimits, Role } from "../../runtime/realm/definition.ts";
import { locate, type SourceFile } from "../source/source.ts";
import {
  anything,
  duration,
  flag,
  Given,
  number,
  object,
  oneOf,
  present,
  publishedSchemas,
  rate,
  size,
  someOf,
  text,
  texts,
} from "./given.ts";
import type { Realm } from "./model.ts";
import { organizationsOf } from "./organizations.ts";

export type RealmSettings = Omit<
  Realm,
  "databases" | "inputs" | "profile" | "name" | "auth" | "origins" | "admin" | "openapi"
>;

/** @param schema of realm.yaml */
export function realmSettings(file: SourceFile, schema: JsonObject = publishedSchemas.realm): RealmSettings {
  const given = new Given(file.value, schema);
  const signupLimit = given.in("signup_limit");
  return {
    span: locate(file, []),
    signup: given.read("signup", oneOf("open", "invite", "closed")),
    signupLimit: { address: signupLimit.read("address", rate), network: signupLimit.read("network", rate) },
    roles: rolesOf(given),
    defaultRoles: given.read("default_roles", texts),
    sessions: sessionsOf(given.in("sessions")),
    totp: given.in("mfa").read("totp", flag),
    ...emailOf(given),
    appConfig: given.read("app_config", object),
    ...organizationsOf(file, given),
    ...realtimeOf(file, given),
  };
}

function rolesOf(given: Given): readonly Role[] {
  const grants = someOf(...adminAreas);
  return given
    .in("roles")
    .named()
    .map(([name, role]) => {
      const admin = role.read("admin", anything);
      const grant = admin === true || admin === "read" ? admin : grants(admin);
      return { name, ...(grant === undefined ? {} : { admin: grant }) };
    });
}

function sessionsOf(given: Given): Realm["sessions"] {
  const cookie = given.in("cookie");
  return {
    lifetime: given.read("lifetime", duration),
    idleTimeout: given.read("idle_timeout", duration),
    adminIdleTimeout: given.read("admin_idle_timeout", duration),
    adminMaxLifetime: given.read("admin_max_lifetime", duration),
    ...(cookie.read("enabled", flag)
      ? { cookie: { sameSite: cookie.read("same_site", oneOf("strict", "lax", "none")) } }
      : {}),
  };
}

function emailOf(given: Given): Pick<Realm, "email"> {
  const email = given.in("email");
  const from = email.find("from", text);
  if (from === undefined) return {};
  const links = { resetLink: email.find("reset_link", text), verifyLink: email.find("verify_link", text) };
  return { email: { from, ...present(links) } };
}

function realtimeOf(file: SourceFile, given: Given): Pick<Realm, "realtime"> {
  if (given.find("realtime", object) === undefined) return {};
  const realtime = given.in("realtime");
  const limits: Partial<RealtimeLimits> = present({
    maxSubscriptions: realtime.find("max_subscriptions", number),
    maxStreamsPerCaller: realtime.find("max_streams_per_caller", number),
    maxStreams: realtime.find("max_streams", number),
    streamsPerSecond: realtime.find("streams_per_second", number),
    bufferEvents: realtime.find("buffer_events", number),
    bufferBytes: realtime.find("buffer_bytes", size),
  });
  return { realtime: { limits, span: locate(file, ["realtime"], "key") } };
}
