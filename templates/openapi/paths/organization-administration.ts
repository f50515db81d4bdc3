import type { OpenAPIV3_1 } from "openapi-types";
import { organizationsTag as tag } from "../../../runtime/contract/members.ts";
import { invitingErrors } from "../../../runtime/contract/organization-invitations.ts";
import type { Build, Paths } from "../build.ts";
import type { AdministeredSchemas } from "../schemas/organizations.ts";
import { administrate } from "./administration.ts";

export const organizationsTag: OpenAPIV3_1.TagObject = {
  name: tag,
  description:
    "Organizations of the realm's users, for sessions only. Who is no member of one is answered the same whether or not it is there.",
};

const changing = ["write_conflict"] as const;

/** Of what changes an organization, or anything in it, that is not deleted. */
const living = ["conflict", ...changing] as const;

/** api-decisions: Administrator routes about organizations. */
export function organizationAdministrationPaths(build: Build, schemas: AdministeredSchemas): Paths {
  const path = `/v1/${build.realm.name}/_admin/orgs`;
  const { organization, organizations, newOrganization, owned } = schemas;
  const one = { description: "The organization.", schema: organization };
  return {
    [path]: build.path([], {
      get: administrate(build, "users", {
        id: "adminListOrganizations",
        summary: "List organizations",
        about: "Oldest first, deleted ones too.",
        parameters: ["Limit", "After", "OrganizationStatus", "OrganizationQuery"],
        answers: { 200: { description: "A page.", schema: organizations } },
      }),
      post: administrate(build, "users", {
        id: "adminCreateOrganization",
        summary: "Create an organization for a user",
        about: "They get the roles that the realm gives creators.",
        body: { schema: newOrganization },
        answers: { 201: one },
        errors: ["slug_taken", ...changing],
      }),
    }),
    [`${path}/{org}`]: build.path(["Organization"], {
      get: administrate(build, "users", {
        id: "adminGetOrganization",
        summary: "Fetch an organization",
        answers: { 200: one },
      }),
      delete: administrate(build, "users", {
        id: "adminDeleteOrganization",
        summary: "Delete an organization",
        about: "Sessions need a fresh proof of identity.",
        parameters: ["ReauthOfSessions"],
        answers: { 204: { description: "Deleted." } },
        errors: living,
      }),
    }),
    [`${path}/{org}/owned`]: build.path(["Organization"], {
      get: administrate(build, "users", {
        id: "adminGetOwned",
        summary: "Count the documents of an organization",
        answers: { 200: { description: "By collection.", schema: owned } },
      }),
    }),
    ...changePaths(build, schemas, `${path}/{org}`),
    ...memberPaths(build, schemas, `${path}/{org}`),
  };
}

function changePaths(build: Build, schemas: AdministeredSchemas, path: string): Paths {
  const { organization, reactivation, claims, manager } = schemas;
  const one = { description: "The organization.", schema: organization };
  return {
    [`${path}/reactivate`]: build.path(["Organization"], {
      post: administrate(build, "users", {
        id: "adminReactivateOrganization",
        summary: "Bring a deleted organization back",
        about: "Without members: assign a manager next. What its deletion erases is erased.",
        body: { schema: reactivation, optional: true },
        answers: { 200: one },
        errors: ["slug_taken", ...living],
      }),
    }),
    [`${path}/claims`]: build.path(["Organization"], {
      put: administrate(build, "users", {
        id: "adminPutClaims",
        summary: "Replace an organization's claims",
        about: "At most 16,384 characters of JSON. Its members read them.",
        body: { schema: claims },
        answers: { 200: { description: "The claims.", schema: claims } },
        errors: living,
      }),
    }),
    [`${path}/manager`]: build.path(["Organization"], {
      put: administrate(build, "users", {
        id: "adminPutManager",
        summary: "Give an organization a manager",
        about:
          "The user gets the roles that the realm gives creators. One that is `orphaned` is `active` again.",
        body: { schema: manager },
        answers: { 200: one },
        errors: living,
      }),
    }),
  };
}

function memberPaths(build: Build, schemas: AdministeredSchemas, path: string): Paths {
  const { member, memberRoles, newInvitation, madeInvitation } = schemas;
  return {
    [`${path}/members/{user}`]: build.path(["Organization", "Member"], {
      put: administrate(build, "users", {
        id: "adminPutMember",
        summary: "Make a user a member, or replace a member's direct roles",
        body: { schema: memberRoles },
        answers: { 200: { description: "The member.", schema: member } },
        errors: ["last_org_manager", ...living],
      }),
      delete: administrate(build, "users", {
        id: "adminRemoveMember",
        summary: "Remove a member from an organization and its teams",
        answers: { 204: { description: "Removed." } },
        errors: ["last_org_manager", ...living],
      }),
    }),
    [`${path}/invitations`]: build.path(["Organization"], {
      post: administrate(build, "users", {
        id: "adminInviteToOrganization",
        summary: "Invite somebody to an organization",
        about: "To any role; one for whoever has its token never gives roles that manage anything.",
        body: { schema: newInvitation },
        answers: {
          201: { description: "The invitation with its token, shown this once.", schema: madeInvitation },
        },
        errors: ["conflict", ...invitingErrors],
      }),
    }),
  };
}
