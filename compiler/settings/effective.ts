/**
 * What of a realm's configuration is in effect, in the terms of `realm.yaml` and `collection.yaml`, defaults filled in, as
 * administrators read it; fields and indexes the server knows by their definitions. Of a rule it says whether it is `true`, `false` or an expression.
 */
import type { JsonObject } from "../../runtime/json.ts";
import type { EffectiveConfiguration } from "../../runtime/realm/definition.ts";
import type { Realm } from "../model/model.ts";
import type { RulesStage } from "../rules/compiled.ts";
import { collectionSettings } from "./collection.ts";
import { functionSettings } from "./function.ts";
import { realmSettings } from "./realm.ts";
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
      ...merged(realmSettings.map((setting) => setting.effective({ realm, rules }))),
    },
    ...(realm.functions.length === 0 ? {} : { functions: functionsOf(realm, rules) }),
    databases: Object.fromEntries(databases.filter(([, collections]) => Object.keys(collections).length > 0)),
  };
}

/** By `<database>/<function>`. */
function functionsOf({ functions, auth }: Realm, rules: RulesStage): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(
    functions.map((fn) => {
      const name = `${fn.database}/${fn.name}`;
      const of = { fn, auth, compiled: rules.functions.get(name) ?? { whens: [] } };
      return [name, merged(functionSettings.map((setting) => setting.effective(of)))];
    }),
  );
}
