import type { ContractHandler } from "../auth/contracted.ts";
import { answerEntries, invalidParameter, pageRequest } from "../auth/paging.ts";
import type { Read } from "../auth/records.ts";
import * as contract from "../contract/teams.ts";
import { ApiError } from "../errors.ts";
import { and, eq, isIn, or } from "../filter/algebra.ts";
import type { JsonObject } from "../json.ts";
import type { Decision } from "./change.ts";
import { memberFields } from "./collections.ts";
import { requireGivable } from "./granting.ts";
import { memberDecision } from "./member-change.ts";
import { memberEntries, memberEntry, membersByUser, requireMember } from "./members.ts";
import { type MemberRecord, type OrganizationRecord, type TeamRecord, teamRoleKey } from "./records.ts";
import { changeAs, memberRoute, type OrganizationRealm, type Standing } from "./route.ts";
import { isTeamRole, teamRolesIn } from "./team-roles.ts";
import { inTeamsOf, requireTeam, requireTeamsWithin } from "./teams.ts";

/** Each as in the members list and with `team_roles`: their roles in this team whose windows are open, were or will be. */
export const listTeamMembers = memberRoute(
  contract.listTeamMembers,
  (realm) =>
    async ({ params, query }, { org: { record: org }, manage }) => {
      const role = query.get("role");
      if (role !== undefined && !isTeamRole(realm.settings, role)) {
        throw invalidParameter("role", "is no team role of this realm");
      }
      const { id } = requireTeam(org, params.team);
      const roles = role === undefined ? realm.settings.teamRoles.map(({ name }) => name) : [role];
      const holds = isIn(
        memberFields.team_role_keys,
        roles.map((name) => teamRoleKey({ team: id, role: name })),
      );
      const filter = and(
        eq(memberFields.org, org.id),
        role === undefined ? or(eq(memberFields.teams, id), holds) : holds,
      );
      return answerEntries(realm, membersByUser, filter, pageRequest(query), (members) =>
        teamEntries(realm, org, members, id, { manage }),
      );
    },
);

async function teamEntries(
  realm: OrganizationRealm,
  org: OrganizationRecord,
  members: readonly MemberRecord[],
  team: string,
  viewer: Pick<Standing, "manage">,
): Promise<readonly JsonObject[]> {
  const entries = await memberEntries(realm, org, members, viewer);
  return members.map((member, at) => {
    const held = teamRolesIn(realm.settings, member, team);
    return { ...entries[at], team_roles: held.map(({ role, from, until }) => ({ role, from, until })) };
  });
}

export const addTeamMember = memberRoute(contract.addTeamMember, (realm) =>
  changesMember(realm, "org.team.member.add", (now, team, { record }) => {
    if (record.teams.includes(team.id)) return record;
    requireGivable(realm.settings, now, [], [team]);
    const member = inTeamsOf(now.org.record, record);
    requireTeamsWithin(realm.settings, [...member.teams, team.id]);
    return { ...member, teams: [...member.teams, team.id] };
  }),
);

export const removeTeamMember = memberRoute(contract.removeTeamMember, (realm) =>
  changesMember(realm, "org.team.member.remove", (now, team, { record }) => {
    const isIn = record.teams.includes(team.id);
    if (!isIn && !record.team_roles.some((held) => held.team === team.id)) {
      throw new ApiError("not_found", "They are not in this team.");
    }
    if (isIn) requireGivable(realm.settings, now, [], [team]);
    const member = inTeamsOf(now.org.record, record);
    return {
      ...member,
      teams: member.teams.filter((id) => id !== team.id),
      team_roles: member.team_roles.filter((held) => held.team !== team.id),
    };
  }),
);

/** @param change answers the member's record itself where nothing changes */
function changesMember(
  realm: OrganizationRealm,
  action: `org.team.member.${"add" | "remove"}`,
  change: (now: Standing, team: TeamRecord, before: Read<MemberRecord>) => MemberRecord,
): ContractHandler<typeof contract.addTeamMember | typeof contract.removeTeamMember, Standing> {
  return async ({ exchange, params }, standing) => {
    const decide = async (now: Standing): Promise<Decision<Changed>> => {
      const { org, caller } = now;
      const team = requireTeam(org.record, params.team);
      const before = await requireMember(realm, org.record, params.user);
      const after = change(now, team, before);
      const result = { now, member: after };
      if (after === before.record) return { result };
      const write = { org, user: after.user, before, after, action, details: { team: team.id } };
      return memberDecision(realm, exchange, caller, write, result);
    };
    const { now, member } = await changeAs(realm, standing, decide);
    return memberEntry(realm, now.org.record, member, now);
  };
}

interface Changed {
  readonly now: Standing;
  readonly member: MemberRecord;
}
