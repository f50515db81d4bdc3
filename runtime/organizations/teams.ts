import { type AuditEntry, appendAudit } from "../auth/administration/audit.ts";
import { answerAtHand, pageRequest } from "../auth/paging.ts";
import * as contract from "../contract/teams.ts";
import { ApiError, invalidBody } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import type { Exchange } from "../realm/exchange.ts";
import type { OrganizationSettings } from "../realm/organizations.ts";
import type { Decision } from "./change.ts";
import { changedRoles, requireGivable, teamsOf } from "./granting.ts";
import { settleManagers } from "./managers.ts";
import type { MemberRecord, OrganizationRecord, TeamRecord } from "./records.ts";
import { isOrganizationRole } from "./roles.ts";
import { changeAs, memberRoute, type OrganizationRealm, type Standing } from "./route.ts";

export const listTeams = memberRoute(contract.listTeams, (realm) => async ({ query }, { org }) => {
  const { id, teams } = org.record;
  const list = { records: teams, context: `teams of ${id}` };
  return answerAtHand(realm, list, pageRequest(query), (team) => teamView(realm.settings, team));
});

export const createTeam = memberRoute(contract.createTeam, (realm) => async (asked, standing) => {
  const { settings } = realm;
  const { name, roles = [] } = asked.body();
  const team = { id: realm.newId(), name, roles };
  await changeAs(realm, standing, async (now) => {
    const { record: before } = now.org;
    requireGivable(settings, now, roles);
    requireFreeName(before, team);
    if (before.teams.length >= settings.maxTeamsPerOrg) {
      throw teamLimitReached(`An organization has at most ${settings.maxTeamsPerOrg} teams.`);
    }
    return teamsDecision(realm, asked.exchange, now, {
      teams: [...before.teams, team],
      action: "org.team.create",
      details: { team: team.id, roles },
      result: undefined,
    });
  });
  return teamView(settings, team);
});

export const patchTeam = memberRoute(contract.patchTeam, (realm) => async (asked, standing) => {
  const { settings } = realm;
  const { name, roles } = asked.body();
  const change = async (now: Standing): Promise<Decision<TeamRecord>> => {
    const { teams } = now.org.record;
    const before = requireTeam(now.org.record, asked.params.team);
    const after = { ...before, name: name ?? before.name, roles: roles ?? before.roles };
    const changed = changedRoles(before.roles, after.roles);
    requireGivable(settings, now, changed);
    requireFreeName(now.org.record, after);
    if (changed.length === 0 && after.name === before.name) return { result: before };
    return teamsDecision(realm, asked.exchange, now, {
      teams: teams.map((team) => (team.id === after.id ? after : team)),
      action: "org.team.update",
      details: { team: after.id, from: before.roles, to: after.roles },
      result: after,
    });
  };
  const patched = await changeAs(realm, standing, change);
  return teamView(settings, patched);
});

/** What members' records still say of it counts for nothing, and is dropped when they are written next. */
export const deleteTeam = memberRoute(contract.deleteTeam, (realm) => async (asked, standing) => {
  await changeAs(realm, standing, async (now) => {
    const { record: before } = now.org;
    const team = requireTeam(before, asked.params.team);
    requireGivable(realm.settings, now, team.roles);
    return teamsDecision(realm, asked.exchange, now, {
      teams: before.teams.filter(({ id }) => id !== team.id),
      action: "org.team.delete",
      details: { team: team.id, roles: team.roles },
      result: undefined,
    });
  });
});

/** What becomes of the teams of an organization, and how the audit trail tells of it. */
interface TeamsChange<T> extends Pick<AuditEntry, "action" | "details"> {
  readonly teams: readonly TeamRecord[];
  readonly result: T;
}

/** @throws ApiError `last_org_manager` */
async function teamsDecision<T>(
  realm: OrganizationRealm,
  exchange: Exchange,
  { caller, org: { record: before } }: Standing,
  { teams, result, ...entry }: TeamsChange<T>,
): Promise<Decision<T>> {
  const settled = await settleManagers(realm, { before, after: { ...before, teams } });
  return {
    org: settled.org,
    result,
    along: async (transaction) => {
      await settled.along(transaction);
      await appendAudit(realm, transaction, exchange, caller, { ...entry, target: `org:${before.id}` });
    },
  };
}

/** A team as answers carry it; roles that the configuration no longer has are left out. */
function teamView(settings: OrganizationSettings, { id, name, roles }: TeamRecord): JsonObject {
  return { id, name, roles: roles.filter((role) => isOrganizationRole(settings, role)) };
}

/** @throws ApiError `not_found` */
export function requireTeam({ teams }: OrganizationRecord, id: string | undefined): TeamRecord {
  const team = teams.find((each) => each.id === id);
  if (team === undefined) throw new ApiError("not_found", "There is no such team.");
  return team;
}

/**
 * The teams of an organization that a body names in its `teams`.
 * @throws ApiError `validation_error`
 */
export function requireTeams(org: OrganizationRecord, ids: readonly string[]): readonly TeamRecord[] {
  const teams = teamsOf(org, ids);
  const unknown = ids.flatMap((id, at) =>
    teams.some((team) => team.id === id)
      ? []
      : [{ path: `teams.${at}`, reason: "is no team of the organization" }],
  );
  if (unknown.length > 0) throw invalidBody(unknown);
  return teams;
}

function teamLimitReached(message: string): ApiError {
  return new ApiError("team_limit_reached", message);
}

/** @throws ApiError `team_name_taken` */
function requireFreeName({ teams }: OrganizationRecord, { id, name }: TeamRecord): void {
  if (teams.some((team) => team.id !== id && team.name === name))
    throw new ApiError("team_name_taken", "Another team of the organization has this name.");
}

/** A member's record without what it says of teams that the organization no longer has. */
export function inTeamsOf(org: OrganizationRecord, member: MemberRecord): MemberRecord {
  const has = (id: string): boolean => org.teams.some((team) => team.id === id);
  return {
    ...member,
    teams: member.teams.filter(has),
    team_roles: member.team_roles.filter(({ team }) => has(team)),
  };
}

/** @throws ApiError `team_limit_reached` where these are more teams than a member may be in */
export function requireTeamsWithin(
  { maxTeamsPerMember }: OrganizationSettings,
  teams: readonly string[],
): void {
  if (teams.length > maxTeamsPerMember) {
    throw teamLimitReached(`A member is in at most ${maxTeamsPerMember} teams.`);
  }
}
