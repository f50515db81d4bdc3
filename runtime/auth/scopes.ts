import { isJsonObject, type JsonValue } from "../json.ts";
import type { KeyCaller, KeyScopes } from "../realm/caller.ts";
import { didYouMean } from "../suggest.ts";

export type Access = "read" | "write" | "call";

const accesses: readonly Access[] = ["read", "write", "call"];

/** `database`, `database/collection` or `database/function`, named as in the configuration. */
const target = /^[A-Za-z][A-Za-z0-9_-]{0,62}(?:\/[A-Za-z][A-Za-z0-9_-]{0,62})?$/;

/** Whether a key may read or write a collection, or call a function (spec: Authentication 3). */
export function permits(caller: KeyCaller, access: Access, database: string, name: string): boolean {
  if (caller.scopes === undefined) return true;
  const granted = caller.scopes[access];
  if (granted === undefined) return false;
  return granted === "*" || granted.includes(database) || granted.includes(`${database}/${name}`);
}

/** Scopes that a key cannot have; the message says why. */
export class InvalidScopes extends Error {
  constructor(problem: string) {
    super(problem);
    this.name = "InvalidScopes";
  }
}

/** Scopes that are not of the form `{"read"|"write"|"call": "*" | ["db", "db/collection", "db/function"]}`. */
function malformed(problem: string): InvalidScopes {
  return new InvalidScopes(
    `${problem}; scopes are {"read"|"write"|"call": "*" | ["database", "database/collection", …]}, for example {"read": "*", "write": ["shop/orders"]}`,
  );
}

/**
 * The scopes of a key from their JSON text.
 * @throws InvalidScopes
 */
export function parseScopes(text: string): KeyScopes {
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    throw malformed("the scopes are not valid JSON");
  }
  return checkScopes(value);
}

/**
 * The scopes of a key from a JSON value.
 * @throws InvalidScopes
 */
export function checkScopes(value: unknown): KeyScopes {
  if (!isJsonObject(value)) throw malformed("the scopes are not a JSON object");
  const scopes: Partial<Record<Access, "*" | readonly string[]>> = {};
  for (const [name, granted] of Object.entries(value)) {
    if (!isAccess(name)) throw malformed(`unknown scope ${JSON.stringify(name)}`);
    scopes[name] = checkTargets(name, granted);
  }
  return scopes;
}

function isAccess(name: string): name is Access {
  return accesses.some((access) => access === name);
}

function checkTargets(access: Access, granted: JsonValue | undefined): "*" | readonly string[] {
  if (granted === "*") return granted;
  if (!Array.isArray(granted)) throw malformed(`${access} is neither "*" nor an array`);
  return granted.map((entry) => {
    if (typeof entry === "string" && target.test(entry)) return entry;
    const hint = entry === "*" ? `; write "${access}": "*" for everything` : "";
    throw malformed(`${access} lists ${JSON.stringify(entry)}, which names no database or collection${hint}`);
  });
}

/**
 * Refuses scopes that name what a realm does not have: a slip that would otherwise show as a 403 long after.
 * @throws InvalidScopes
 */
export function checkTargetsExist(
  scopes: KeyScopes,
  collections: readonly { readonly database: string; readonly name: string }[],
): void {
  const databases = new Set(collections.map(({ database }) => database));
  const all = [...databases, ...collections.map(({ database, name }) => `${database}/${name}`)];
  for (const access of accesses) {
    const granted = scopes[access];
    if (granted === undefined || granted === "*") continue;
    // There are no functions yet: only whole databases can be named.
    const known = access === "call" ? [...databases] : all;
    for (const entry of granted) {
      if (known.includes(entry)) continue;
      const hint = didYouMean(entry, known);
      throw new InvalidScopes(
        `${access} names ${JSON.stringify(entry)}, which the realm does not have${hint === undefined ? "" : `; ${hint}`}`,
      );
    }
  }
}
