import { diagnose } from "../diagnostics/catalogue.ts";
import type { Realm } from "../model/model.ts";
import type { RealmCheck } from "../settings/subject.ts";
import { locate, nodeAt } from "../source/source.ts";

type Timeout = Exclude<keyof Realm["sessions"], "cookie">;

/** Keys of `sessions`. */
const keys: Readonly<Record<Timeout, string>> = {
  lifetime: "lifetime",
  idleTimeout: "idle_timeout",
  adminIdleTimeout: "admin_idle_timeout",
  adminMaxLifetime: "admin_max_lifetime",
};

/** What may not be longer than what, and what is said of it. */
const limits = [
  { timeout: "idleTimeout", limit: "lifetime", code: "idle-over-lifetime" },
  { timeout: "adminIdleTimeout", limit: "idleTimeout", code: "admin-timeout-unused" },
  { timeout: "adminMaxLifetime", limit: "lifetime", code: "admin-timeout-unused" },
  { timeout: "adminIdleTimeout", limit: "adminMaxLifetime", code: "admin-timeout-unused" },
] as const satisfies readonly { timeout: Timeout; limit: Timeout; code: string }[];

/** Timeouts of sessions that never apply, because a shorter one comes first. Defaults are not spoken of. */
export const timeouts: RealmCheck = ({ realm, settings, faults }) => {
  if (faults.touch(settings.path, ["sessions"])) return [];
  return limits.flatMap(({ timeout, limit, code }) => {
    const path = ["sessions", keys[timeout]];
    if (nodeAt(settings, path) === undefined || realm.sessions[timeout] <= realm.sessions[limit]) return [];
    const names = { key: keys[timeout], limit: keys[limit] };
    return [diagnose(code, locate(settings, path), names)];
  });
};
