import { systemCollections } from "../auth/collections.ts";
import { allKeys, makeOperatorsKey, revokeKey, rotateNamed } from "../auth/command-keys.ts";
import type { KeyRealm } from "../auth/key-storing.ts";
import { bothPins, InvalidKey, keyProblemsIn, type NewKey, pinOf, warningsOf } from "../auth/keys.ts";
import { longestOverlap, usualOverlap } from "../auth/own-keys.ts";
import { readScopes } from "../auth/scopes.ts";
import type { Clock } from "../clock.ts";
import { ApiError } from "../errors.ts";
import type { JsonValue } from "../json.ts";
import { organizationCollections } from "../organizations/collections.ts";
import { realmOrganizations } from "../organizations/realm.ts";
import { adminAreas, areasAmong } from "../realm/administration.ts";
import type { KeyScopes } from "../realm/caller.ts";
import type { RealmDefinition } from "../realm/definition.ts";
import { parseDuration } from "../units.ts";
import { type Program, realmsCalled, type Surroundings, UsageError } from "./command.ts";
import { withRealmStore } from "./command-store.ts";
import { optionsAmong, required } from "./command-words.ts";
import { readSettings } from "./settings.ts";

export const keyUsage = `key create --realm <realm> --name <name> [--admin | --areas <area,…>] [--scopes <JSON>]
                         [--user <id> | --org <id> [--roles <role,…>] [--teams <id,…>]]
                         [--on-behalf-of | --on-behalf-of-required] [--networks <network,…>]
                         [--expires-in 30d] [--replace]
       server key list --realm <realm>
       server key rotate --realm <realm> --name <name> [--overlap 24h]
       server key revoke --realm <realm> (--name <name> | --id <id>)`;

/**
 * `key create` makes an API key and prints it, alone, on the last line of stdout; `key list` prints what each key of a
 * realm may do, tenants' too, a line of JSON each; `key rotate` prints a new key in place of one; `key revoke` ends one.
 * They work beside a running server. Answers the exit code.
 * @throws UsageError | BadSettings | InvalidKey | KeyNameTaken
 */
export async function keyCommand(
  program: Program,
  words: readonly string[],
  surroundings: Surroundings,
  clock: Clock,
): Promise<number> {
  const [action = "", ...rest] = words;
  const act = new Map([
    ["create", create],
    ["list", list],
    ["rotate", rotate],
    ["revoke", revoke],
  ]).get(action);
  if (act === undefined) throw new UsageError(`unknown command: key ${action}`.trim());
  await act(program, rest, surroundings, clock);
  return 0;
}

type Action = (
  program: Program,
  words: readonly string[],
  surroundings: Surroundings,
  clock: Clock,
) => Promise<void>;

const create: Action = async ({ realms }, words, surroundings, clock) => {
  const { realm, ...key } = parseWords(words, clock);
  const { out, err } = surroundings;
  const [{ definition }] = realmsCalled(realm, realms);
  const problems = keyProblemsIn(definition, key);
  if (problems.length > 0) throw new InvalidKey(problems);
  await withKeys(definition, surroundings, clock, async (keys) => {
    const { token, record } = await explained(() => makeOperatorsKey(keys, key));
    for (const warning of warningsOf(definition, record)) err(`warning: ${warning}`);
    err(`key ${JSON.stringify(key.name)} of realm ${realm}; it is shown this once:`);
    out(token);
  });
};

const list: Action = async ({ realms }, words, surroundings, clock) => {
  const realm = required("--realm", optionsAmong(words, { realm: { type: "string" } }).realm);
  const [{ definition }] = realmsCalled(realm, realms);
  await withKeys(definition, surroundings, clock, async ({ store }) => {
    for await (const key of allKeys(store)) surroundings.out(JSON.stringify(key));
  });
};

const rotate: Action = async ({ realms }, words, surroundings, clock) => {
  const values = optionsAmong(words, {
    realm: { type: "string" },
    name: { type: "string" },
    overlap: { type: "string" },
  });
  const realm = required("--realm", values.realm);
  const name = required("--name", values.name);
  const overlap = values.overlap === undefined ? usualOverlap : parseDuration(values.overlap);
  if (overlap === undefined || overlap > longestOverlap)
    throw new UsageError(`--overlap must be a duration from 0s to 7d, not ${values.overlap}`);
  const [{ definition }] = realmsCalled(realm, realms);
  await withKeys(definition, surroundings, clock, async (keys) => {
    const rotated = await explained(() => rotateNamed(keys, name, overlap));
    if (rotated === undefined) throw noKey(realm, "named", name);
    surroundings.err(`key ${JSON.stringify(name)} of realm ${realm}; it is shown this once:`);
    surroundings.out(rotated.token);
  });
};

const revoke: Action = async ({ realms }, words, surroundings, clock) => {
  const values = optionsAmong(words, {
    realm: { type: "string" },
    name: { type: "string" },
    id: { type: "string" },
  });
  const realm = required("--realm", values.realm);
  const { name, id } = values;
  if ((name === undefined) === (id === undefined)) throw new UsageError("key revoke takes --name or --id");
  const [{ definition }] = realmsCalled(realm, realms);
  await withKeys(definition, surroundings, clock, async (keys) => {
    if (await explained(() => revokeKey(keys, { name, id }))) return;
    throw name === undefined ? noKey(realm, "with the id", id) : noKey(realm, "named", name);
  });
};

function noKey(realm: string, how: string, what: string | undefined): Error {
  return new Error(`realm ${realm} has no key ${how} ${JSON.stringify(what)}`);
}

/** What a request would be answered is said line by line. */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.details === undefined || error.details.length === 0) throw new Error(error.message);
    throw new InvalidKey(error.details);
  }
}

async function withKeys(
  definition: RealmDefinition,
  { environment }: Surroundings,
  clock: Clock,
  work: (realm: KeyRealm & { readonly clock: Clock }) => Promise<void>,
): Promise<void> {
  const shapes = [
    ...systemCollections(definition),
    ...(definition.accounts?.organizations === undefined ? [] : organizationCollections(definition)),
  ];
  await withRealmStore(definition.name, readSettings(environment), clock, shapes, (store) =>
    work({ store, clock, organizations: realmOrganizations({ definition, store, clock }) }),
  );
}

function parseWords(words: readonly string[], clock: Clock): NewKey & { realm: string } {
  const { replace = false, user, org, roles, teams, ...values } = optionsAmong(words, createOptions);
  const lifetime = values["expires-in"] === undefined ? undefined : duration(values["expires-in"]);
  if (user !== undefined && org !== undefined) throw new InvalidKey([bothPins]);
  return {
    realm: required("--realm", values.realm),
    name: required("--name", values.name),
    admin: administration(values.admin, values.areas),
    binding: pinOf(user, org),
    grant: { roles: listed(roles) ?? [], teams: listed(teams) ?? [] },
    onBehalfOf: values["on-behalf-of-required"] === true ? "required" : values["on-behalf-of"],
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
  user: { type: "string" },
  org: { type: "string" },
  roles: { type: "string", multiple: true },
  teams: { type: "string", multiple: true },
  "on-behalf-of": { type: "boolean" },
  "on-behalf-of-required": { type: "boolean" },
  scopes: { type: "string" },
  networks: { type: "string", multiple: true },
  "expires-in": { type: "string" },
  replace: { type: "boolean" },
} as const;

function duration(text: string): number {
  const value = parseDuration(text);
  if (value === undefined || value === 0)
    throw new UsageError(`--expires-in must be a duration such as 30d, not ${text}`);
  return value;
}
