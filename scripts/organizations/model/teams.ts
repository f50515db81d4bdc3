import type { Bound, Operation } from "./operations.ts";
import {
  changed,
  enter,
  requireGivable,
  requireMember,
  rolesOfTeams,
  type Standing,
  settle,
} from "./standing.ts";
import {
  accountOf,
  type HeldTeamRole,
  holdsNow,
  limits,
  type Member,
  type Org,
  refuse,
  type Team,
  type TeamRole,
  teamRoles,
  type World,
} from "./world.ts";

type TeamRoleOperation = Extract<Operation, { kind: "role give" | "role change" | "role take" }>;
type TeamOperation =
  | Extract<Operation, { kind: "team" | "team patch" | "team delete" | "team add" | "team drop" }>
  | TeamRoleOperation;

export function applyTeam(world: World, operation: TeamOperation): string {
  if (operation.kind === "role give" || operation.kind === "role change" || operation.kind === "role take") {
    return applyTeamRole(world, operation);
  }
  const standing = enter(world, operation.by, operation.org, { manage: ["teams"] });
  const { org } = standing;
  switch (operation.kind) {
    case "team": {
      const { name, roles } = operation;
      requireGivable(standing, roles);
      requireFreeName(org, name);
      if (org.teams.size >= limits.teams) refuse("409 team_limit_reached");
      org.teams.set(operation.team, { name, roles });
      return "201";
    }
    case "team patch": {
      const team = requireTeam(org, operation.team);
      const { name = team.name, roles = team.roles } = operation;
      requireGivable(standing, changed(team.roles, roles));
      requireFreeName(org, name, team);
      // Roles are a set: said in another order they are the same, and nothing is written.
      if (name === team.name && changed(team.roles, roles).length === 0) return "200";
      settle(world, org, () => Object.assign(team, { name, roles }));
      return "200";
    }
    case "team delete": {
      const team = requireTeam(org, operation.team);
      requireGivable(standing, team.roles);
      settle(world, org, () => {
        org.teams.delete(operation.team);
        for (const member of org.members.values()) leaveTeam(member, operation.team);
      });
      return "204";
    }
    case "team add": {
      requireTeam(org, operation.team);
      const member = requireMember(org, accountOf(world, operation.person).id);
      if (member.teams.includes(operation.team)) return "200";
      requireGivable(standing, rolesOfTeams(org, [operation.team]));
      if (member.teams.length >= limits.teamsOfMember) refuse("409 team_limit_reached");
      settle(world, org, () => {
        member.teams = [...member.teams, operation.team];
      });
      return "200";
    }
    case "team drop": {
      requireTeam(org, operation.team);
      const member = requireMember(org, accountOf(world, operation.person).id);
      const isIn = member.teams.includes(operation.team);
      if (!isIn && !member.teamRoles.some(({ team }) => team === operation.team)) refuse("404 not_found");
      if (isIn) requireGivable(standing, rolesOfTeams(org, [operation.team]));
      settle(world, org, () => leaveTeam(member, operation.team));
      return "200";
    }
  }
}

function leaveTeam(member: Member, team: string): void {
  member.teams = member.teams.filter((id) => id !== team);
  member.teamRoles = member.teamRoles.filter((held) => held.team !== team);
}

/** By who manages teams, and by who holds a role in this very team, now, that grants this one. */
function applyTeamRole(world: World, operation: TeamRoleOperation): string {
  const standing = enter(world, operation.by, operation.org);
  const { org } = standing;
  const { team, role } = operation;
  if (!mayGrant(world, standing, team, role)) refuse("403 forbidden");
  requireTeam(org, team);
  const member = requireMember(org, accountOf(world, operation.person).id);
  const held = member.teamRoles.find((each) => each.team === team && each.role === role);
  const others = member.teamRoles.filter((each) => each !== held);
  if (operation.kind === "role take") {
    if (held === undefined) refuse("404 not_found");
    member.teamRoles = others;
    return "204";
  }
  if (operation.kind === "role give" && held !== undefined) refuse("409 conflict");
  if (operation.kind === "role change" && held === undefined) refuse("404 not_found");
  const window: HeldTeamRole = {
    team,
    role,
    from: at(world, operation.from, held?.from),
    until: at(world, operation.until, held?.until),
  };
  if (window.from !== null && window.until !== null && window.from >= window.until) {
    refuse("400 validation_error");
  }
  member.teamRoles = [...others, window];
  return operation.kind === "role give" ? "201" : "200";
}

function at({ now }: World, bound: Bound, before: number | null = null): number | null {
  if (bound === undefined) return before;
  return bound === null ? null : now + bound * 60_000;
}

function mayGrant({ now }: World, { manage, member }: Standing, team: string, role: TeamRole): boolean {
  if (manage.has("teams")) return true;
  return member.teamRoles.some((held) => {
    const grants: readonly string[] = teamRoles[held.role];
    return held.team === team && holdsNow(held, now) && grants.includes(role);
  });
}

function requireTeam(org: Org, id: string): Team {
  return org.teams.get(id) ?? refuse("404 not_found");
}

function requireFreeName(org: Org, name: string, but?: Team): void {
  if ([...org.teams.values()].some((team) => team !== but && team.name === name)) {
    refuse("409 team_name_taken");
  }
}
