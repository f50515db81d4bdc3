import type { CheckEntry } from "../../settings/change.ts";

export const organizationChecks = {
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
} as const satisfies Readonly<Record<string, CheckEntry>>;
