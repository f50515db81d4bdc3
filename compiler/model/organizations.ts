/** `organizations` of realm.yaml to the model. What is faulty there is left out or at its default. */
import { manageEntries } from "../../runtime/realm/organizations.ts";
import type { SourceFile } from "../source/source.ts";
import { flag, type Given, number, object, oneOf, present, someOf, text, texts } from "./given.ts";
import type { Realm } from "./model.ts";
import { ruleAt } from "./rule-source.ts";

export function organizationsOf(file: SourceFile, realm: Given): Pick<Realm, "organizations"> {
  if (realm.find("organizations", object) === undefined) return {};
  const given = realm.in("organizations");
  return {
    organizations: {
      ...present({ create: ruleAt(file, ["organizations", "create"], "create") }),
      roles: given
        .in("roles")
        .named()
        .map(([name, role]) => ({ name, manage: role.read("manage", someOf(...manageEntries)) })),
      creatorRoles: given.read("creator_roles", texts),
      defaultRoles: given.read("default_roles", texts),
      teamRoles: given
        .in("team_roles")
        .named()
        .map(([name, role]) => ({ name, grants: role.read("grants", texts) })),
      ...present({ maxCreatedPerUser: given.find("max_created_per_user", number) }),
      membersVisibleTo: given.read("members_visible_to", oneOf("members", "managers", "nobody")),
      allowRequireMfa: given.read("allow_require_mfa", flag),
      ...present({ invitationLink: given.find("invitation_link", text) }),
      maxTeamsPerOrg: given.read("max_teams_per_org", number),
      maxTeamsPerMember: given.read("max_teams_per_member", number),
      maxPendingInvitations: given.read("max_pending_invitations", number),
    },
  };
}
