import { parseArgs } from "node:util";
import { systemCollections } from "../auth/collections.ts";
import { createKey, type NewKey } from "../auth/keys.ts";
import { checkTargetsExist, parseScopes } from "../auth/scopes.ts";
import type { Clock } from "../clock.ts";
import { openStores } from "../store/engines.ts";
import { type Program, realmsCalled, type Surroundings, UsageError } from "./command.ts";
import { readSettings } from "./settings.ts";
import { parseDuration } from "./units.ts";

export const keyUsage = `key create --realm <realm> --name <name> [--admin] [--scopes <JSON>]
                         [--networks <network,…>] [--expires-in 30d] [--replace]`;

/**
 * `key create`: makes an API key and prints it, alone, on the last line of stdout. Works beside a running server.
 * @throws UsageError | BadSettings | InvalidKey | InvalidScopes
 */
export async function createKeyCommand(
  { realms }: Program,
  words: readonly string[],
  { environment, out, err }: Surroundings,
  clock: Clock,
): Promise<void> {
  const { realm, ...key } = parseWords(words, clock);
  const [module] = realmsCalled(realm, realms);
  if (key.scopes !== undefined) checkTargetsExist(key.scopes, module.definition.collections);
  const { store: location, queryTime } = readSettings(environment);
  if (location.engine === "sqlite" && location.folder === ":memory:") {
    throw new Error("SVC_STORE is sqlite::memory:, where a key made by a command would be gone at once");
  }
  const stores = await openStores({ location, setting: "SVC_STORE", clock, queryTime });
  try {
    const store = await stores.open(realm);
    // Documents and their indexes are left to the server: a running one may serve another build of the realm.
    await store.provision(systemCollections(module.definition));
    const token = await createKey(store, clock, key);
    err(`key ${JSON.stringify(key.name)} of realm ${realm}; it is shown this once:`);
    out(token);
  } finally {
    await stores.close();
  }
}

function parseWords(words: readonly string[], clock: Clock): NewKey & { realm: string } {
  const { realm, name, admin = false, replace = false, ...values } = options(words);
  if (realm === undefined) throw new UsageError("--realm is missing");
  if (name === undefined) throw new UsageError("--name is missing");
  const lifetime = values["expires-in"] === undefined ? undefined : duration(values["expires-in"]);
  return {
    realm,
    name,
    admin,
    replace,
    scopes: values.scopes === undefined ? undefined : parseScopes(values.scopes),
    networks: values.networks?.flatMap((list) => list.split(",").map((entry) => entry.trim())),
    expiresAt: lifetime === undefined ? undefined : clock.now() + lifetime,
  };
}

function options(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      options: {
        realm: { type: "string" },
        name: { type: "string" },
        admin: { type: "boolean" },
        scopes: { type: "string" },
        networks: { type: "string", multiple: true },
        "expires-in": { type: "string" },
        replace: { type: "boolean" },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function duration(text: string): number {
  const value = parseDuration(text);
  if (value === undefined || value === 0)
    throw new UsageError(`--expires-in must be a duration such as 30d, not ${text}`);
  return value;
}
