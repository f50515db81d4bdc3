import { teams } from "../../../runtime/contract/teams.ts";
import { type Build, merges, needlessBodyErrors, type Paths } from "../build.ts";
import { contractPaths } from "../contracts.ts";
import type { OrganizationSchemas } from "../schemas/organizations.ts";
import { changing, forMembers, forUsers } from "./membership.ts";
import { organizationInvitationPaths } from "./organization-invitations.ts";

/** spec: Organization endpoints. */
export function organizationPaths(build: Build, schemas: OrganizationSchemas): Paths {
  const path = `/v1/${build.realm.name}/_orgs`;
  return {
    [path]: build.path([], {
      get: forUsers(build, {
        id: "getOwnOrganizations",
        summary: "List the organizations that the caller is a member of",
        about: "Those that require a second factor which this session did not use too, with `mfa_met` false.",
        parameters: ["Limit", "After"],
        answers: { 200: { description: "A page.", schema: schemas.owns } },
      }),
      post: forUsers(build, {
        id: "createOrganization",
        summary: "Create an organization",
        about: "Its creator gets the roles that the realm gives creators.",
        body: { schema: schemas.newOrganization },
        answers: { 201: { description: "The organization.", schema: schemas.organization } },
        errors: ["slug_taken", "org_limit_reached", ...changing],
      }),
    }),
    [`${path}/{org}`]: build.path(["Organization"], oneOrganization(build, schemas)),
    [`${path}/{org}/leave`]: build.path(["Organization"], {
      post: forUsers(build, {
        id: "leaveOrganization",
        summary: "Leave an organization and its teams",
        about: "Sessions without a second factor that it requires can leave it as well.",
        answers: { 204: { description: "Left." } },
        errors: ["not_org_member", "last_org_manager", ...changing, ...needlessBodyErrors],
      }),
    }),
    ...memberPaths(build, schemas, `${path}/{org}/members`),
    ...contractPaths(build, teams),
    ...organizationInvitationPaths(build, schemas),
  };
}

function oneOrganization(build: Build, { organization, change }: OrganizationSchemas) {
  const answers = { 200: { description: "The organization.", schema: organization } };
  const requires = build.realm.organizations?.allowRequireMfa === true;
  return {
    get: forMembers(build, {
      id: "getOrganization",
      summary: "Fetch an organization",
      about: "For its members.",
      answers,
    }),
    patch: forMembers(build, {
      id: "patchOrganization",
      summary: "Change an organization",
      about: requires
        ? "Needs `manage: org`. JSON Merge Patch (RFC 7396). To require a second factor takes a session that used one and a fresh proof of identity."
        : "Needs `manage: org`. JSON Merge Patch (RFC 7396). No organization of this realm can require a second factor.",
      ...(requires && { parameters: ["ReauthToRequireMfa"] as const }),
      body: { schema: change, media: merges },
      answers,
      errors: ["slug_taken", ...(requires ? (["reauth_required"] as const) : []), ...changing],
    }),
    delete: forMembers(build, {
      id: "deleteOrganization",
      summary: "Delete an organization",
      about:
        "Needs `manage: org`. Access ends at once. Documents of it are erased in the background, or kept for administrators, as each collection says.",
      parameters: ["Reauth"],
      answers: { 204: { description: "Deleted." } },
      errors: ["reauth_required", ...changing],
    }),
  };
}

function memberPaths(build: Build, schemas: OrganizationSchemas, path: string): Paths {
  return {
    [path]: build.path(["Organization"], {
      get: forMembers(build, {
        id: "getMembers",
        summary: "List the members of an organization",
        about: "Sorted by user id.",
        parameters: ["Limit", "After"],
        answers: { 200: { description: "A page.", schema: schemas.members } },
      }),
    }),
    [`${path}/{user}`]: build.path(["Organization", "Member"], {
      patch: forMembers(build, {
        id: "patchMember",
        summary: "Replace a member's direct roles",
        about:
          "Needs `manage: members` or `manage: roles`. Nobody gives or takes roles that manage more than they do.",
        body: { schema: schemas.memberRoles, media: merges },
        answers: { 200: { description: "The member.", schema: schemas.member } },
        errors: ["not_found", "last_org_manager", ...changing],
      }),
      delete: forMembers(build, {
        id: "removeMember",
        summary: "Remove a member from an organization and its teams",
        about: "Needs `manage: members`. Nobody removes who manages more than they do.",
        answers: { 204: { description: "Removed." } },
        errors: ["not_found", "last_org_manager", ...changing],
      }),
    }),
  };
}
