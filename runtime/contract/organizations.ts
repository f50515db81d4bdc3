/** spec: Organization endpoints: organizations and their members. */
import { contract, type RouteContract } from "./contract.ts";
import {
  effectiveRoles,
  member,
  members,
  name,
  organizationRoles,
  organizationsTag as tag,
} from "./members.ts";
import { paging } from "./parameters.ts";
import { closed, id, named, page, strings } from "./schema.ts";

const who = { kind: "member" } as const;
const session = { kind: "session" } as const;

export const slug = {
  type: "string",
  pattern: "^[a-z0-9]+(?:-[a-z0-9]+)*$",
  maxLength: 63,
  check: "slug",
} as const;

/** Facts about an organization; the whole is kept. */
export const claims = named("Claims", {
  type: "object",
  additionalProperties: true,
  description: "Facts about an organization, written by administrators; rules read them by `orgClaims`.",
});

/** Members of an organization as every answer has them. */
export const organizationMembers = {
  id,
  name: id,
  slug: id,
  status: {
    type: "string",
    enum: ["active", "orphaned"],
    description: "`orphaned`: nobody can manage it.",
  },
  require_mfa: { type: "boolean", description: "Whether its members must use a second factor." },
  allow_keys: {
    type: "boolean",
    description:
      "Whether members who have a second factor come by personal tokens too, where one is required.",
  },
  claims,
} as const;

/** What a new organization is made of. */
export const made = { name, slug: { ...slug, description: "Made of the name unless given." } } as const;

/** With what the caller is in it. */
export const ownOrganization = named(
  "OwnOrganization",
  closed({
    ...organizationMembers,
    roles: { ...organizationRoles, description: "The caller's direct ones." },
    effective_roles: effectiveRoles,
    teams: { ...strings, description: "Ids of the caller's teams." },
    mfa_met: {
      type: "boolean",
      description: "False where the organization requires a second factor that this session did not use.",
    },
  }),
);

export const memberRoles = named("MemberRoles", closed({ roles: organizationRoles }));

const organization = {
  description: "The organization.",
  schema: named("Organization", closed(organizationMembers)),
} as const;

export const listOwnOrganizations = contract({
  id: "getOwnOrganizations",
  method: "GET",
  path: "/_orgs",
  who: session,
  query: paging,
  answers: { 200: { description: "A page.", schema: page("OwnOrganizationPage", ownOrganization) } },
  tag,
  summary: "List the organizations that the caller is a member of",
  about: "Those that require a second factor which this session did not use too, with `mfa_met` false.",
  client: "$orgs.list",
});

export const createOrganization = contract({
  id: "createOrganization",
  method: "POST",
  path: "/_orgs",
  who: session,
  body: {
    schema: named("NewOrganization", { ...closed(made, ["name"]), client: "NewOrganization" }),
    media: "json",
  },
  answers: { 201: organization },
  errors: ["slug_taken", "org_limit_reached", "write_conflict"],
  tag,
  summary: "Create an organization",
  about: "Its creator gets the roles that the realm gives creators.",
  client: "$orgs.create",
});

export const getOrganization = contract({
  id: "getOrganization",
  method: "GET",
  path: "/_orgs/{org}",
  who,
  answers: { 200: organization },
  tag,
  summary: "Fetch an organization",
  about: "For its members.",
  client: "$orgs.get",
});

export const patchOrganization = contract({
  id: "patchOrganization",
  method: "PATCH",
  path: "/_orgs/{org}",
  who: { kind: "member", manage: ["org"] },
  headers: ["ReauthOfOrganization"],
  body: {
    schema: named(
      "OrganizationChange",
      closed({ name, slug, require_mfa: { type: "boolean" }, allow_keys: { type: "boolean" } }, []),
    ),
    media: "merge",
  },
  answers: { 200: organization },
  errors: ["slug_taken", "write_conflict", "reauth_required"],
  tag,
  summary: "Change an organization",
  about: ({ organizations }) =>
    organizations?.allowRequireMfa
      ? "Needs `manage: org`. JSON Merge Patch (RFC 7396). To require a second factor takes a session that used one and a fresh proof of identity; to allow keys takes the proof alone."
      : "Needs `manage: org`. JSON Merge Patch (RFC 7396). No organization of this realm can require a second factor. To allow keys takes a fresh proof of identity.",
  client: "$orgs.patch",
});

export const deleteOrganization = contract({
  id: "deleteOrganization",
  method: "DELETE",
  path: "/_orgs/{org}",
  who: { kind: "member", manage: ["org"], proof: true },
  answers: { 204: { description: "Deleted." } },
  errors: ["write_conflict"],
  tag,
  summary: "Delete an organization",
  about:
    "Needs `manage: org`. Access ends at once. Documents of it are erased in the background, or kept for administrators, as each collection says.",
  client: "$orgs.delete",
});

export const leaveOrganization = contract({
  id: "leaveOrganization",
  method: "POST",
  path: "/_orgs/{org}/leave",
  who: { kind: "member", withoutFactor: true },
  answers: { 204: { description: "Left." } },
  errors: ["last_org_manager", "write_conflict"],
  tag,
  summary: "Leave an organization and its teams",
  about: "Sessions without a second factor that it requires can leave it as well.",
  client: "$orgs.leave",
});

export const listMembers = contract({
  id: "getMembers",
  method: "GET",
  path: "/_orgs/{org}/members",
  who,
  query: paging,
  answers: { 200: { description: "A page.", schema: members } },
  tag,
  summary: "List the members of an organization",
  about: "Sorted by user id.",
  client: "$orgs.members",
});

export const patchMember = contract({
  id: "patchMember",
  method: "PATCH",
  path: "/_orgs/{org}/members/{user}",
  who: { kind: "member", manage: ["members", "roles"] },
  body: { schema: memberRoles, media: "merge" },
  answers: { 200: { description: "The member.", schema: member } },
  errors: ["not_found", "last_org_manager", "write_conflict"],
  tag,
  summary: "Replace a member's direct roles",
  about:
    "Needs `manage: members` or `manage: roles`. Nobody gives or takes roles that manage more than they do.",
  client: { method: "$orgs.setRoles", spread: true },
});

export const removeMember = contract({
  id: "removeMember",
  method: "DELETE",
  path: "/_orgs/{org}/members/{user}",
  who: { kind: "member", manage: ["members"] },
  answers: { 204: { description: "Removed." } },
  errors: ["not_found", "last_org_manager", "write_conflict"],
  tag,
  summary: "Remove a member from an organization and its teams",
  about: "Needs `manage: members`. Nobody removes who manages more than they do.",
  client: "$orgs.removeMember",
});

export const organizations: readonly RouteContract[] = [
  listOwnOrganizations,
  createOrganization,
  getOrganization,
  patchOrganization,
  deleteOrganization,
  leaveOrganization,
  listMembers,
  patchMember,
  removeMember,
];
