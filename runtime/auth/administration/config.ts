import { timestamp } from "../../clock.ts";
import * as contract from "../../contract/administration.ts";
import { effectiveDatabases } from "../../realm/effective.ts";
import { recordedConfigurations } from "../../realm/recorded.ts";
import { collections } from "../collections.ts";
import { administratorRoute } from "../contracted.ts";
import { type ConfigRecord, readConfig, writeConfig } from "../records.ts";
import { appendAudit } from "./audit.ts";
import { putRecord } from "./put.ts";

/** Characters of JSON: rules read it, and it is kept in memory. */
const longest = 65_536;

export const getConfig = administratorRoute(contract.getConfig, (realm) => {
  const { definition, fingerprint, expandLimits } = realm;
  const configured = definition.effective.realm;
  const databases = effectiveDatabases(definition, expandLimits);
  return async () => {
    const effective = { ...configured, app_config: await realm.appConfig.current() };
    return { fingerprint, realm: effective, databases };
  };
});

export const listConfigurations = administratorRoute(contract.listConfigurations, ({ store }) => async () => {
  const recorded = await recordedConfigurations(store);
  return {
    items: recorded.map(({ fingerprint, provisionedAt, files }) => ({
      ...{ fingerprint, provisioned_at: provisionedAt, files },
    })),
  };
});

export const getAppConfig = administratorRoute(
  contract.getAppConfig,
  (realm) => () => realm.appConfig.current(),
);

export const putAppConfig = administratorRoute(
  contract.putAppConfig,
  (realm) =>
    async ({ exchange, body }, { caller }) => {
      const config = body((given, tell) => {
        if (JSON.stringify(given).length > longest) tell("", `must have at most ${longest} characters`);
      });
      const now = timestamp(realm.clock.now());
      await putRecord<ConfigRecord>(realm.store, {
        collection: collections.config,
        id: "app_config",
        read: readConfig,
        write: writeConfig,
        next: (before) => ({
          id: "app_config",
          value: JSON.stringify(config),
          created_at: before?.created_at ?? now,
          updated_at: now,
        }),
        along: (transaction) =>
          appendAudit(realm, transaction, exchange, caller, { action: "config.app", target: "config:app" }),
      });
      return config;
    },
);
