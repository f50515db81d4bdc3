/** spec: Organization endpoints, as far as teams are concerned. */
import { contract, type RouteContract } from "./contract.ts";
import { member, memberSchema, name, organizationRoles, organizationsTag as tag } from "./members.ts";
import { paging } from "./parameters.ts";
import { closed, id, named, page } from "./schema.ts";

const who = { kind: "member" } as const;
/** Changing teams, and who is in them. */
const manager = { kind: "member", manage: ["teams"] } as const;

const called = {
  ...name,
  not: { enum: ["direct", "default"] },
  check: "teamName",
  description:
    "On one line, unique in the organization, and not what an `origin` of roles is called; spaces around it are left out.",
} as const;

const team = named(
  "Team",
  closed({
    id,
    name: { type: "string" },
    roles: { ...organizationRoles, description: "Its members have them." },
  }),
);

const bound = {
  type: ["string", "null"],
  format: "date-time",
  check: "instant",
  description: "The role is held from `from` (included) to `until` (excluded); null: without end there.",
} as const;

const role = { type: "string", realm: "teamRole" } as const;
const window = { from: bound, until: bound } as const;
const held = { user: { ...id, description: "Id of a member of the organization." }, role } as const;
const heldTeamRole = named("HeldTeamRole", closed({ ...held, ...window }, ["user", "role"]));
const teamRole = {
  description: "The role, and when it is held.",
  schema: named("TeamRole", closed({ ...held, ...window })),
};

const teamMember = named("TeamMember", ({ organizations }) =>
  memberSchema(organizations, {
    team_roles: { type: "array", items: named("HeldRole", closed({ role, ...window })) },
  }),
);

export const listTeams = contract({
  id: "getTeams",
  method: "GET",
  path: "/_orgs/{org}/teams",
  who,
  query: paging,
  answers: { 200: { description: "A page.", schema: page("TeamPage", team) } },
  tag,
  summary: "List the teams of an organization",
  about: "In the order in which they were made.",
  client: "$orgs.teams.list",
});

export const createTeam = contract({
  id: "createTeam",
  method: "POST",
  path: "/_orgs/{org}/teams",
  who: manager,
  body: {
    schema: named("NewTeam", closed({ name: called, roles: organizationRoles }, ["name"])),
    media: "json",
  },
  answers: { 201: { description: "The team.", schema: team } },
  errors: ["team_limit_reached", "team_name_taken", "write_conflict"],
  tag,
  summary: "Create a team",
  about: "Needs `manage: teams`. Nobody gives a team roles that manage more than they do.",
  client: "$orgs.teams.create",
});

export const patchTeam = contract({
  id: "patchTeam",
  method: "PATCH",
  path: "/_orgs/{org}/teams/{team}",
  who: manager,
  body: {
    schema: named("TeamChange", closed({ name: called, roles: organizationRoles }, [])),
    media: "merge",
  },
  answers: { 200: { description: "The team.", schema: team } },
  errors: ["not_found", "team_name_taken", "last_org_manager", "write_conflict"],
  tag,
  summary: "Change a team",
  about: "Needs `manage: teams`. JSON Merge Patch (RFC 7396); `roles` replaces them all.",
  client: "$orgs.teams.patch",
});

export const deleteTeam = contract({
  id: "deleteTeam",
  method: "DELETE",
  path: "/_orgs/{org}/teams/{team}",
  who: manager,
  answers: { 204: { description: "Deleted." } },
  errors: ["not_found", "last_org_manager", "write_conflict"],
  tag,
  summary: "Delete a team",
  about: "Needs `manage: teams`. Nobody is in it any longer; its documents stay as they are.",
  client: "$orgs.teams.delete",
});

export const listTeamMembers = contract({
  id: "getTeamMembers",
  method: "GET",
  path: "/_orgs/{org}/teams/{team}/members",
  who,
  query: [...paging, "TeamRole"],
  answers: { 200: { description: "A page.", schema: page("TeamMemberPage", teamMember) } },
  errors: ["not_found"],
  tag,
  summary: "List who is in a team or holds a role in it",
  about: "Sorted by user id.",
  client: { method: "$orgs.teams.members", options: "TeamMemberOptions" },
});

export const addTeamMember = contract({
  id: "addTeamMember",
  method: "PUT",
  path: "/_orgs/{org}/teams/{team}/members/{user}",
  who: manager,
  answers: { 200: { description: "The member.", schema: member } },
  errors: ["not_found", "team_limit_reached", "write_conflict"],
  tag,
  summary: "Put a member into a team",
  about: "Needs `manage: teams`. Nobody gives, by a team, roles that manage more than they do.",
  client: "$orgs.teams.addMember",
});

export const removeTeamMember = contract({
  id: "removeTeamMember",
  method: "DELETE",
  path: "/_orgs/{org}/teams/{team}/members/{user}",
  who: manager,
  answers: { 200: { description: "The member.", schema: member } },
  errors: ["not_found", "last_org_manager", "write_conflict"],
  tag,
  summary: "Take a member out of a team, and their roles in it",
  about: "Needs `manage: teams`.",
  client: "$orgs.teams.removeMember",
});

const needs = "Needs `manage: teams`, or a role in this team that grants the role.";

export const giveTeamRole = contract({
  id: "giveTeamRole",
  method: "POST",
  path: "/_orgs/{org}/teams/{team}/roles",
  who,
  body: { schema: heldTeamRole, media: "json" },
  answers: { 201: teamRole },
  errors: ["not_found", "conflict", "write_conflict"],
  tag,
  summary: "Give a member a role in a team",
  about: needs,
  client: "$orgs.teams.giveRole",
});

export const changeTeamRole = contract({
  id: "changeTeamRole",
  method: "PATCH",
  path: "/_orgs/{org}/teams/{team}/roles",
  who,
  body: { schema: heldTeamRole, media: "merge" },
  answers: { 200: teamRole },
  errors: ["not_found", "write_conflict"],
  tag,
  summary: "Change when a role in a team is held",
  about: `${needs} A bound that is left out stays.`,
  client: "$orgs.teams.changeRole",
});

export const takeTeamRole = contract({
  id: "takeTeamRole",
  method: "DELETE",
  path: "/_orgs/{org}/teams/{team}/roles",
  who,
  body: {
    schema: named("TakenTeamRole", closed({ ...held, role: { type: "string" } })),
    media: "json",
  },
  answers: { 204: { description: "Taken." } },
  errors: ["not_found", "write_conflict"],
  tag,
  summary: "Take a role in a team from a member",
  about: needs,
  client: "$orgs.teams.takeRole",
});

export const teams: readonly RouteContract[] = [
  listTeams,
  createTeam,
  patchTeam,
  deleteTeam,
  listTeamMembers,
  addTeamMember,
  removeTeamMember,
  giveTeamRole,
  changeTeamRole,
  takeTeamRole,
];
