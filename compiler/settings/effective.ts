/**
 * What of a realm's configuration is in effect, in the terms of `realm.yaml` and `collection.yaml`, defaults filled in, as
 * administrators read it; fields and indexes the server knows by their definitions. Of a rule it says whether it is `true`, `false` or an expression.
 */
import type { JsonObject } from "../../runtime/json.ts";
import type { EffectiveConfiguration, Role } from "../../runtime/realm/definition.ts";
import { printDuration, printRate } from "../../runtime/units.ts";
import type { Organizations, Realm } from "../model/model.ts";
import type { RulesStage } from "../rules/compiled.ts";
import { collectionSettings } from "./collection.ts";
import { realmSettings } from "./realm.ts";
import { ruleText } from "./rules.ts";
import { merged } from "./setting.ts";

export function effectiveOf(realm: Realm, rules: RulesStage): EffectiveConfiguration {
  const databases = realm.databases.map((database) => {
    const collections = database.collections.map((collection) => {
      const place = `${database.name}/${collection.name}`;
      const compiled = rules.collections.get(place) ?? { rules: {}, fieldRules: [] };
      const of = { collection, auth: realm.auth, compiled };
      return [collection.name, merged(collectionSettings.map((setting) => setting.effective(of)))];
    });
    return [database.name, Object.fromEntries(collections)];
  });
  return {
    realm: {
      name: realm.name,
      auth: realm.auth ? "enabled" : "disabled",
      ...(realm.auth && accountSettings(realm, rules)),
      ...merged(realmSettings.map((setting) => setting.effective({ realm, rules }))),
    },
    databases: Object.fromEntries(databases.filter(([, collections]) => Object.keys(collections).length > 0)),
  };
}

function accountSettings(realm: Realm, rules: RulesStage): JsonObject {
  const { signup, signupLimit, roles, defaultRoles, profile, sessions, totp, email, organizations } = realm;
  const { cookie } = sessions;
  return {
    signup,
    signup_limit: {
      address: printRate(signupLimit.address),
      network: printRate(signupLimit.network),
    },
    roles: Object.fromEntries(roles.map((role) => [role.name, roleSettings(role)])),
    default_roles: defaultRoles,
    // Whether profiles have a schema.
    profile: profile !== undefined,
    sessions: {
      lifetime: printDuration(sessions.lifetime),
      idle_timeout: printDuration(sessions.idleTimeout),
      cookie: cookie === undefined ? { enabled: false } : { enabled: true, same_site: cookie.sameSite },
      admin_idle_timeout: printDuration(sessions.adminIdleTimeout),
      admin_max_lifetime: printDuration(sessions.adminMaxLifetime),
    },
    mfa: { totp },
    email:
      email === undefined
        ? null
        : { from: email.from, reset_link: email.resetLink ?? null, verify_link: email.verifyLink ?? null },
    organizations: organizations === undefined ? null : organizationSettings(organizations, rules),
  };
}

function roleSettings({ admin }: Role): JsonObject {
  return admin === undefined ? {} : { admin };
}

function organizationSettings(settings: Organizations, { createOrganization }: RulesStage): JsonObject {
  return {
    create: ruleText(createOrganization),
    roles: Object.fromEntries(settings.roles.map(({ name, manage }) => [name, { manage }])),
    creator_roles: settings.creatorRoles,
    default_roles: settings.defaultRoles,
    team_roles: Object.fromEntries(settings.teamRoles.map(({ name, grants }) => [name, { grants }])),
    max_created_per_user: settings.maxCreatedPerUser ?? null,
    members_visible_to: settings.membersVisibleTo,
    allow_require_mfa: settings.allowRequireMfa,
    invitation_link: settings.invitationLink ?? null,
    max_teams_per_org: settings.maxTeamsPerOrg,
    max_teams_per_member: settings.maxTeamsPerMember,
    max_pending_invitations: settings.maxPendingInvitations,
  };
}
