/** realm.yaml to the model. What is faulty there is left out or at its default: validation has said so. */

import { isJsonObject, type JsonValue } from "../../runtime/json.ts";
import { type AdminGrant, adminAreas, type ReadAccess } from "../../runtime/realm/administration.ts";
import type { RealtimeLimits } from "../../runtime/realm/definition.ts";
import { parseDuration, parseRate, parseSize, type Rate } from "../../runtime/units.ts";
import { locate, type SourceFile } from "../source/source.ts";
import { objectOf, stringsOf, textOf } from "./collection.ts";
import type { Realm } from "./model.ts";
import { organizationsOf } from "./organizations.ts";

export type RealmSettings = Omit<Realm, "databases" | "inputs" | "profile" | "name">;

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

export function realmSettings(file: SourceFile): RealmSettings {
  const { value } = file;
  return {
    span: locate(file, []),
    auth: value.auth === "enabled",
    signup: value.signup === "open" || value.signup === "invite" ? value.signup : "closed",
    signupLimit: signupLimitOf(value.signup_limit),
    roles: rolesOf(value.roles),
    defaultRoles: stringsOf(value.default_roles),
    origins: stringsOf(objectOf(value.cors).origins),
    sessions: sessionsOf(value.sessions),
    totp: objectOf(value.mfa).totp === true,
    ...emailOf(value.email),
    admin: adminOf(value.admin),
    appConfig: objectOf(value.app_config),
    ...organizationsOf(file),
    ...realtimeOf(file),
    openapi: value.openapi === "users" || value.openapi === "off" ? value.openapi : "public",
  };
}

function signupLimitOf(value: JsonValue | undefined): Realm["signupLimit"] {
  const { address, network } = objectOf(value);
  return {
    address: rateOf(address) ?? { limit: 10, period: hour },
    network: rateOf(network) ?? { limit: 100, period: hour },
  };
}

function rolesOf(value: JsonValue | undefined): Realm["roles"] {
  const given = objectOf(value);
  return Object.keys(given)
    .sort()
    .map((name) => {
      const admin = grantOf(objectOf(given[name]).admin);
      return { name, ...(admin === undefined ? {} : { admin }) };
    });
}

function grantOf(value: JsonValue | undefined): AdminGrant | undefined {
  if (value === true || value === "read") return value;
  if (!Array.isArray(value)) return undefined;
  return adminAreas.filter((area) => value.includes(area));
}

function sessionsOf(value: JsonValue | undefined): Realm["sessions"] {
  const given = objectOf(value);
  const { enabled, same_site: sameSite } = objectOf(given.cookie);
  const sessions = {
    lifetime: durationOf(given.lifetime) ?? 30 * day,
    idleTimeout: durationOf(given.idle_timeout) ?? 7 * day,
    adminIdleTimeout: durationOf(given.admin_idle_timeout) ?? 15 * minute,
    adminMaxLifetime: durationOf(given.admin_max_lifetime) ?? 8 * hour,
  };
  if (enabled !== true) return sessions;
  return {
    ...sessions,
    cookie: { sameSite: sameSite === "strict" || sameSite === "none" ? sameSite : "lax" },
  };
}

function emailOf(value: JsonValue | undefined): Pick<Realm, "email"> {
  if (!isJsonObject(value) || typeof value.from !== "string") return {};
  const { from, reset_link: reset, verify_link: verify } = value;
  return {
    email: {
      from,
      ...(typeof reset === "string" ? { resetLink: reset } : {}),
      ...(typeof verify === "string" ? { verifyLink: verify } : {}),
    },
  };
}

function adminOf(value: JsonValue | undefined): Realm["admin"] {
  const { allowed_networks: networks, read_access: readable } = objectOf(value);
  const granted = objectOf(readable);
  const readAccess: readonly ReadAccess[] = ["users", "data"];
  return {
    ...(networks === undefined ? {} : { allowedNetworks: stringsOf(networks) }),
    readAccess: readAccess.filter((area) => granted[area] === true),
  };
}

function realtimeOf(file: SourceFile): Pick<Realm, "realtime"> {
  const { realtime } = file.value;
  if (!isJsonObject(realtime)) return {};
  const limits: { -readonly [limit in keyof RealtimeLimits]?: number } = {};
  for (const [key, limit] of realtimeCounts) {
    const count = realtime[key];
    if (typeof count === "number") limits[limit] = count;
  }
  const bufferBytes = parseSize(textOf(realtime.buffer_bytes) ?? "");
  if (bufferBytes !== undefined) limits.bufferBytes = bufferBytes;
  return { realtime: { limits, span: locate(file, ["realtime"], "key") } };
}

const realtimeCounts = [
  ["max_subscriptions", "maxSubscriptions"],
  ["max_streams_per_caller", "maxStreamsPerCaller"],
  ["max_streams", "maxStreams"],
  ["streams_per_second", "streamsPerSecond"],
  ["buffer_events", "bufferEvents"],
] as const;

function rateOf(value: JsonValue | undefined): Rate | undefined {
  return typeof value === "string" ? parseRate(value) : undefined;
}

function durationOf(value: JsonValue | undefined): number | undefined {
  return typeof value === "string" ? parseDuration(value) : undefined;
}
