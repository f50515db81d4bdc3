/** `auth`: whether a realm has users, and what only realms with users can have. */
import { type Codes, diagnoser } from "../../diagnostics/diagnose.ts";
import { text } from "../../model/given.ts";
import type { Realm } from "../../model/model.ts";
import { locate, nodeAt, type Path } from "../../source/source.ts";
import type { Changes } from "../change.ts";
import { type RealmParts, type RealmSetting, realmSetting } from "../setting.ts";
import type { RealmCheck, RealmSubject } from "../subject.ts";

declare module "../../model/model.ts" {
  interface Realm {
    readonly auth: boolean;
  }
}

const codes = {
  "setting-without-auth": {
    severity: "error",
    summary: "A setting about users in a realm without them.",
    message: "'{key}' has no effect in a realm with auth: disabled",
    hint: "remove it, or set auth: enabled",
    explanation:
      "With `auth: disabled` there are no users, sessions or roles, so such a setting could only mislead.",
    wrong: { "realm.yaml": "auth: disabled\nsignup: open" },
    right: { "realm.yaml": "auth: enabled\nsignup: open" },
  },
} as const satisfies Codes;

const changes = {
  "auth-enabled": {
    kind: "breaking",
    message: "auth is enabled: what no rule allows is denied",
    why: "Without it everybody may do everything.",
  },
  "auth-disabled": {
    kind: "breaking",
    message: "auth is disabled: there are no accounts, and everybody may do everything",
    why: "The routes under `_auth` are gone, and with them `_meta.owner` and what rules protected.",
  },
} as const satisfies Changes;

export const diagnose = diagnoser(codes);

/** Whether it is known that a realm has no users. */
export function hasNoUsers({ realm, settings, faults }: RealmSubject): boolean {
  return !realm.auth && !faults.touch(settings.path, ["auth"]);
}

/** Settings about users in a realm that has none. */
export function ofUsers(...paths: readonly Path[]): RealmCheck {
  return (subject) => {
    const { settings } = subject;
    if (!hasNoUsers(subject)) return [];
    return paths
      .filter((path) => nodeAt(settings, path) !== undefined)
      .map((path) =>
        diagnose("setting-without-auth", locate(settings, path, "key"), { key: path.join(".") }),
      );
  };
}

/** A setting that only realms with users have, under some keys of realm.yaml. */
export function accountSetting<Slots extends Partial<Realm>, C extends Changes>(
  keys: readonly string[],
  parts: RealmParts<Slots, C>,
): RealmSetting<Slots> {
  const { checks = [], compare, effective } = parts;
  return realmSetting({
    ...parts,
    checks: [ofUsers(...keys.map((key) => [key])), ...checks],
    compare: (old, now, report) => {
      if (old.realm.auth && now.realm.auth) compare?.(old, now, report);
    },
    effective: (of) => (of.realm.auth && effective !== undefined ? effective(of) : {}),
  });
}

export const auth = realmSetting({
  codes,
  changes,
  compare: (old, now, report) => {
    if (old.realm.auth !== now.realm.auth)
      report(now.realm.auth ? "auth-enabled" : "auth-disabled", "auth", {});
  },
  read: ({ given }) => ({ auth: given.find("auth", text) === "enabled" }),
  effective: ({ realm }) => ({ auth: realm.auth ? "enabled" : "disabled" }),
});
