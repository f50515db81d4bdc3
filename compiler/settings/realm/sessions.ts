/** `sessions`: how long they last, and whether they may be kept in cookies. */
import { printDuration } from "../../../runtime/units.ts";
import { type Codes, diagnoser } from "../../diagnostics/diagnose.ts";
import { duration, flag, type Given, oneOf } from "../../model/given.ts";
import type { Realm } from "../../model/model.ts";
import { locate, nodeAt } from "../../source/source.ts";
import type { Changes, Report } from "../change.ts";
import type { RealmCheck } from "../subject.ts";
import { movedOn } from "../words.ts";
import { unused } from "./admin.ts";
import { accountSetting } from "./auth.ts";

declare module "../../model/model.ts" {
  interface Realm {
    readonly sessions: {
      /** Milliseconds. */
      readonly lifetime: number;
      readonly idleTimeout: number;
      readonly adminIdleTimeout: number;
      readonly adminMaxLifetime: number;
      readonly cookie?: { readonly sameSite: "strict" | "lax" | "none" };
    };
  }
}

const codes = {
  "cookie-without-origins": {
    severity: "warning",
    summary: "Session cookies are enabled, and no origin may use them.",
    message:
      "session cookies are enabled, but cors.origins lists no origin: every login and write by cookie will be refused",
    hint: "list the origins of the web applications under cors.origins",
    explanation:
      "A login that asks for a cookie and a write authenticated by cookie alone need an `Origin` header that `cors.origins` lists.",
    wrong: { "realm.yaml": "auth: enabled\nsessions: { cookie: { enabled: true } }" },
    right: {
      "realm.yaml":
        "auth: enabled\ncors: { origins: ['https://app.example.com'] }\nsessions: { cookie: { enabled: true } }",
    },
  },
  "idle-over-lifetime": {
    severity: "warning",
    summary: "Sessions end before they can be idle for so long.",
    message: "idle_timeout is longer than lifetime, so it never applies",
    explanation: "A session ends at its `lifetime`, however it is used.",
    wrong: { "realm.yaml": "auth: enabled\nsessions: { lifetime: 1d, idle_timeout: 7d }" },
    right: { "realm.yaml": "auth: enabled\nsessions: { lifetime: 30d, idle_timeout: 7d }" },
  },
  "admin-timeout-unused": {
    severity: "warning",
    summary: "Administration ends before it can be idle, or last, for so long.",
    message: "{key} is longer than {limit}, so it never applies",
    explanation:
      "Administration ends with its session: at the session's `lifetime`, and when it was not used for `idle_timeout`. However it is used, it ends at `admin_max_lifetime`.",
    wrong: {
      "realm.yaml":
        "auth: enabled\nroles:\n  boss: { admin: true }\nsessions: { lifetime: 4h, idle_timeout: 4h, admin_max_lifetime: 8h }",
    },
    right: {
      "realm.yaml":
        "auth: enabled\nroles:\n  boss: { admin: true }\nsessions: { lifetime: 30d, admin_max_lifetime: 8h }",
    },
  },
} as const satisfies Codes;

const changes = {
  "session-shortened": {
    kind: "breaking",
    message: "sessions ended after {old}, end after {new}",
    why: "People are signed out earlier, or lose their administration earlier.",
  },
  "session-lengthened": {
    kind: "additive",
    message: "sessions ended after {old}, end after {new}",
    why: "People stay signed in for longer.",
  },
  "cookie-disabled": {
    kind: "breaking",
    message: "sessions in cookies are off",
    why: "Clients without an `Authorization` header are anonymous.",
  },
  "cookie-enabled": {
    kind: "additive",
    message: "sessions in cookies are on",
    why: "Clients may ask for a cookie.",
  },
  "cookie-narrowed": {
    kind: "breaking",
    message: "the cookie's SameSite was {old} and is {new}",
    why: "Browsers send the cookie in fewer situations.",
  },
  "cookie-widened": {
    kind: "additive",
    message: "the cookie's SameSite was {old} and is {new}",
    why: "Browsers send the cookie in more situations.",
  },
} as const satisfies Changes;

const diagnose = diagnoser(codes);

type Timeout = Exclude<keyof Realm["sessions"], "cookie">;

const keys: Readonly<Record<Timeout, string>> = {
  lifetime: "lifetime",
  idleTimeout: "idle_timeout",
  adminIdleTimeout: "admin_idle_timeout",
  adminMaxLifetime: "admin_max_lifetime",
};

const timeouts = [
  "lifetime",
  "idleTimeout",
  "adminIdleTimeout",
  "adminMaxLifetime",
] as const satisfies readonly Timeout[];

