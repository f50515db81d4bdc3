/** `organizations`: users work together in them, in roles of their own. */
import type { JsonObject } from "../../../../runtime/json.ts";
import { manageEntries } from "../../../../runtime/realm/organizations.ts";
import { type Code, code, imported } from "../../../../templates/print/code.ts";
import { flag, number, object, oneOf, present, someOf, text, texts } from "../../../model/given.ts";
import type { Organizations, Realm } from "../../../model/model.ts";
import { ruleAt } from "../../../model/rule-source.ts";
import type { RulesStage } from "../../../rules/compiled.ts";
import { helper } from "../../../rules/print/values.ts";
import { ruleText } from "../../rules.ts";
import { accountSetting } from "../auth.ts";
import { link } from "../links.ts";
import { checks, codes } from "./checks.ts";
import { changes, compareOrganizations } from "./compare.ts";
import { inProfile, profileMember, shownCodes, shownMembers } from "./members-show.ts";

declare module "../../../model/model.ts" {
  interface Realm {
    readonly organizations?: Organizations;
  }
}

/** Who may create an organization; undefined where nobody may. */
function createCode({ createOrganization: rule }: RulesStage): Code | undefined {
  if (rule === undefined || rule.facts.constant === false) return undefined;
  return rule.facts.constant
    ? code`${helper("allowed")}.check`
    : imported("createOrganization", "./rules.ts");
}

function effectiveOf(settings: Organizations, { createOrganization }: RulesStage): JsonObject {
  return {
    create: ruleText(createOrganization),
    roles: Object.fromEntries(settings.roles.map(({ name, manage }) => [name, { manage }])),
    creator_roles: settings.creatorRoles,
    default_roles: settings.defaultRoles,
    team_roles: Object.fromEntries(settings.teamRoles.map(({ name, grants }) => [name, { grants }])),
    max_created_per_user: settings.maxCreatedPerUser ?? null,
    members_visible_to: settings.membersVisibleTo,
    members_show: settings.membersShow.map((name) => `${inProfile}${name}`),
    allow_require_mfa: settings.allowRequireMfa,
    keys: settings.keys,
    invitation_link: settings.invitationLink ?? null,
    invitations_sign_up: settings.invitationsSignUp,
    invitation_mail: { ...settings.invitationMail },
    max_teams_per_org: settings.maxTeamsPerOrg,
    max_teams_per_member: settings.maxTeamsPerMember,
    max_pending_invitations: settings.maxPendingInvitations,
  };
}

export const organizations = accountSetting(["organizations"], {
  chapter: "Organizations",
  codes: { ...codes, ...shownCodes },
  changes,
  checks: [...checks, shownMembers, link("organizations", "invitation_link")],
  compare: (old, now, report) => compareOrganizations(old.realm, now.realm, report),
  read: ({ file, given: of }): Pick<Realm, "organizations"> => {
    if (of.find("organizations", object) === undefined) return {};
    const given = of.in("organizations");
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
        membersShow: (given.find("members_show", texts) ?? []).flatMap((path) => profileMember(path) ?? []),
        allowRequireMfa: given.read("allow_require_mfa", flag),
        keys: given.read("keys", flag),
        ...present({ invitationLink: given.find("invitation_link", text) }),
        invitationsSignUp: given.read("invitations_sign_up", flag),
        invitationMail: { names: given.in("invitation_mail").read("names", flag) },
        maxTeamsPerOrg: given.read("max_teams_per_org", number),
        maxTeamsPerMember: given.read("max_teams_per_member", number),
        maxPendingInvitations: given.read("max_pending_invitations", number),
      },
    };
  },
  accounts: ({ realm: { organizations: own }, rules }) => ({
    organizations: own && { ...own, create: createCode(rules) },
  }),
  effective: ({ realm: { organizations: own }, rules }) => ({
    organizations: own === undefined ? null : effectiveOf(own, rules),
  }),
});
