/** Two versions of a realm's organizations. */
import type { Organizations, Realm } from "../../../model/model.ts";
import type { Changes, Report as ReportOf } from "../../change.ts";
import { movedOn, pairs, turnover } from "../../words.ts";

export const changes = {
  "organizations-removed": {
    kind: "breaking",
    message: "the realm has no organizations any longer",
    why: "All routes under `_orgs` answer 404.",
  },
  "organizations-added": {
    kind: "additive",
    message: "the realm has organizations",
    why: "The routes under `_orgs` are new.",
  },
  "organization-role-removed": {
    kind: "breaking",
    message: "the role is gone",
    why: "It counts for nothing any longer, whoever holds it, and cannot be given.",
  },
  "organization-role-added": { kind: "additive", message: "the role is new", why: "It can be given." },
  "organization-role-narrowed": {
    kind: "breaking",
    message: "managed {old}, manages {new}",
    why: "Holders of the role may do less in their organization.",
  },
  "organization-role-widened": {
    kind: "additive",
    message: "managed {old}, manages {new}",
    why: "Holders of the role may do more in their organization.",
  },
  "creator-role-removed": {
    kind: "breaking",
    message: "creators of organizations do not get {roles} any longer",
    why: "They may do less than those before them.",
  },
  "creator-role-added": {
    kind: "additive",
    message: "creators of organizations get {roles}",
    why: "They may do more than those before them.",
  },
  "member-role-removed": {
    kind: "breaking",
    message: "members do not have {roles} any longer",
    why: "What they may do by that is refused, unless they hold it otherwise.",
  },
  "member-role-added": {
    kind: "additive",
    message: "all members have {roles}",
    why: "They may do what that allows.",
  },
  "team-role-removed": {
    kind: "breaking",
    message: "the team role is gone",
    why: "It counts for nothing any longer, whoever holds it, and cannot be given.",
  },
  "team-role-added": { kind: "additive", message: "the team role is new", why: "It can be given." },
  "team-role-narrowed": {
    kind: "breaking",
    message: "its holders cannot give {roles} any longer",
    why: "Requests that do are refused.",
  },
  "team-role-widened": {
    kind: "additive",
    message: "its holders can give {roles}",
    why: "Requests that were refused are accepted.",
  },
  "organization-limit-lowered": {
    kind: "breaking",
    message: "was {old} and is {new}",
    why: "Requests that were accepted are refused (409). What is there stays.",
  },
  "organization-limit-raised": {
    kind: "additive",
    message: "was {old} and is {new}",
    why: "Requests that were refused are accepted.",
  },
  "member-addresses-narrowed": {
    kind: "breaking",
    message: "e-mail addresses of members were seen by {old}, are by {new}",
    why: "Lists of members come without addresses for those who saw them.",
  },
  "member-addresses-widened": {
    kind: "additive",
    message: "e-mail addresses of members were seen by {old}, are by {new}",
    why: "Lists of members come with addresses for more people.",
  },
  "members-shown-narrowed": {
    kind: "breaking",
    message: "lists of members do not show {members} any longer",
    why: "Lists of members come without what they came with.",
  },
  "members-shown-widened": {
    kind: "additive",
    message: "lists of members show {members}",
    why: "Members of an organization see more of each other.",
  },
  "require-mfa-disallowed": {
    kind: "breaking",
    message: "organizations cannot require a second factor any longer",
    why: "Requests that ask for it are refused.",
  },
  "require-mfa-allowed": {
    kind: "additive",
    message: "organizations can require a second factor",
    why: "Their managers decide whether they do.",
  },
  "organization-keys-disabled": {
    kind: "breaking",
    message: "organizations have no keys of their own any longer",
    why: "Requests with them are answered 401, and the routes under `_orgs/{org}/keys` are gone.",
  },
  "organization-keys-enabled": {
    kind: "additive",
    message: "organizations have keys of their own",
    why: "Members with `manage: members` make them under `_orgs/{org}/keys`.",
  },
  "invitation-link-removed": {
    kind: "breaking",
    message: "invitations have no link any longer",
    why: "`link` is null; who follows links in mails cannot.",
  },
  "invitation-link-changed": {
    kind: "additive",
    message: "invitations lead elsewhere: the link was {old} and is {new}",
    why: "Answers have the same form; links that were sent stay as they are.",
  },
  "invitations-sign-up-disabled": {
    kind: "breaking",
    message: "invitations to organizations make no accounts any longer",
    why: "`POST /_orgs/invitations/signup` answers 403: who is invited needs an account before.",
  },
  "invitations-sign-up-enabled": {
    kind: "additive",
    message: "mailed invitations to organizations make accounts, whatever `signup` says",
    why: "People who could not sign up can where a member of an organization invites them.",
  },
  "invitation-names-hidden": {
    kind: "additive",
    message: "mails with invitations do not name the organization and who invites any longer",
    why: "Answers stay as they are.",
  },
  "invitation-names-shown": {
    kind: "additive",
    message: "mails with invitations name the organization and who invites",
    why: "Answers stay as they are.",
  },
} as const satisfies Changes;

