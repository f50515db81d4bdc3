/** Two versions of a realm's organizations, and of how a collection's documents belong to them. */
import type { Organizations, Realm } from "../model/model.ts";
import { missing, pairs } from "../settings/words.ts";
import type { Report } from "./catalogue.ts";

/** The rule that says who creates one is compared with the other rules. */
export function compareOrganizations(
  { organizations: old }: Realm,
  { organizations: now }: Realm,
  report: Report,
): void {
  const where = "organizations";
  if (old === undefined || now === undefined) {
    if (old !== undefined) report("organizations-removed", where, {});
    if (now !== undefined) report("organizations-added", where, {});
    return;
  }
  compareRoles(old, now, report);
  compareTeamRoles(old, now, report);
  compareGiven("creator", old.creatorRoles, now.creatorRoles, `${where}.creator_roles`, report);
  compareGiven("member", old.defaultRoles, now.defaultRoles, `${where}.default_roles`, report);
  compareLimits(old, now, report);
  compareVisibility(old, now, report);
  if (old.allowRequireMfa !== now.allowRequireMfa) {
    const check = now.allowRequireMfa ? "require-mfa-allowed" : "require-mfa-disallowed";
    report(check, `${where}.allow_require_mfa`, {});
  }
  compareLink(old.invitationLink, now.invitationLink, `${where}.invitation_link`, report);
}

function compareRoles(old: Organizations, now: Organizations, report: Report): void {
  for (const { name, before, after } of pairs(old.roles, now.roles)) {
    const where = `organizations.roles.${name}`;
    if (before === undefined || after === undefined) {
      report(after === undefined ? "organization-role-removed" : "organization-role-added", where, {});
      continue;
    }
    const parameters = { old: listed(before.manage), new: listed(after.manage) };
    if (missing(before.manage, after.manage).length > 0)
      report("organization-role-narrowed", where, parameters);
    else if (missing(after.manage, before.manage).length > 0)
      report("organization-role-widened", where, parameters);
  }
}

function compareTeamRoles(old: Organizations, now: Organizations, report: Report): void {
  for (const { name, before, after } of pairs(old.teamRoles, now.teamRoles)) {
    const where = `organizations.team_roles.${name}`;
    if (before === undefined || after === undefined) {
      report(after === undefined ? "team-role-removed" : "team-role-added", where, {});
      continue;
    }
    const [gone, added] = [missing(before.grants, after.grants), missing(after.grants, before.grants)];
    if (gone.length > 0) report("team-role-narrowed", where, { roles: gone.join(", ") });
    if (added.length > 0) report("team-role-widened", where, { roles: added.join(", ") });
  }
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? "nothing" : names.join(", ");
}

function compareGiven(
  whose: "creator" | "member",
  old: readonly string[],
  now: readonly string[],
  where: string,
  report: Report,
): void {
  const [gone, added] = [missing(old, now), missing(now, old)];
  if (gone.length > 0) report(`${whose}-role-removed`, where, { roles: gone.join(", ") });
  if (added.length > 0) report(`${whose}-role-added`, where, { roles: added.join(", ") });
}

function compareLimits(old: Organizations, now: Organizations, report: Report): void {
  for (const [key, name] of [
    ["maxCreatedPerUser", "max_created_per_user"],
    ["maxTeamsPerOrg", "max_teams_per_org"],
    ["maxTeamsPerMember", "max_teams_per_member"],
    ["maxPendingInvitations", "max_pending_invitations"],
  ] as const) {
    const [before, after] = [old[key], now[key]];
    if (before === after) continue;
    const lowered = after !== undefined && (before === undefined || after < before);
    report(lowered ? "organization-limit-lowered" : "organization-limit-raised", `organizations.${name}`, {
      old: before ?? "any number",
      new: after ?? "any number",
    });
  }
}

function compareVisibility(old: Organizations, now: Organizations, report: Report): void {
  const [before, after] = [old.membersVisibleTo, now.membersVisibleTo];
  if (before === after) return;
  const steps = ["nobody", "managers", "members"];
  const narrowed = steps.indexOf(after) < steps.indexOf(before);
  const parameters = { old: before, new: after };
  report(
    narrowed ? "member-addresses-narrowed" : "member-addresses-widened",
    "organizations.members_visible_to",
    parameters,
  );
}

function compareLink(old: string | undefined, now: string | undefined, where: string, report: Report): void {
  if (old === now) return;
  if (now === undefined) report("invitation-link-removed", where, {});
  else report("invitation-link-changed", where, { old: old ?? "nothing", new: now });
}
