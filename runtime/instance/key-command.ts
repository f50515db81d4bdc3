import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { systemCollections } from "../auth/collections.ts";
import { allKeys, createKey, endKey, InvalidKey, keyProblemsIn, type NewKey } from "../auth/keys.ts";
import { readScopes } from "../auth/scopes.ts";
import type { Clock } from "../clock.ts";
import type { JsonValue } from "../json.ts";
import { adminAreas, areasAmong } from "../realm/administration.ts";
import type { KeyScopes } from "../realm/caller.ts";
import type { RealmDefinition } from "../realm/definition.ts";
import type { Store } from "../store/contract/store.ts";
import { openStores } from "../store/engines.ts";
import { parseDuration } from "../units.ts";
import { type Program, realmsCalled, type Surroundings, UsageError } from "./command.ts";
import { readSettings } from "./settings.ts";

export const keyUsage = `key create --realm <realm> --name <name> [--admin | --areas <area,…>] [--scopes <JSON>]
                         [--on-behalf-of] [--networks <network,…>] [--expires-in 30d] [--replace]
       server key list --realm <realm>
       server key revoke --realm <realm> --name <name>`;

/**
 * `key create` makes an API key and prints it, alone, on the last line of stdout; `key list` prints what each key of a
 * realm may do, a line of JSON each; `key revoke` ends one. They work beside a running server.
 * @returns false for another word after `key`
 * @throws UsageError | BadSettings | InvalidKey | KeyNameTaken
 */
export async function keyCommand(
  program: Program,
  words: readonly string[],
  surroundings: Surroundings,
  clock: Clock,
): Promise<boolean> {
  const [action, ...rest] = words;
  if (action === "create") await create(program, rest, surroundings, clock);
  else if (action === "list") await list(program, rest, surroundings, clock);
  else if (action === "revoke") await revoke(program, rest, surroundings, clock);
  else return false;
  return true;
}

async function create(
  program: Program,
  words: readonly string[],
  surroundings: Surroundings,
  clock: Clock,
): Promise<void> {
  const { realm, ...key } = parseWords(words, clock);
  const { out, err } = surroundings;
  const [{ definition }] = realmsCalled(realm, program.realms);
  const problems = keyProblemsIn(definition, key);
  if (problems.length > 0) throw new InvalidKey(problems);
  await withStore(definition, surroundings, clock, async (store) => {
    const token = await createKey(store, clock, key);
    err(`key ${JSON.stringify(key.name)} of realm ${realm}; it is shown this once:`);
    out(token);
  });
}

async function list(
  { realms }: Program,
  words: readonly string[],
  surroundings: Surroundings,
  clock: Clock,
): Promise<void> {
  const realm = required("realm", options(words, { realm: { type: "string" } }).realm);
  const [{ definition }] = realmsCalled(realm, realms);
  await withStore(definition, surroundings, clock, async (store) => {
    for await (const key of allKeys(store)) surroundings.out(JSON.stringify(key));
  });
}

async function revoke(
  { realms }: Program,
  words: readonly string[],
  surroundings: Surroundings,
  clock: Clock,
): Promise<void> {
  const values = options(words, { realm: { type: "string" }, name: { type: "string" } });
  const realm = required("realm", values.realm);
  const name = required("name", values.name);
  const [{ definition }] = realmsCalled(realm, realms);
  await withStore(definition, surroundings, clock, async (store) => {
    if (!(await endKey(store, clock, name))) {
      throw new Error(`realm ${realm} has no key named ${JSON.stringify(name)}`);
    }
  });
}

async function withStore(
  definition: RealmDefinition,
  { environment }: Surroundings,
  clock: Clock,
  work: (store: Store) => Promise<void>,
): Promise<void> {
  const { store: location, queryTime } = readSettings(environment);
  if (location.engine === "sqlite" && location.folder === ":memory:") {
    throw new Error(
      "SVC_STORE is sqlite::memory:, which lives in the server alone: no command reaches its keys",
    );
  }
  const stores = await openStores({ location, setting: "SVC_STORE", clock, queryTime });
  try {
    const store = await stores.open(definition.name);
    // Documents and their indexes are left to the server: a running one may serve another build of the realm.
    await store.provision(systemCollections(definition));
    await work(store);
  } finally {
    await stores.close();
  }
}

function parseWords(words: readonly string[], clock: Clock): NewKey & { realm: string } {
  const { replace = false, ...values } = options(words, createOptions);
  const lifetime = values["expires-in"] === undefined ? undefined : duration(values["expires-in"]);
  return {
    realm: required("realm", values.realm),
    name: required("name", values.name),
    admin: administration(values.admin, values.areas),
    onBehalfOf: values["on-behalf-of"],
    replace,
    scopes: values.scopes === undefined ? undefined : parseScopes(values.scopes),
    networks: listed(values.networks),
    expiresAt: lifetime === undefined ? undefined : clock.now() + lifetime,
  };
}

/** Everything, or the areas that are named. */
function administration(admin: boolean | undefined, areas: readonly string[] | undefined): NewKey["admin"] {
  const named = listed(areas);
  if (named === undefined) return admin ?? false;
  if (admin === true) throw new UsageError("--admin is every area; leave --areas out");
  const unknown = named.find((name) => !adminAreas.some((area) => area === name));
  if (unknown !== undefined)
    throw new UsageError(`--areas takes ${adminAreas.join(", ")}, not ${JSON.stringify(unknown)}`);
  return areasAmong(named);
}

/** @throws InvalidKey */
function parseScopes(text: string): KeyScopes {
  const { scopes, problems } = readScopes(parseJson(text));
  if (problems.length > 0) throw new InvalidKey(problems);
  return scopes;
}

function parseJson(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidKey([{ path: "scopes", reason: "must be valid JSON" }]);
  }
}

/** Of an option that takes a list and may be given several times. */
function listed(lists: readonly string[] | undefined): readonly string[] | undefined {
  return lists?.flatMap((list) => list.split(",").map((entry) => entry.trim()));
}

const createOptions = {
  realm: { type: "string" },
  name: { type: "string" },
  admin: { type: "boolean" },
  areas: { type: "string", multiple: true },
  "on-behalf-of": { type: "boolean" },
  scopes: { type: "string" },
  networks: { type: "string", multiple: true },
  "expires-in": { type: "string" },
  replace: { type: "boolean" },
} as const;

function options<const Options extends ParseArgsOptionsConfig>(words: readonly string[], known: Options) {
  try {
    return parseArgs({ args: [...words], options: known }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function required(name: string, value: string | undefined): string {
  if (value === undefined) throw new UsageError(`--${name} is missing`);
  return value;
}

function duration(text: string): number {
  const value = parseDuration(text);
  if (value === undefined || value === 0)
    throw new UsageError(`--expires-in must be a duration such as 30d, not ${text}`);
  return value;
}
