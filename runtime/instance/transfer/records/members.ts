import { collections } from "../../../organizations/collections.ts";
import {
  type MemberRecord,
  memberId,
  readMember,
  type TeamRoleRecord,
  writeMember,
} from "../../../organizations/records.ts";
import { isTeamRole } from "../../../organizations/team-roles.ts";
import type { OrganizationSettings } from "../../../realm/organizations.ts";
import { alternatives } from "../../../suggest.ts";
import { checked, type Fields, generatedId, like, strings, time } from "./fields.ts";
import type { RecordForm, RecordKind } from "./kind.ts";
import { heldOf, organizationRolesIn } from "./organizations.ts";

/** Members of organizations with their roles, teams, and roles in teams. Service members go with their keys. */
export const memberKind: RecordKind = {
  asked: "organizations",
  path: "_members",
  collection: collections.members,
  taken: "the organization has this member",
  clashes: {},
  action: "org.member.import",
  of: ({ accounts }) => accounts?.organizations && formOf(accounts.organizations),
};

function formOf(settings: OrganizationSettings): RecordForm {
  return {
    shown(stored, all) {
      const { id, org, user, service, roles, teams, team_roles, created_at } = readMember(stored).record;
      if (service !== undefined && !all.has("keys")) return undefined;
      const held = team_roles.filter(({ role }) => isTeamRole(settings, role));
      return {
        ...{ id, org, user, ...(service !== undefined && { service }), roles: heldOf(settings, roles) },
        teams: [...teams],
        team_roles: held.map(({ team, role, from, until }) => ({ team, role, from, until })),
        created_at,
      };
    },
    idIn: ({ id, org, user }) =>
      id ?? (typeof org === "string" && typeof user === "string" ? memberId(org, user) : undefined),
    isGenerated: false,
    fits: () => true,
    made(fields, id, now, found) {
      const before = found && readMember(found);
      const org = fields.required("org", generatedId, "");
      const user = fields.required("user", generatedId, "");
      if (id !== memberId(org, user)) fields.tell("id", "must be <org>.<user>");
      const service = fields.optional("service", checked("name"), undefined);
      const record: MemberRecord = {
        ...{ id, org, user, ...(service !== undefined && { service }) },
        roles: organizationRolesIn(fields, settings),
        teams: [...new Set(fields.optional("teams", strings, []))],
        team_roles: teamRolesIn(fields, settings),
        created_at: fields.optional("created_at", time, before?.record.created_at ?? now),
      };
      return {
        document: writeMember(record, (before?.version ?? 0) + 1),
        names: service === undefined ? { org, user } : { org, key: user },
      };
    },
  };
}

function teamRolesIn(fields: Fields, settings: OrganizationSettings): readonly TeamRoleRecord[] {
  const held = fields.each("team_roles", (each) => {
    const role = each.required("role", like(/^.{1,200}$/u, "the name of a role"), "");
    const names = settings.teamRoles.map(({ name }) => name);
    if (role !== "" && !isTeamRole(settings, role))
      each.tell("role", `is ${JSON.stringify(role)}, and roles in teams are ${alternatives(names)}`);
    const [from, until] = [each.optional("from", time, null), each.optional("until", time, null)];
    if (from !== null && until !== null && from >= until) each.tell("until", "must be after from");
    return { team: each.required("team", generatedId, ""), role, from, until };
  });
  if (new Set(held.map(({ team, role }) => `${team} ${role}`)).size < held.length)
    fields.tell("team_roles", "must have each role in a team once");
  return held;
}
