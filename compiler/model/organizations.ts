/** `organizations` of realm.yaml to the model. What is faulty there is left out or at its default. */
import { isJsonObject, type JsonValue } from "../../runtime/json.ts";
import { manageEntries } from "../../runtime/realm/organizations.ts";
import type { SourceFile } from "../source/source.ts";
import { objectOf, stringsOf, textOf } from "./collection.ts";
import type { Organizations, Realm } from "./model.ts";
import { ruleAt } from "./rule-source.ts";

export function organizationsOf(file: SourceFile): Pick<Realm, "organizations"> {
  const given = file.value.organizations;
  if (!isJsonObject(given)) return {};
  const { max_created_per_user: maxCreatedPerUser, members_visible_to: visibleTo } = given;
  const create = ruleAt(file, ["organizations", "create"], "create");
  const invitationLink = textOf(given.invitation_link);
  return {
    organizations: {
      ...(create === undefined ? {} : { create }),
      roles: rolesOf(given.roles),
      creatorRoles: stringsOf(given.creator_roles),
      defaultRoles: stringsOf(given.default_roles),
      teamRoles: teamRolesOf(given.team_roles),
      ...(typeof maxCreatedPerUser === "number" ? { maxCreatedPerUser } : {}),
      membersVisibleTo: visibleTo === "managers" || visibleTo === "nobody" ? visibleTo : "members",
      allowRequireMfa: given.allow_require_mfa === true,
      ...(invitationLink === undefined ? {} : { invitationLink }),
      maxTeamsPerOrg: numberOf(given.max_teams_per_org) ?? 50,
      maxTeamsPerMember: numberOf(given.max_teams_per_member) ?? 20,
      maxPendingInvitations: numberOf(given.max_pending_invitations) ?? 500,
    },
  };
}

function rolesOf(value: JsonValue | undefined): Organizations["roles"] {
  const given = objectOf(value);
  return Object.keys(given)
    .sort()
    .map((name) => {
      const named = stringsOf(objectOf(given[name]).manage);
      return { name, manage: manageEntries.filter((entry) => named.includes(entry)) };
    });
}

function teamRolesOf(value: JsonValue | undefined): Organizations["teamRoles"] {
  const given = objectOf(value);
  return Object.keys(given)
    .sort()
    .map((name) => ({ name, grants: stringsOf(objectOf(given[name]).grants) }));
}

function numberOf(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}