type Report = ReportOf<typeof changes>;

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
  const seen = { old: old.membersVisibleTo, new: now.membersVisibleTo };
  const way = movedOn(["nobody", "managers", "members"], seen.old, seen.new);
  if (way !== undefined) report(`member-addresses-${way}`, `${where}.members_visible_to`, seen);
  const shown = turnover(old.membersShow, now.membersShow);
  if (shown.gone) report("members-shown-narrowed", `${where}.members_show`, { members: shown.gone });
  if (shown.added) report("members-shown-widened", `${where}.members_show`, { members: shown.added });
  if (old.allowRequireMfa !== now.allowRequireMfa) {
    const check = now.allowRequireMfa ? "require-mfa-allowed" : "require-mfa-disallowed";
    report(check, `${where}.allow_require_mfa`, {});
  }
  if (old.keys !== now.keys) {
    report(now.keys ? "organization-keys-enabled" : "organization-keys-disabled", `${where}.keys`, {});
  }
  compareInvitations(old, now, report);
}

function compareInvitations(old: Organizations, now: Organizations, report: Report): void {
  const where = "organizations";
  if (old.invitationsSignUp !== now.invitationsSignUp) {
    const check = now.invitationsSignUp ? "invitations-sign-up-enabled" : "invitations-sign-up-disabled";
    report(check, `${where}.invitations_sign_up`, {});
  }
  const { names } = now.invitationMail;
  if (names !== old.invitationMail.names) {
    report(
      names ? "invitation-names-shown" : "invitation-names-hidden",
      `${where}.invitation_mail.names`,
      {},
    );
  }
  const { invitationLink: link } = now;
  if (link === old.invitationLink) return;
  const place = `${where}.invitation_link`;
  if (link === undefined) report("invitation-link-removed", place, {});
  else report("invitation-link-changed", place, { old: old.invitationLink ?? "nothing", new: link });
}

function compareRoles(old: Organizations, now: Organizations, report: Report): void {
  for (const { name, before, after } of pairs(old.roles, now.roles)) {
    const where = `organizations.roles.${name}`;
    if (before === undefined || after === undefined) {
      report(after === undefined ? "organization-role-removed" : "organization-role-added", where, {});
      continue;
    }
    const { gone, added } = turnover(before.manage, after.manage);
    const parameters = { old: listed(before.manage), new: listed(after.manage) };
    if (gone) report("organization-role-narrowed", where, parameters);
    else if (added) report("organization-role-widened", where, parameters);
  }
}

function compareTeamRoles(old: Organizations, now: Organizations, report: Report): void {
  for (const { name, before, after } of pairs(old.teamRoles, now.teamRoles)) {
    const where = `organizations.team_roles.${name}`;
    if (before === undefined || after === undefined) {
      report(after === undefined ? "team-role-removed" : "team-role-added", where, {});
      continue;
    }
    const { gone, added } = turnover(before.grants, after.grants);
    if (gone) report("team-role-narrowed", where, { roles: gone });
    if (added) report("team-role-widened", where, { roles: added });
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
  const { gone, added } = turnover(old, now);
  if (gone) report(`${whose}-role-removed`, where, { roles: gone });
  if (added) report(`${whose}-role-added`, where, { roles: added });
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
