/** api-decisions: Administrator routes about users, their sessions and second factors. */
import { contract, type RouteContract } from "./contract.ts";
import { administrationTag as tag } from "./jobs.ts";
import { claims } from "./organizations.ts";
import { paging } from "./parameters.ts";
import { email, locale, password, profile, profilePatch, roles, sessions, userMembers } from "./people.ts";
import { closed, id, named, page, strings, timestamp } from "./schema.ts";

const sees = { kind: "administrator", area: "users", to: "see" } as const;
const changes = { ...sees, to: "change" } as const;

/** A user as administrators see it. */
const account = named(
  "Account",
  closed({ ...userMembers, status: { type: "string", enum: ["active", "disabled"] } }),
);
const user = { description: "The user.", schema: account } as const;

export const listUsers = contract({
  id: "adminListUsers",
  method: "GET",
  path: "/_admin/users",
  who: sees,
  query: [...paging, "UserQuery", "UserRole", "UserStatus"],
  answers: { 200: { description: "A page.", schema: page("AccountPage", account) } },
  tag,
  summary: "List users",
  client: { method: "$admin.listUsers", options: "UserOptions" },
});

export const createUser = contract({
  id: "adminCreateUser",
  method: "POST",
  path: "/_admin/users",
  who: changes,
  body: {
    schema: named(
      "NewAccount",
      closed(
        {
          email,
          password: {
            ...password,
            type: ["string", "null"],
            description: "Without one a mail lets the user choose it.",
            told: "must be a string",
          },
          roles: { ...roles, description: "The realm's default roles unless given." },
          locale,
          profile,
          email_verified: { type: "boolean", description: "False when left out." },
        },
        ["email"],
      ),
    ),
    media: "json",
  },
  answers: { 201: user },
  errors: ["email_taken"],
  tag,
  summary: "Make an account",
  client: "$admin.createUser",
});

export const getUser = contract({
  id: "adminGetUser",
  method: "GET",
  path: "/_admin/users/{id}",
  who: sees,
  answers: { 200: user },
  tag,
  summary: "Fetch a user",
  client: "$admin.getUser",
});

export const getUserAccess = contract({
  id: "adminGetUserAccess",
  method: "GET",
  path: "/_admin/users/{id}/access",
  who: sees,
  answers: {
    200: {
      description: "What rules see.",
      schema: named(
        "UserAccess",
        closed({
          user: named("RuleUser", closed(userMembers)),
          now: timestamp,
          organizations: {
            type: "array",
            items: named(
              "RuleMembership",
              closed({
                id,
                roles: { ...strings, description: "Direct ones, default ones, and those that teams give." },
                teams: { ...strings, description: "Ids." },
                team_roles: {
                  type: "object",
                  additionalProperties: strings,
                  description: "Those whose time window is open, by the team's id.",
                },
                claims,
              }),
            ),
          },
        }),
      ),
    },
  },
  tag,
  summary: "What access rules see of a user now",
  about:
    "For finding out why a rule decides as it does (`realmc explain --url`). As of a session that used the second factor of a user who has one.",
  client: "$admin.getUserAccess",
});

export const patchUser = contract({
  id: "adminPatchUser",
  method: "PATCH",
  path: "/_admin/users/{id}",
  who: changes,
  body: {
    schema: named("AccountChange", {
      ...closed(
        {
          roles,
          disabled: { type: "boolean", description: "Disabling ends the user's sessions." },
          email: { ...email, description: "A new one is unverified." },
          locale,
          profile: profilePatch,
        },
        [],
      ),
      client: "AccountPatch",
    }),
    media: "merge",
  },
  answers: { 200: user },
  errors: ["email_taken", "write_conflict"],
  tag,
  summary: "Change a user, disable or enable them",
  about:
    "JSON Merge Patch (RFC 7396); `roles` replaces them all. Nobody gives roles, or changes the roles, the status or the address of users, that administer more than they do.",
  client: "$admin.patchUser",
});

export const deleteUser = contract({
  id: "adminDeleteUser",
  method: "DELETE",
  path: "/_admin/users/{id}",
  who: { ...changes, proof: true },
  answers: { 204: { description: "Deleted." } },
  tag,
  summary: "Delete a user",
  about: "Documents stay, with the user's id as their owner. Sessions need a fresh proof of identity.",
  client: "$admin.deleteUser",
});

export const removeUserFactor = contract({
  id: "adminRemoveUserFactor",
  method: "DELETE",
  path: "/_admin/users/{id}/mfa",
  who: { ...changes, proof: true },
  answers: { 204: { description: "There is none any more." } },
  errors: ["write_conflict"],
  tag,
  summary: "Take away a user's second factor",
  about:
    "For who lost it; the user may enrol another. Not of users that administer more. Sessions need a fresh proof of identity.",
  client: "$admin.removeUserFactor",
});

export const listUserSessions = contract({
  id: "adminListUserSessions",
  method: "GET",
  path: "/_admin/users/{id}/sessions",
  who: sees,
  query: paging,
  answers: { 200: { description: "A page.", schema: sessions } },
  tag,
  summary: "List a user's sessions",
  client: "$admin.listUserSessions",
});

export const endUserSessions = contract({
  id: "adminEndUserSessions",
  method: "DELETE",
  path: "/_admin/users/{id}/sessions",
  who: changes,
  answers: { 204: { description: "Ended." } },
  errors: ["write_conflict"],
  tag,
  summary: "End all sessions of a user",
  client: "$admin.endUserSessions",
});

export const userAdministration: readonly RouteContract[] = [
  listUsers,
  createUser,
  getUser,
  getUserAccess,
  patchUser,
  deleteUser,
  removeUserFactor,
  listUserSessions,
  endUserSessions,
];
