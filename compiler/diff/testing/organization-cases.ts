import { accounts, type Case, type Sketch } from "./case.ts";

/** A realm with organizations; `more` are further settings of them, in YAML's short form. */
const realm = (more: string): Sketch => ({
  realm: `${accounts}organizations: { create: true, creator_roles: [owner], ${more} }\n`,
});
const roles = "roles: { owner: { manage: [org] }, clerk: {} }";
const settings = (more: string): Sketch => realm(`${roles}, ${more}`);
const profile =
  "profile: { type: object, properties: { name: { type: string }, phone: { type: string } } }\n";
const profiled = (more: string): Sketch => {
  const { realm: text = "" } = settings(more);
  return { realm: `${text}${profile}` };
};
const belonging = (collection: string): Sketch => ({
  ...realm(roles),
  schema: { type: "object", properties: { title: { type: "string" } } },
  collection: `soft_delete: false\n${collection}`,
});

export const organizationCases: Readonly<Record<string, Case>> = {
  "organizations-removed": {
    old: realm(roles),
    now: { realm: accounts },
    line: "organizations: the realm has no organizations any longer",
  },
  "organizations-added": {
    old: { realm: accounts },
    now: realm(roles),
    line: "organizations: the realm has organizations",
  },
  "organization-role-removed": {
    old: realm(roles),
    now: realm("roles: { owner: { manage: [org] } }"),
    line: "organizations.roles.clerk: the role is gone",
  },
  "organization-role-added": {
    old: realm("roles: { owner: { manage: [org] } }"),
    now: realm(roles),
    line: "organizations.roles.clerk: the role is new",
  },
  "organization-role-narrowed": {
    old: realm("roles: { owner: { manage: [org, members] } }"),
    now: realm("roles: { owner: { manage: [org, teams] } }"),
    line: "organizations.roles.owner: managed org, members, manages org, teams",
  },
  "organization-role-widened": {
    old: realm(roles),
    now: realm("roles: { owner: { manage: [org] }, clerk: { manage: [members] } }"),
    line: "organizations.roles.clerk: managed nothing, manages members",
  },
  "creator-role-removed": {
    old: { realm: `${accounts}organizations: { ${roles}, creator_roles: [owner, clerk] }\n` },
    now: { realm: `${accounts}organizations: { ${roles}, creator_roles: [owner] }\n` },
    line: "organizations.creator_roles: creators of organizations do not get clerk any longer",
  },
  "creator-role-added": {
    old: { realm: `${accounts}organizations: { ${roles}, creator_roles: [owner] }\n` },
    now: { realm: `${accounts}organizations: { ${roles}, creator_roles: [clerk, owner] }\n` },
    line: "organizations.creator_roles: creators of organizations get clerk",
  },
  "member-role-removed": {
    old: settings("default_roles: [clerk]"),
    now: settings("default_roles: []"),
    line: "organizations.default_roles: members do not have clerk any longer",
  },
  "member-role-added": {
    old: realm(roles),
    now: settings("default_roles: [clerk]"),
    line: "organizations.default_roles: all members have clerk",
  },
  "team-role-removed": {
    old: settings("team_roles: { lead: {} }"),
    now: realm(roles),
    line: "organizations.team_roles.lead: the team role is gone",
  },
  "team-role-added": {
    old: settings("team_roles: { lead: {} }"),
    now: settings("team_roles: { lead: {}, reviewer: {} }"),
    line: "organizations.team_roles.reviewer: the team role is new",
  },
  "team-role-narrowed": {
    old: settings("team_roles: { lead: { grants: [lead, reviewer] }, reviewer: {} }"),
    now: settings("team_roles: { lead: { grants: [lead] }, reviewer: {} }"),
    line: "organizations.team_roles.lead: its holders cannot give reviewer any longer",
  },
  "team-role-widened": {
    old: settings("team_roles: { lead: {} }"),
    now: settings("team_roles: { lead: { grants: [lead] } }"),
    line: "organizations.team_roles.lead: its holders can give lead",
  },
  "organization-limit-lowered": {
    old: realm(roles),
    now: settings("max_created_per_user: 3"),
    line: "organizations.max_created_per_user: was any number and is 3",
  },
  "organization-limit-raised": {
    old: settings("max_pending_invitations: 100"),
    now: realm(roles),
    line: "organizations.max_pending_invitations: was 100 and is 500",
  },
  "member-addresses-narrowed": {
    old: realm(roles),
    now: settings("members_visible_to: managers"),
    line: "organizations.members_visible_to: e-mail addresses of members were seen by members, are by managers",
  },
  "member-addresses-widened": {
    old: settings("members_visible_to: nobody"),
    now: settings("members_visible_to: managers"),
    line: "organizations.members_visible_to: e-mail addresses of members were seen by nobody, are by managers",
  },
  "members-shown-narrowed": {
    old: profiled("members_show: [profile.name, profile.phone]"),
    now: profiled("members_show: [profile.name]"),
    line: "organizations.members_show: lists of members do not show phone any longer",
  },
  "members-shown-widened": {
    old: profiled("members_show: []"),
    now: profiled("members_show: [profile.name]"),
    line: "organizations.members_show: lists of members show name",
  },
  "require-mfa-disallowed": {
    old: settings("allow_require_mfa: true"),
    now: realm(roles),
    line: "organizations.allow_require_mfa: organizations cannot require a second factor any longer",
  },
  "require-mfa-allowed": {
    old: realm(roles),
    now: settings("allow_require_mfa: true"),
    line: "organizations.allow_require_mfa: organizations can require a second factor",
  },
  "organization-keys-disabled": {
    old: settings("keys: true"),
    now: realm(roles),
    line: "organizations.keys: organizations have no keys of their own any longer",
  },
  "organization-keys-enabled": {
    old: realm(roles),
    now: settings("keys: true"),
    line: "organizations.keys: organizations have keys of their own",
  },
  "invitation-link-removed": {
    old: settings("invitation_link: 'https://a.example/{token}'"),
    now: realm(roles),
    line: "organizations.invitation_link: invitations have no link any longer",
  },
  "invitation-link-changed": {
    old: realm(roles),
    now: settings("invitation_link: 'https://a.example/{token}'"),
    line: "organizations.invitation_link: invitations lead elsewhere: the link was nothing and is https://a.example/{token}",
  },
  "invitations-sign-up-disabled": {
    old: realm(roles),
    now: settings("invitations_sign_up: false"),
    line: "organizations.invitations_sign_up: invitations to organizations make no accounts any longer",
  },
  "invitations-sign-up-enabled": {
    old: settings("invitations_sign_up: false"),
    now: realm(roles),
    line: "organizations.invitations_sign_up: mailed invitations to organizations make accounts, whatever `signup` says",
  },
  "invitation-names-hidden": {
    old: realm(roles),
    now: settings("invitation_mail: { names: false }"),
    line: "organizations.invitation_mail.names: mails with invitations do not name the organization and who invites any longer",
  },
  "invitation-names-shown": {
    old: settings("invitation_mail: { names: false }"),
    now: settings("invitation_mail: { names: true }"),
    line: "organizations.invitation_mail.names: mails with invitations name the organization and who invites",
  },
  "organization-required": {
    old: belonging("organization: optional\n"),
    now: belonging("organization: required\n"),
    line: "db/notes organization: each document belongs to an organization: a create without org is refused (org_required)",
    also: ["error-added"],
  },
  "organization-optional": {
    old: belonging(""),
    now: belonging("organization: optional\n"),
    line: "db/notes organization: documents may belong to an organization: the parameter org, and _meta.org",
    also: ["error-added", "error-removed"],
  },
  "organization-removed": {
    old: belonging("organization: required\n"),
    now: belonging(""),
    line: "db/notes organization: documents belong to no organization: the parameter org is refused, and _meta.org is gone",
    also: ["error-added", "error-removed"],
  },
  "teams-required": {
    old: belonging("organization: required\nteams: optional\n"),
    now: belonging("organization: required\nteams: required\n"),
    line: "db/notes teams: each document of an organization belongs to a team: a create without team is refused (team_required)",
    also: ["error-added"],
  },
  "teams-optional": {
    old: belonging("organization: required\n"),
    now: belonging("organization: required\nteams: optional\n"),
    line: "db/notes teams: documents may belong to a team: the parameter team, and _meta.team",
    also: ["error-added", "error-removed"],
  },
  "teams-removed": {
    old: belonging("organization: required\nteams: required\n"),
    now: belonging("organization: required\n"),
    line: "db/notes teams: documents belong to no team: the parameter team is refused, and _meta.team is gone",
    also: ["error-added", "error-removed"],
  },
  "org-delete-erases": {
    old: belonging("organization: required\n"),
    now: belonging("organization: required\non_org_delete: delete\n"),
    line: "db/notes on_org_delete: documents of a deleted organization were kept, are removed",
  },
  "org-delete-keeps": {
    old: belonging("organization: required\non_org_delete: delete\n"),
    now: belonging("organization: required\non_org_delete: keep\n"),
    line: "db/notes on_org_delete: documents of a deleted organization were removed, are kept",
  },
};
