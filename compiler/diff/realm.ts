/** Two versions of a realm's own settings. */
import { type AdminGrant, administrationOf, covers } from "../../runtime/realm/administration.ts";
import type { RealtimeLimits } from "../../runtime/realm/definition.ts";
import { printDuration, printRate, printSize, type Rate } from "../../runtime/units.ts";
import type { Realm } from "../model/model.ts";
import type { Schema } from "../schema/place.ts";
import { limitChange } from "../settings/limits.ts";
import { missing, movedOn } from "../settings/words.ts";
import { canonicalJson } from "../source/meaning.ts";
import type { Report } from "./catalogue.ts";
import { compareOrganizations } from "./organizations.ts";
import { compareSchemas } from "./schema/compare.ts";

export function compareSettings(old: Realm, now: Realm, report: Report): void {
  compareRealtime(old.realtime?.limits, now.realtime?.limits, report);
  if (old.auth && now.auth) compareAccounts(old, now, report);
}

function compareRealtime(
  old: Partial<RealtimeLimits> = {},
  now: Partial<RealtimeLimits> = {},
  report: Report,
): void {
  const compare = (change: ReturnType<typeof limitChange>, where: string): void => {
    if (change !== undefined) report(`realtime-${change.way}`, where, change.limits);
  };
  for (const [key, name] of [
    ["maxSubscriptions", "max_subscriptions"],
    ["maxStreamsPerCaller", "max_streams_per_caller"],
    ["maxStreams", "max_streams"],
    ["streamsPerSecond", "streams_per_second"],
    ["bufferEvents", "buffer_events"],
  ] as const)
    compare(limitChange(old[key], now[key]), `realtime.${name}`);
  compare(limitChange(old.bufferBytes, now.bufferBytes, printSize), "realtime.buffer_bytes");
}

/** What only realms with accounts have. */
function compareAccounts(old: Realm, now: Realm, report: Report): void {
  const way = movedOn(["closed", "invite", "open"], old.signup, now.signup);
  if (way !== undefined) report(`signup-${way}`, "signup", { old: old.signup, new: now.signup });
  compareSignupLimits(old, now, report);
  compareRoles(old, now, report);
  compareDefaultRoles(old, now, report);
  compareProfiles(old, now, report);
  compareSessions(old.sessions, now.sessions, report);
  if (old.totp !== now.totp) report(now.totp ? "totp-enabled" : "totp-disabled", "mfa.totp", {});
  compareMail(old, now, report);
  compareOrganizations(old, now, report);
}

function compareSignupLimits({ signupLimit: old }: Realm, { signupLimit: now }: Realm, report: Report): void {
  for (const from of ["address", "network"] as const) {
    const [before, after] = [old[from], now[from]];
    const parameters = { old: printRate(before), new: printRate(after), from };
    if (parameters.old === parameters.new) continue;
    report(
      admitsAll(after, before) ? "signup-limit-raised" : "signup-limit-lowered",
      `signup_limit.${from}`,
      parameters,
    );
  }
}

/** Whether one rate admits everything, whenever it comes, that the other admits. */
function admitsAll(one: Rate, other: Rate): boolean {
  return one.limit >= other.limit * Math.ceil(one.period / other.period);
}

function compareRoles(old: Realm, now: Realm, report: Report): void {
  const names = [...new Set([...old.roles, ...now.roles].map(({ name }) => name))].sort();
  for (const name of names) {
    const where = `roles.${name}`;
    const [before, after] = [old, now].map(({ roles }) => roles.find((role) => role.name === name));
    if (before === undefined || after === undefined) {
      report(after === undefined ? "role-removed" : "role-added", where, {});
      continue;
    }
    const parameters = { old: grantText(before.admin), new: grantText(after.admin) };
    if (parameters.old === parameters.new) continue;
    // What `read` covers is compared by itself.
    const [held, holds] = [before.admin, after.admin].map((grant) =>
      administrationOf(grant === undefined ? [] : [grant], now.admin.readAccess),
    );
    const widened = covers(holds, held);
    report(widened ? "role-administration-widened" : "role-administration-narrowed", where, parameters);
  }
}

function grantText(grant: AdminGrant | undefined): string {
  if (grant === undefined) return "nothing";
  if (grant === true) return "everything";
  if (grant === "read") return "by reading";
  return grant.length === 0 ? "nothing" : grant.join(", ");
}

function compareDefaultRoles(old: Realm, now: Realm, report: Report): void {
  const gone = missing(old.defaultRoles, now.defaultRoles);
  const added = missing(now.defaultRoles, old.defaultRoles);
  if (gone.length > 0) report("default-role-removed", "default_roles", { roles: gone.join(", ") });
  if (added.length > 0) report("default-role-added", "default_roles", { roles: added.join(", ") });
}

/** Without a profile schema any object is one. */
function compareProfiles(old: Realm, now: Realm, report: Report): void {
  if (old.profile === undefined && now.profile === undefined) return;
  const any: Schema = { path: "", pointer: "", document: { type: "object" }, files: [] };
  const [before, after] = [old, now].map(({ profile }) => profile ?? any);
  if (before !== undefined && after !== undefined) compareSchemas(before, after, "profile", report);
}

function compareSessions(old: Realm["sessions"], now: Realm["sessions"], report: Report): void {
  for (const [key, name] of [
    ["lifetime", "lifetime"],
    ["idleTimeout", "idle_timeout"],
    ["adminIdleTimeout", "admin_idle_timeout"],
    ["adminMaxLifetime", "admin_max_lifetime"],
  ] as const) {
    if (old[key] === now[key]) continue;
    report(now[key] < old[key] ? "session-shortened" : "session-lengthened", `sessions.${name}`, {
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

function compareMail({ email: old }: Realm, { email: now }: Realm, report: Report): void {
  for (const [key, name] of [
    ["from", "from"],
    ["resetLink", "reset_link"],
    ["verifyLink", "verify_link"],
  ] as const) {
    const [before, after] = [old?.[key], now?.[key]];
    if (before === after) continue;
    if (after === undefined && key !== "from") report("mail-link-removed", `email.${name}`, { link: name });
    else
      report("mail-changed", `email.${name}`, {
        what: name,
        old: before ?? "nothing",
        new: after ?? "nothing",
      });
  }
}

/** Members of `app_config` that are others, by their paths. */
export function changedConfig(old: Realm, now: Realm): { path: string; old: string; new: string }[] {
  const names = [...new Set([...Object.keys(old.appConfig), ...Object.keys(now.appConfig)])].sort();
  return names.flatMap((name) => {
    const [before, after] = [old, now].map(({ appConfig }) =>
      appConfig[name] === undefined ? "absent" : canonicalJson(appConfig[name]),
    );
    return before === undefined || after === undefined || before === after
      ? []
      : [{ path: name, old: before, new: after }];
  });
}
