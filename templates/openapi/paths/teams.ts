import { type Build, merges, needlessBodyErrors, type Paths } from "../build.ts";
import type { MemberSchemas } from "../schemas/members.ts";
import { teamRoleName } from "../schemas/members.ts";
import { changing, forMembers } from "./membership.ts";

/** spec: Organization endpoints, as far as teams are concerned. */
export function teamPaths(build: Build, schemas: MemberSchemas): Paths {
  const path = `/v1/${build.realm.name}/_orgs/{org}/teams`;
  const { team, teams, newTeam, teamChange } = schemas;
  return {
    [path]: build.path(["Organization"], {
      get: forMembers(build, {
        id: "getTeams",
        summary: "List the teams of an organization",
        about: "In the order in which they were made.",
        parameters: ["Limit", "After"],
        answers: { 200: { description: "A page.", schema: teams } },
      }),
      post: forMembers(build, {
        id: "createTeam",
        summary: "Create a team",
        about: "Needs `manage: teams`. Nobody gives a team roles that manage more than they do.",
        body: { schema: newTeam },
        answers: { 201: { description: "The team.", schema: team } },
        errors: ["team_limit_reached", "team_name_taken", ...changing],
      }),
    }),
    [`${path}/{team}`]: build.path(["Organization", "Team"], {
      patch: forMembers(build, {
        id: "patchTeam",
        summary: "Change a team",
        about: "Needs `manage: teams`. JSON Merge Patch (RFC 7396); `roles` replaces them all.",
        body: { schema: teamChange, media: merges },
        answers: { 200: { description: "The team.", schema: team } },
        errors: ["not_found", "team_name_taken", "last_org_manager", ...changing],
      }),
      delete: forMembers(build, {
        id: "deleteTeam",
        summary: "Delete a team",
        about: "Needs `manage: teams`. Nobody is in it any longer; its documents stay as they are.",
        answers: { 204: { description: "Deleted." } },
        errors: ["not_found", "last_org_manager", ...changing],
      }),
    }),
    ...teamMemberPaths(build, schemas, `${path}/{team}/members`),
    [`${path}/{team}/roles`]: build.path(["Organization", "Team"], teamRoles(build, schemas)),
  };
}

function teamMemberPaths(build: Build, { member, teamMembers }: MemberSchemas, path: string): Paths {
  const { organizations } = build.realm;
  const role = organizations?.teamRoles.length
    ? [
        build.parameters.add("TeamRole", {
          name: "role",
          description: "Only those who hold this role in the team.",
          schema: teamRoleName(organizations),
        }),
      ]
    : [];
  const answers = { 200: { description: "The member.", schema: member } };
  return {
    [path]: build.path(["Organization", "Team"], {
      get: forMembers(build, {
        id: "getTeamMembers",
        summary: "List who is in a team or holds a role in it",
        about: "Sorted by user id.",
        parameters: ["Limit", "After", ...role],
        answers: { 200: { description: "A page.", schema: teamMembers } },
        errors: ["not_found"],
      }),
    }),
    [`${path}/{user}`]: build.path(["Organization", "Team", "Member"], {
      put: forMembers(build, {
        id: "addTeamMember",
        summary: "Put a member into a team",
        about: "Needs `manage: teams`. Nobody gives, by a team, roles that manage more than they do.",
        answers,
        errors: ["not_found", "team_limit_reached", ...changing, ...needlessBodyErrors],
      }),
      delete: forMembers(build, {
        id: "removeTeamMember",
        summary: "Take a member out of a team, and their roles in it",
        about: "Needs `manage: teams`.",
        answers,
        errors: ["not_found", "last_org_manager", ...changing, ...needlessBodyErrors],
      }),
    }),
  };
}

function teamRoles(build: Build, { teamRole, heldTeamRole, takenTeamRole }: MemberSchemas) {
  const answer = { description: "The role, and when it is held.", schema: teamRole };
  const needs = "Needs `manage: teams`, or a role in this team that grants the role.";
  return {
    post: forMembers(build, {
      id: "giveTeamRole",
      summary: "Give a member a role in a team",
      about: needs,
      body: { schema: heldTeamRole },
      answers: { 201: answer },
      errors: ["not_found", "conflict", ...changing],
    }),
    patch: forMembers(build, {
      id: "changeTeamRole",
      summary: "Change when a role in a team is held",
      about: `${needs} A bound that is left out stays.`,
      body: { schema: heldTeamRole, media: merges },
      answers: { 200: answer },
      errors: ["not_found", ...changing],
    }),
    delete: forMembers(build, {
      id: "takeTeamRole",
      summary: "Take a role in a team from a member",
      about: needs,
      body: { schema: takenTeamRole },
      answers: { 204: { description: "Taken." } },
      errors: ["not_found", ...changing],
    }),
  };
}
