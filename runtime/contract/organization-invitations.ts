/** spec: Invitation to an organization. */
import { manageEntries } from "../realm/organizations.ts";
import { cookie, hasCookies, setCookie, shownCookie, startedMembers } from "./accounts.ts";
import { contract, type RouteContract } from "./contract.ts";
import { lifetime } from "./invitations.ts";
import { organizationRoles, organizationsTag as tag } from "./members.ts";
import { ownOrganization } from "./organizations.ts";
import { paging } from "./parameters.ts";
import { email, locale, password, profile } from "./people.ts";
import { closed, id, named, page, strings, timestamp } from "./schema.ts";

/** Whoever manages anything. */
const manager = { kind: "member", manage: manageEntries } as const;
const session = { kind: "session" } as const;

/** Bounds the record: it names everyone who used the invitation. */
const mostUses = 10_000;

const token = { type: "string", description: "`svi_…`, shown this once." } as const;
const link = {
  type: ["string", "null"],
  description: "The realm's invitation link with the token; null where it has none.",
} as const;
const teams = { ...strings, description: "Ids." } as const;
const bindings = ["user", "email", "none"] as const;

const invitation = {
  id,
  binding: {
    type: "string",
    enum: bindings,
    description: "Whom it is for: a user, who has an e-mail address, verified, or whoever has its token.",
  },
  user: { ...id, type: ["string", "null"] },
  email: { ...email, type: ["string", "null"] },
  // Those that it was made with, whatever became of them.
  roles: strings,
  teams,
  status: { type: "string", enum: ["pending", "accepted", "expired", "revoked"] },
  uses: { type: "integer", minimum: 0 },
  max_uses: { type: "integer", minimum: 1 },
  expires_at: timestamp,
  created_at: timestamp,
  created_by: { type: "string", description: "`user:<id>` or `key:<name>`." },
} as const;

export const newInvitation = named(
  "NewOrganizationInvitation",
  closed(
    {
      binding: {
        type: ["string", "null"],
        enum: [...bindings, null],
        description: "By `email` or `user`, whichever is given, else `none`, unless said.",
        told: "must be user, email or none",
      },
      user: { type: ["string", "null"], description: "With binding `user`: its id." },
      email: { ...email, type: ["string", "null"], check: "later", description: "With binding `email`." },
      roles: organizationRoles,
      teams: { ...strings, description: "Ids of teams of the organization." },
      max_uses: {
        type: ["integer", "null"],
        minimum: 1,
        maximum: mostUses,
        description: "With binding `none`; 1 unless given.",
        told: `must be an integer from 1 to ${mostUses}`,
      },
      send: { type: "boolean", description: "With binding `email`: mails the link, too." },
      expires_in: lifetime,
    },
    [],
  ),
);

/** What making one answers. */
export const madeInvitation = {
  description: "The invitation with its token, shown this once.",
  schema: named("MadeOrganizationInvitation", closed({ ...invitation, token, link })),
};

/** What making one can be refused for, whoever makes it. */
export const invitingErrors = ["team_limit_reached", "invitations_limit", "write_conflict"] as const;

const sentToken = named("InvitationToken", closed({ token: { type: "string" } }));

export const listOrganizationInvitations = contract({
  id: "getOrganizationInvitations",
  method: "GET",
  path: "/_orgs/{org}/invitations",
  who: manager,
  query: paging,
  answers: {
    200: {
      description: "A page.",
      schema: page("OrganizationInvitationPage", named("OrganizationInvitation", closed(invitation))),
    },
  },
  tag,
  summary: "List invitations to an organization",
  about: "For its managers. Also those that are over; never their tokens.",
  client: "$orgs.invitations",
});

export const createOrganizationInvitation = contract({
  id: "createOrganizationInvitation",
  method: "POST",
  path: "/_orgs/{org}/invitations",
  who: { kind: "member", manage: ["members"] },
  body: { schema: newInvitation, media: "json" },
  answers: { 201: madeInvitation },
  errors: invitingErrors,
  tag,
  summary: "Invite somebody to an organization",
  about:
    "Needs `manage: members`. Nobody invites to roles that manage more than they do; an invitation for whoever has its token never gives roles that manage anything.",
  client: "$orgs.invite",
});

export const revokeOrganizationInvitation = contract({
  id: "revokeOrganizationInvitation",
  method: "DELETE",
  path: "/_orgs/{org}/invitations/{id}",
  who: manager,
  answers: { 204: { description: "Revoked." } },
  errors: ["not_found", "conflict", "write_conflict"],
  tag,
  summary: "Revoke an invitation to an organization",
  about: "For its managers. One that was accepted cannot be revoked.",
  client: "$orgs.revokeInvitation",
});

