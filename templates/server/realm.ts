import type { Collection, Database, Realm, RealmFunction } from "../../compiler/model/model.ts";
import type { RulesStage } from "../../compiler/rules/compiled.ts";
import { realmSettings } from "../../compiler/settings/realm.ts";
import { type CompiledRealm, merged, type Parts } from "../../compiler/settings/setting.ts";
import { patternOf } from "../../runtime/contract/contract.ts";
import { batchRoute } from "../../runtime/contract/documents.ts";
import type { RealmDefinition } from "../../runtime/realm/definition.ts";
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
import { emittedInOrder } from "../print/emitted.ts";
import { collectionName, functionName, realmName, routesName, runtime } from "./names.ts";

/** `realm.ts`: the realm's settings, its collections and all of its routes. */
export function realmModule(realm: Realm, rules: RulesStage): EmittedFile {
  const collections = realm.databases.flatMap((database) => database.collections);
  const module = object([
    property("definition", definition({ realm, rules }, collections)),
    property("routes", routes(realm, collections)),
  ]);
  return emitModule({
    path: `${realm.name}/realm.ts`,
    sources: [`${realm.name}/realm.yaml`],
    body: code`export const ${declared(realmName(realm.name))}: ${importedType("RealmModule", runtime)} = ${module};`,
  });
}

function definition(of: CompiledRealm, collections: readonly Collection[]): Code {
  const { realm } = of;
  const parts: Parts<RealmDefinition> = {
    name: realm.name,
    accounts: realm.auth
      ? emittedInOrder(accountOrder, merged(realmSettings.map((setting) => setting.accounts(of))))
      : undefined,
    ...merged(realmSettings.map((setting) => setting.definition(of))),
    collections: collections.map(collectionCode),
    functions: realm.functions.length === 0 ? undefined : realm.functions.map(functionCode),
    effective: importedDefault("effective", "./effective.json", { type: "json" }),
  };
  return emittedInOrder(order, parts);
}

/** In which reviewers read what is declared. */
const order: readonly string[] = [
  ...["name", "accounts", "origins", "appConfig", "readsAppConfig", "adminNetworks", "openapi", "realtime"],
  ...["functionLimits", "storage", "migrations", "collections", "functions", "effective"],
];
const accountOrder: readonly string[] = [
  ...["signup", "signupLimit", "roles", "defaultRoles", "validateProfile", "sessionLifetime"],
  ...["sessionIdleTimeout", "adminIdleTimeout", "adminMaxLifetime", "readAccess", "cookie", "email", "totp"],
  "tokens",
];

/** In realms with organizations. */
const organizationFactories = ["organizationRoutes", "organizationAdministrationRoutes"];

function routes(realm: Realm, collections: readonly Collection[]): Code {
  const ofRealm = (factory: string): Code => code`${imported(factory, runtime)}(${literal(realm.name)})`;
  return array([
    when(realm.openapi !== "off", () => ofRealm("descriptionRoutes")),
    when(realm.auth, () => ofRealm("accountRoutes")),
    when(realm.auth && realm.totp, () => ofRealm("secondFactorRoutes")),
    when(realm.auth && realm.tokens, () => ofRealm("tokenRoutes")),
    ofRealm("administrationRoutes"),
    ofRealm("jobRoutes"),
    ofRealm("migrationRoutes"),
    ofRealm("realtimeRoutes"),
    when(realm.auth, () => ofRealm("userAdministrationRoutes")),
    ...organizationFactories.map((factory) => given(realm.organizations, () => ofRealm(factory))),
    when(realm.organizations?.keys === true, () => ofRealm("organizationKeyRoutes")),
    code`${imported("dataRoutes", runtime)}(${literal(realm.name)}, ${array(collections.map(collectionCode))})`,
    ...collections.map(routesOf),
    ...realm.databases.map((database) => batch(realm, database)),
    when(
      realm.storage !== undefined,
      () =>
        code`${imported("fileRoutes", runtime)}(${literal(realm.name)}, ${array(collections.map(collectionCode))})`,
    ),
    when(
      realm.functions.length > 0,
      () =>
        code`${imported("functionRoutes", runtime)}(${literal(realm.name)}, ${array(realm.functions.map(functionCode))})`,
    ),
  ]);
}

function batch(realm: Realm, { name, collections }: Database): Code {
  const handler = code`${imported("batchRoute", runtime)}(${literal(name)}, ${array(collections.map(collectionCode))})`;
  const { method, path } = batchRoute;
  return object([
    property(patternOf(`/v1/${realm.name}`, path, { database: name }), object([property(method, handler)])),
  ]);
}

function functionCode(fn: RealmFunction): Code {
  return imported(functionName(fn), `./${fn.database}/_func/${fn.name}/function.ts`);
}

function collectionCode(collection: Collection): Code {
  return imported(collectionName(collection), modulePath(collection));
}

function routesOf(collection: Collection): Code {
  return imported("routes", modulePath(collection), routesName(collection));
}

function modulePath({ database, name }: Collection): string {
  return `./${database}/${name}/routes.ts`;
}
