import { type Build, merges, type Paths } from "../build.ts";
import type { UserAdministrationSchemas } from "../schemas/administration.ts";
import { administrate } from "./administration.ts";

/** api-decisions: Administrator routes about users, their sessions and invitations. */
export function peoplePaths(build: Build, schemas: UserAdministrationSchemas): Paths {
  return { ...userPaths(build, schemas), ...invitationPaths(build, schemas) };
}

function userPaths(build: Build, schemas: UserAdministrationSchemas): Paths {
  const path = `/v1/${build.realm.name}/_admin/users`;
  const { account } = schemas;
  const user = { description: "The user.", schema: account };
  return {
    [path]: build.path([], {
      get: administrate(build, "users", {
        id: "adminListUsers",
        summary: "List users",
        parameters: [
          "Limit",
          "After",
          "UserQuery",
          ...(build.realm.roles.length > 0 ? (["UserRole"] as const) : []),
          "UserStatus",
        ],
        answers: { 200: { description: "A page.", schema: schemas.accounts } },
      }),
      post: administrate(build, "users", {
        id: "adminCreateUser",
        summary: "Make an account",
        body: { schema: schemas.newAccount },
        answers: { 201: user },
        errors: ["email_taken"],
      }),
    }),
    [`${path}/{id}`]: build.path(["Id"], {
      get: administrate(build, "users", {
        id: "adminGetUser",
        summary: "Fetch a user",
        answers: { 200: user },
      }),
      patch: administrate(build, "users", {
        id: "adminPatchUser",
        summary: "Change a user, disable or enable them",
        about:
          "JSON Merge Patch (RFC 7396); `roles` replaces them all. Nobody gives roles, or changes the roles, the status or the address of users, that administer more than they do.",
        body: { schema: schemas.accountChange, media: merges },
        answers: { 200: user },
        errors: ["email_taken", "write_conflict"],
      }),
      delete: administrate(build, "users", {
        id: "adminDeleteUser",
        summary: "Delete a user",
        about: "Documents stay, with the user's id as their owner. Sessions need a fresh proof of identity.",
        parameters: ["ReauthOfSessions"],
        answers: { 204: { description: "Deleted." } },
      }),
    }),
    [`${path}/{id}/mfa`]: build.path(["Id"], {
      delete: administrate(build, "users", {
        id: "adminRemoveUserFactor",
        summary: "Take away a user's second factor",
        about:
          "For who lost it; the user may enrol another. Not of users that administer more. Sessions need a fresh proof of identity.",
        parameters: ["ReauthOfSessions"],
        answers: { 204: { description: "There is none any more." } },
        errors: ["write_conflict"],
      }),
    }),
    [`${path}/{id}/sessions`]: build.path(["Id"], {
      get: administrate(build, "users", {
        id: "adminListUserSessions",
        summary: "List a user's sessions",
        parameters: ["Limit", "After"],
        answers: { 200: { description: "A page.", schema: schemas.sessions } },
      }),
      delete: administrate(build, "users", {
        id: "adminEndUserSessions",
        summary: "End all sessions of a user",
        answers: { 204: { description: "Ended." } },
        errors: ["write_conflict"],
      }),
    }),
  };
}

function invitationPaths(build: Build, schemas: UserAdministrationSchemas): Paths {
  const path = `/v1/${build.realm.name}/_admin/invitations`;
  return {
    [path]: build.path([], {
      get: administrate(build, "invitations", {
        id: "adminListInvitations",
        summary: "List invitations to the realm",
        parameters: ["Limit", "After"],
        answers: { 200: { description: "A page.", schema: schemas.invitations } },
      }),
      post: administrate(build, "invitations", {
        id: "adminCreateInvitation",
        summary: "Invite somebody to the realm",
        about: "Nobody invites to roles that administer more than they do.",
        body: { schema: schemas.newInvitation },
        answers: {
          201: {
            description: "The invitation with its token, shown this once.",
            schema: schemas.madeInvitation,
          },
        },
      }),
    }),
    [`${path}/{id}`]: build.path(["Id"], {
      delete: administrate(build, "invitations", {
        id: "adminRevokeInvitation",
        summary: "Revoke an invitation",
        about: "One that was accepted cannot be revoked.",
        answers: { 204: { description: "Revoked." } },
        errors: ["conflict", "write_conflict"],
      }),
    }),
  };
}
