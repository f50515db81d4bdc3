import type { Detail } from "../errors.ts";
import { isJsonObject, type JsonValue } from "../json.ts";
import type { KeyScopes } from "../realm/caller.ts";
import { didYouMean } from "../suggest.ts";

export type Access = "read" | "write" | "call";

export const accesses: readonly Access[] = ["read", "write", "call"];

/** `database`, `database/collection` or `database/function`, named as in the configuration. */
const target = /^[A-Za-z][A-Za-z0-9_-]{0,62}(?:\/[A-Za-z][A-Za-z0-9_-]{0,62})?$/;

/**
 * Whether a key may read or write a collection, or call a function (spec: Authentication 3).
 * @param scopes undefined: everything
 */
export function permits(
  scopes: KeyScopes | undefined,
  access: Access,
  database: string,
  name: string,
): boolean {
  if (scopes === undefined) return true;
  const granted = scopes[access];
  if (granted === undefined) return false;
  return granted === "*" || granted.includes(database) || granted.includes(`${database}/${name}`);
}

/**
 * Whether a key of these scopes may do this to anything at all.
 * @param scopes undefined: everything
 */
export function permitsAny(scopes: KeyScopes | undefined, access: Access): boolean {
  if (scopes === undefined) return true;
  const granted = scopes[access];
  return granted !== undefined && granted.length > 0;
}

/** Whether one credential's scopes grant everything that the other's do; undefined: everything. */
export function scopesCover(one: KeyScopes | undefined, other: KeyScopes | undefined): boolean {
  if (one === undefined) return true;
  return other !== undefined && accesses.every((access) => coversTargets(one[access], other[access]));
}

/** What both of two credentials' scopes grant; undefined: everything. */
export function commonScopes(
  one: KeyScopes | undefined,
  other: KeyScopes | undefined,
): KeyScopes | undefined {
  if (one === undefined) return other;
  if (other === undefined) return one;
  return Object.fromEntries(accesses.map((access) => [access, commonTargets(one[access], other[access])]));
}

function commonTargets(one: Granted = [], other: Granted = []): Granted {
  if (one === "*") return other;
  if (other === "*") return one;
  const within = (entries: readonly string[], granted: readonly string[]) =>
    entries.filter((entry) => granted.includes(entry) || granted.includes(databaseOf(entry)));
  return [...new Set([...within(one, other), ...within(other, one)])];
}

/** The same of what may be done in one way; undefined: nothing. */
export function coversTargets(one: Granted | undefined, other: Granted | undefined): boolean {
  if (other === undefined || one === "*") return true;
  // A list names what there is; everything is also what there will be.
  if (other === "*") return false;
  return other.every((entry) => one?.includes(entry) === true || one?.includes(databaseOf(entry)) === true);
}

function databaseOf(entry: string): string {
  return entry.split("/", 1)[0] ?? "";
}

type Granted = "*" | readonly string[];

/** Entries of one list. */
const most = 1_000;

/** Scopes as they were read from JSON; only without problems may they be used. */
export interface ReadScopes {
  readonly scopes: KeyScopes;
  /** Paths begin with `scopes`. */
  readonly problems: readonly Detail[];
}

/**
 * The scopes of a key from a JSON value: `{"read"|"write"|"call": "*" | ["db", "db/collection", "db/function"]}`.
 */
export function readScopes(value: JsonValue): ReadScopes {
  const scopes: Partial<Record<Access, Granted>> = {};
  const problems: Detail[] = [];
  if (!isJsonObject(value)) return { scopes, problems: [malformed("scopes", "must be an object")] };
  for (const [name, granted] of Object.entries(value)) {
    const path = `scopes.${name}`;
    if (!isAccess(name)) problems.push(malformed(path, "is no scope"));
    else if (granted === "*") scopes[name] = granted;
    else if (!Array.isArray(granted)) problems.push(malformed(path, 'must be "*" or an array'));
    else if (granted.length > most) problems.push({ path, reason: `must have at most ${most} entries` });
    else scopes[name] = readTargets(path, granted, problems);
  }
  return { scopes, problems };
}

function malformed(path: string, reason: string): Detail {
  const form = '{"read"|"write"|"call": "*" | ["database", "database/collection", …]}';
  return {
    path,
    reason: `${reason}; scopes are ${form}, for example {"read": "*", "write": ["shop/orders"]}`,
  };
}

function isAccess(name: string): name is Access {
  return accesses.some((access) => access === name);
}

function readTargets(path: string, granted: readonly JsonValue[], problems: Detail[]): readonly string[] {
  const targets: string[] = [];
  for (const [at, entry] of granted.entries()) {
    if (typeof entry === "string" && target.test(entry)) targets.push(entry);
    else {
      const hint =
        entry === "*" ? `; write ${JSON.stringify(path.split(".").at(-1))}: "*" for everything` : "";
      problems.push({ path: `${path}.${at}`, reason: `names no database or collection${hint}` });
    }
  }
  return targets;
}

/** Problems for which a name that may have been meant is looked for: that costs a comparison with every name. */
const hinted = 10;

interface Target {
  readonly database: string;
  readonly name: string;
}

/** An entry of scopes that names what the realm does not have. */
export interface MissingTarget {
  readonly access: Access;
  /** In the list of that access. */
  readonly at: number;
  readonly entry: string;
  /** What could stand there. */
  readonly known: ReadonlySet<string>;
}

/** What scopes name that the realm does not have: slips that would otherwise show as a 403 long after. */
export function missingTargets(
  scopes: KeyScopes,
  collections: readonly Target[],
  functions: readonly Target[] = [],
): readonly Detail[] {
  return missingAmong(scopes, collections, functions).map((missing, number) => {
    const { access, at, entry } = missing;
    const hint = number < hinted ? meantBy(missing) : undefined;
    const reason = `names ${JSON.stringify(entry)}, which the realm does not have`;
    return {
      path: `scopes.${access}.${at}`,
      reason: hint === undefined ? reason : `${reason}; ${hint}`,
    };
  });
}

/** The same, for who says it otherwise. */
export function missingAmong(
  scopes: KeyScopes,
  collections: readonly Target[],
  functions: readonly Target[],
): readonly MissingTarget[] {
  const databases = [...collections, ...functions].map(({ database }) => database);
  const targets = (among: readonly Target[]) =>
    new Set([...databases, ...among.map(({ database, name }) => `${database}/${name}`)]);
  const [readable, callable] = [targets(collections), targets(functions)];
  return accesses.flatMap((access) => {
    const granted = scopes[access];
    if (granted === undefined || granted === "*") return [];
    const known = access === "call" ? callable : readable;
    return [...granted.entries()].flatMap(([at, entry]) =>
      known.has(entry) ? [] : [{ access, at, entry, known }],
    );
  });
}

/** The question whether another name was meant: one that is like it, or has its database before it. */
export function meantBy({ entry, known }: MissingTarget): string | undefined {
  const inside = [...known].find((target) => target.endsWith(`/${entry}`));
  return inside === undefined ? didYouMean(entry, known) : `did you mean '${inside}'?`;
}