export const renewInvitationLink = contract({
  id: "renewInvitationLink",
  method: "POST",
  path: "/_orgs/{org}/invitations/{id}/link",
  who: manager,
  answers: {
    200: {
      description: "The link, shown this once.",
      schema: named("InvitationLink", closed({ id, token, link })),
    },
  },
  errors: ["not_found", "conflict", "write_conflict"],
  tag,
  summary: "Make another link of an invitation",
  about: "For managers who could give what it gives. The link before ends.",
  client: "$orgs.renewLink",
});

export const sendInvitation = contract({
  id: "sendInvitation",
  method: "POST",
  path: "/_orgs/{org}/invitations/{id}/send",
  who: manager,
  answers: { 202: { description: "A mail is on its way." } },
  errors: ["not_found", "conflict", "write_conflict"],
  tag,
  summary: "Mail an invitation again, with another link",
  about:
    "For managers who could give what it gives. Of an address that was mailed three times in an hour the answer is the same, but nothing is mailed and the link before stays.",
  client: "$orgs.sendInvitation",
});

export const previewInvitation = contract({
  id: "previewInvitation",
  method: "POST",
  path: "/_orgs/invitations/preview",
  who: session,
  body: { schema: sentToken, media: "json" },
  answers: {
    200: {
      description: "What it gives, and where.",
      schema: named(
        "InvitationPreview",
        closed({
          org: named(
            "InvitingOrganization",
            closed({ id, name: id, slug: id, require_mfa: { type: "boolean" } }),
          ),
          roles: organizationRoles,
          teams,
        }),
      ),
    },
  },
  errors: ["invalid_invitation", "invitation_not_for_you"],
  tag,
  summary: "Look at what accepting an invitation would give",
  about: "For whom it is for.",
  client: { method: "$orgs.preview", spread: true },
});

export const acceptInvitation = contract({
  id: "acceptInvitation",
  method: "POST",
  path: "/_orgs/invitations/accept",
  who: session,
  body: { schema: sentToken, media: "json" },
  answers: {
    200: { description: "The organization, with what the caller is in it.", schema: ownOrganization },
  },
  errors: [
    "invalid_invitation",
    "invitation_not_for_you",
    "org_requires_mfa",
    "team_limit_reached",
    "write_conflict",
  ],
  tag,
  summary: "Accept an invitation to an organization",
  about: "Gives roles and teams to who is a member already. Where it changes nothing it uses nothing up.",
  client: { method: "$orgs.accept", spread: true },
});

const invitedAccount = {
  token: { type: "string", description: "The one in the mail." },
  password,
  locale,
  profile,
} as const;

export const signUpInvited = contract({
  id: "signUpInvited",
  method: "POST",
  path: "/_orgs/invitations/signup",
  who: { kind: "anyone" },
  body: {
    schema: named("InvitedSignup", closed({ ...invitedAccount, cookie }, ["token", "password"])),
    shown: named("InvitedSignup", (traits) => ({
      ...closed({ ...invitedAccount, ...shownCookie(traits) }, ["token", "password"]),
      client: "SignUpInvited",
    })),
    media: "json",
  },
  answers: {
    201: {
      description: "Signed in, as a member of the organization.",
      schema: named("InvitedSession", closed({ ...startedMembers, org: ownOrganization })),
      ...setCookie,
    },
  },
  errors: (traits) => [
    "email_taken",
    "invalid_invitation",
    "invitation_not_for_you",
    "team_limit_reached",
    "too_many_requests",
    "write_conflict",
    // For a cookie that no listed origin asks for.
    ...(hasCookies(traits) ? (["forbidden"] as const) : []),
  ],
  tag,
  summary: "Register with an invitation that was mailed, and join its organization",
  about:
    "Whatever the realm's sign-up says. The account has the address that the invitation was mailed to, which counts as verified.",
  client: { method: "$orgs.signUp", session: "begins" },
  when: ({ organizations }) => organizations?.invitationsSignUp === true,
});

export const organizationInvitations: readonly RouteContract[] = [
  listOrganizationInvitations,
  createOrganizationInvitation,
  revokeOrganizationInvitation,
  renewInvitationLink,
  sendInvitation,
  previewInvitation,
  acceptInvitation,
  signUpInvited,
];