/** What may not be longer than what, and what is said of it. */
const limits = [
  { timeout: "idleTimeout", limit: "lifetime", code: "idle-over-lifetime" },
  { timeout: "adminIdleTimeout", limit: "idleTimeout", code: "admin-timeout-unused" },
  { timeout: "adminMaxLifetime", limit: "lifetime", code: "admin-timeout-unused" },
  { timeout: "adminIdleTimeout", limit: "adminMaxLifetime", code: "admin-timeout-unused" },
] as const satisfies readonly { timeout: Timeout; limit: Timeout; code: string }[];

/** Timeouts of sessions that never apply, because a shorter one comes first. Defaults are not spoken of. */
const shadowedTimeouts: RealmCheck = ({ realm, settings, faults }) => {
  if (faults.touch(settings.path, ["sessions"])) return [];
  return limits.flatMap(({ timeout, limit, code }) => {
    const path = ["sessions", keys[timeout]];
    if (nodeAt(settings, path) === undefined || realm.sessions[timeout] <= realm.sessions[limit]) return [];
    const names = { key: keys[timeout], limit: keys[limit] };
    return [diagnose(code, locate(settings, path), names)];
  });
};

/** Timeouts of administrators that no role makes. */
const unusedAdministration: RealmCheck = (subject) => {
  if (subject.realm.roles.some(({ admin }) => admin !== undefined)) return [];
  return ["admin_idle_timeout", "admin_max_lifetime"].flatMap((key) =>
    unused(subject, ["sessions", key], "administers"),
  );
};

/** Cookies need an origin that may use them. */
const cookieOrigins: RealmCheck = ({ realm, settings, faults }) => {
  if (
    realm.sessions.cookie === undefined ||
    realm.origins.length > 0 ||
    faults.touch(settings.path, ["cors"])
  )
    return [];
  return [diagnose("cookie-without-origins", locate(settings, ["sessions", "cookie"], "key"), {})];
};

function compareSessions(
  old: Realm["sessions"],
  now: Realm["sessions"],
  report: Report<typeof changes>,
): void {
  for (const key of timeouts) {
    if (old[key] === now[key]) continue;
    report(now[key] < old[key] ? "session-shortened" : "session-lengthened", `sessions.${keys[key]}`, {
      old: printDuration(old[key]),
      new: printDuration(now[key]),
    });
  }
  const [before, after] = [old.cookie?.sameSite, now.cookie?.sameSite];
  if (before === after) return;
  if (before === undefined) report("cookie-enabled", "sessions.cookie", {});
  else if (after === undefined) report("cookie-disabled", "sessions.cookie", {});
  else {
    const way = movedOn(["strict", "lax", "none"], before, after);
    if (way !== undefined) report(`cookie-${way}`, "sessions.cookie.same_site", { old: before, new: after });
  }
}

function sessionsOf(given: Given): Realm["sessions"] {
  const cookie = given.in("cookie");
  return {
    lifetime: given.read(keys.lifetime, duration),
    idleTimeout: given.read(keys.idleTimeout, duration),
    adminIdleTimeout: given.read(keys.adminIdleTimeout, duration),
    adminMaxLifetime: given.read(keys.adminMaxLifetime, duration),
    ...(cookie.read("enabled", flag)
      ? { cookie: { sameSite: cookie.read("same_site", oneOf("strict", "lax", "none")) } }
      : {}),
  };
}

export const sessions = accountSetting(["sessions"], {
  codes,
  changes,
  checks: [cookieOrigins, shadowedTimeouts, unusedAdministration],
  compare: (old, now, report) => compareSessions(old.realm.sessions, now.realm.sessions, report),
  read: ({ given }) => ({ sessions: sessionsOf(given.in("sessions")) }),
  accounts: ({ realm: { sessions: own } }) => ({
    sessionLifetime: own.lifetime,
    sessionIdleTimeout: own.idleTimeout,
    adminIdleTimeout: own.adminIdleTimeout,
    adminMaxLifetime: own.adminMaxLifetime,
    cookie: own.cookie,
  }),
  effective: ({ realm: { sessions: own } }) => ({
    sessions: {
      lifetime: printDuration(own.lifetime),
      idle_timeout: printDuration(own.idleTimeout),
      cookie:
        own.cookie === undefined ? { enabled: false } : { enabled: true, same_site: own.cookie.sameSite },
      admin_idle_timeout: printDuration(own.adminIdleTimeout),
      admin_max_lifetime: printDuration(own.adminMaxLifetime),
    },
  }),
});
