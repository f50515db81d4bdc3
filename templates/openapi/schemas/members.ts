import type { Organizations } from "../../../compiler/model/model.ts";
import type { JsonObject } from "../../../runtime/json.ts";
import { addPage, closed, timestamp } from "./common.ts";
import { email } from "./people.ts";
import type { Ref, SchemaPool } from "./pool.ts";

const id = { type: "string" } as const;

export const ids = { type: "array", items: id } as const;

/** What organizations and teams are called. */
export const name = {
  type: "string",
  minLength: 1,
  maxLength: 200,
  description: "On one line; spaces around it are left out.",
} as const;

/** The schemas of members of organizations and of teams. */
export interface MemberSchemas {
  readonly member: Ref;
  readonly members: Ref;
  /** `{roles}`. */
  readonly memberRoles: Ref;
  readonly team: Ref;
  readonly teams: Ref;
  readonly newTeam: Ref;
  readonly teamChange: Ref;
  readonly teamMembers: Ref;
  readonly teamRole: Ref;
  /** What gives one, or changes its window. */
  readonly heldTeamRole: Ref;
  /** `{user, role}`. */
  readonly takenTeamRole: Ref;
}

export function memberSchemas(pool: SchemaPool, settings: Organizations): MemberSchemas {
  const roles = organizationRoles(settings);
  const { properties, required } = memberShape(pool, settings);
  const member = pool.add("Member", closed(properties, required));
  const team = { id, name: { type: "string" }, roles: { ...roles, description: "Its members have them." } };
  const entry = pool.add("Team", closed(team));
  const window = { from: bound, until: bound };
  const role = teamRoleName(settings);
  const held = { user: { ...id, description: "Id of a member of the organization." }, role };
  const teamMember = pool.add(
    "TeamMember",
    closed(
      {
        ...properties,
        team_roles: { type: "array", items: pool.add("HeldRole", closed({ role, ...window })) },
      },
      [...required, "team_roles"],
    ),
  );
  const called = {
    ...name,
    not: { enum: ["direct", "default"] },
    description:
      "On one line, unique in the organization, and not what an `origin` of roles is called; spaces around it are left out.",
  };
  return {
    member,
    members: addPage(pool, "MemberPage", member),
    memberRoles: pool.add("MemberRoles", closed({ roles })),
    team: entry,
    teams: addPage(pool, "TeamPage", entry),
    newTeam: pool.add("NewTeam", closed({ name: called, roles }, ["name"])),
    teamChange: pool.add("TeamChange", closed({ name: called, roles }, [])),
    teamMembers: addPage(pool, "TeamMemberPage", teamMember),
    teamRole: pool.add("TeamRole", closed({ ...held, ...window })),
    heldTeamRole: pool.add("HeldTeamRole", closed({ ...held, ...window }, ["user", "role"])),
    takenTeamRole: pool.add("TakenTeamRole", closed({ ...held, role: { type: "string" } })),
  };
}

const bound: JsonObject = {
  ...timestamp,
  type: ["string", "null"],
  description: "The role is held from `from` (included) to `until` (excluded); null: without end there.",
};

/** Of team roles, by name. */
export function teamRoleName({ teamRoles }: Organizations): JsonObject {
  const names = teamRoles.map((role) => role.name);
  return { type: "string", ...(names.length > 0 && { enum: names }) };
}

/** Roles of organizations, as members have them and teams carry them. */
export function organizationRoles({ roles }: Organizations): JsonObject {
  const names = roles.map((role) => role.name);
  return { type: "array", items: { type: "string", ...(names.length > 0 && { enum: names }) } };
}

/** The member `effective_roles` of members. */
export function effectiveRoles(pool: SchemaPool, settings: Organizations): JsonObject {
  const origin = { ...ids, minItems: 1, description: "`direct`, `default`, and names of teams." };
  const role = organizationRoles(settings)["items"] ?? {};
  const items = pool.share("EffectiveRole", () => closed({ role, origin }));
  return { type: "array", items, description: "Sorted by role." };
}

function memberShape(
  pool: SchemaPool,
  settings: Organizations,
): { readonly properties: JsonObject; readonly required: readonly string[] } {
  const { membersVisibleTo } = settings;
  const roles = organizationRoles(settings);
  const address = { ...email, type: ["string", "null"] };
  const always = {
    user: { ...id, description: "Id of the user." },
    roles: { ...roles, description: "Direct ones." },
    effective_roles: effectiveRoles(pool, settings),
    overlap: { ...roles, description: "Held both directly and through a team." },
    teams: { ...ids, description: "Ids." },
    ...(membersVisibleTo === "members" && { email: address }),
  };
  return {
    properties: {
      ...always,
      ...(membersVisibleTo === "managers" && { email: { ...address, description: "Shown to managers." } }),
      mfa: { type: "boolean", description: "Whether the account has a second factor. Shown to managers." },
    },
    required: Object.keys(always),
  };
}
