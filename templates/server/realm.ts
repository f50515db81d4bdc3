import type { Collection, Database, Organizations, Realm } from "../../compiler/model/model.ts";
import type { RulesStage } from "../../compiler/rules/compiled.ts";
import {
  array,
  type Code,
  code,
  declared,
  type EmittedFile,
  emitModule,
  given,
  imported,
  importedDefault,
  importedType,
  literal,
  object,
  property,
  when,
} from "../print/code.ts";
import { collectionName, realmName, routesName, runtime } from "./names.ts";
import { organizationCreate } from "./rules.ts";

/** `realm.ts`: the realm's settings, its collections and all of its routes. */
export function realmModule(realm: Realm, rules: RulesStage): EmittedFile {
  const collections = realm.databases.flatMap((database) => database.collections);
  return emitModule({
    path: `${realm.name}/realm.ts`,
    sources: [`${realm.name}/realm.yaml`],
    body: code`export const ${declared(realmName(realm.name))}: ${importedType("RealmModule", runtime)} = ${object(
      [
        property(
          "definition",
          object([
            property("name", realm.name),
            when(realm.auth, () => property("accounts", accounts(realm, rules))),
            property("origins", realm.origins),
            property("appConfig", realm.appConfig),
            given(realm.admin.allowedNetworks, (networks) => property("adminNetworks", networks)),
            when(realm.openapi !== "off", () =>
              property(
                "openapi",
                object([property("access", realm.openapi), property("document", description)]),
              ),
            ),
            given(realm.realtime, ({ limits }) => property("realtime", { ...limits })),
            property("collections", array(collections.map(definitionOf))),
          ]),
        ),
        property("routes", routes(realm, collections)),
      ],
    )};`,
  });
}

const description = importedDefault("openapi", "./openapi.json", { type: "json" });

function accounts(realm: Realm, rules: RulesStage): Code {
  const { signup, signupLimit, roles, defaultRoles, profile, sessions, email, totp, organizations } = realm;
  return object([
    property("signup", signup),
    property("signupLimit", { address: { ...signupLimit.address }, network: { ...signupLimit.network } }),
    property(
      "roles",
      roles.map(({ name, admin }) => ({ name, admin })),
    ),
    property("defaultRoles", defaultRoles),
    given(profile, () =>
      property("validateProfile", imported("validate", "./profile.validate.js", "validateProfile")),
    ),
    property("sessionLifetime", sessions.lifetime),
    property("sessionIdleTimeout", sessions.idleTimeout),
    property("adminIdleTimeout", sessions.adminIdleTimeout),
    property("adminMaxLifetime", sessions.adminMaxLifetime),
    property("readAccess", realm.admin.readAccess),
    given(sessions.cookie, ({ sameSite }) => property("cookie", { sameSite })),
    given(email, ({ from, resetLink, verifyLink }) => property("email", { from, resetLink, verifyLink })),
    when(totp, () => property("totp", totp)),
    given(organizations, (settings) => property("organizations", organizationSettings(settings, rules))),
  ]);
}

function organizationSettings(settings: Organizations, rules: RulesStage): Code {
  return object([
    given(organizationCreate(rules), (create) => property("create", create)),
    property(
      "roles",
      settings.roles.map(({ name, manage }) => ({ name, manage })),
    ),
    property("creatorRoles", settings.creatorRoles),
    property("defaultRoles", settings.defaultRoles),
    property(
      "teamRoles",
      settings.teamRoles.map(({ name, grants }) => ({ name, grants })),
    ),
    given(settings.maxCreatedPerUser, (limit) => property("maxCreatedPerUser", limit)),
    property("membersVisibleTo", settings.membersVisibleTo),
    property("allowRequireMfa", settings.allowRequireMfa),
    given(settings.invitationLink, (link) => property("invitationLink", link)),
    property("maxTeamsPerOrg", settings.maxTeamsPerOrg),
    property("maxTeamsPerMember", settings.maxTeamsPerMember),
    property("maxPendingInvitations", settings.maxPendingInvitations),
  ]);
}

/** In realms with organizations. */
const organizationFactories = ["organizationRoutes", "organizationAdministrationRoutes"];

function routes(realm: Realm, collections: readonly Collection[]): Code {
  const ofRealm = (factory: string): Code => code`${imported(factory, runtime)}(${literal(realm.name)})`;
  return array([
    when(realm.openapi !== "off", () => ofRealm("descriptionRoutes")),
    when(realm.auth, () => ofRealm("accountRoutes")),
    when(realm.auth && realm.totp, () => ofRealm("secondFactorRoutes")),
    ofRealm("administrationRoutes"),
    ofRealm("jobRoutes"),
    ofRealm("realtimeRoutes"),
    when(realm.auth, () => ofRealm("userAdministrationRoutes")),
    ...organizationFactories.map((factory) => given(realm.organizations, () => ofRealm(factory))),
    code`${imported("dataRoutes", runtime)}(${literal(realm.name)}, ${array(collections.map(definitionOf))})`,
    ...collections.map(routesOf),
    ...realm.databases.map((database) => batch(realm, database)),
  ]);
}

function batch(realm: Realm, { name, collections }: Database): Code {
  const handler = code`${imported("batchRoute", runtime)}(${literal(name)}, ${array(collections.map(definitionOf))})`;
  return object([property(`/v1/${realm.name}/${name}/_batch`, object([property("POST", handler)]))]);
}

function definitionOf(collection: Collection): Code {
  return imported(collectionName(collection), modulePath(collection));
}

function routesOf(collection: Collection): Code {
  return imported("routes", modulePath(collection), routesName(collection));
}

function modulePath({ database, name }: Collection): string {
  return `./${database}/${name}/routes.ts`;
}
