import { timestamp } from "../clock.ts";
import { ApiError, type Detail } from "../errors.ts";
import { parseNetwork } from "../http/address.ts";
import type { JsonObject } from "../json.ts";
import type { AdminArea } from "../realm/administration.ts";
import type { TokenScopes } from "../realm/caller.ts";
import type { RealmDefinition } from "../realm/definition.ts";
import type { NewService } from "../realm/exchange.ts";
import { newToken, startOf, tokenHash } from "./credentials/tokens.ts";
import type { KeyBinding, KeyRecord } from "./key-records.ts";
import { missingTargets, readScopes } from "./scopes.ts";

/** An API key to be made. */
export interface NewKey {
  /** Unique in the realm; 1-100 characters. Becomes `_meta.created_by: key:<name>`. */
  readonly name: string;
  /** Full administrator, or areas, of which there is one at least. */
  readonly admin: boolean | readonly AdminArea[];
  /** Absent: nobody's; it acts as itself. */
  readonly binding?: KeyBinding | undefined;
  /** What its service member is given in the organization that it is pinned to. */
  readonly grant?: Pick<NewService, "roles" | "teams"> | undefined;
  /** May act for users; `required`: does nothing else. */
  readonly onBehalfOf?: boolean | "required" | undefined;
  /** Absent: everything. */
  readonly scopes?: TokenScopes | undefined;
  /** Networks in CIDR form, or addresses; absent: from everywhere. */
  readonly networks?: readonly string[] | undefined;
  /** Epoch milliseconds; absent: never. */
  readonly expiresAt?: number | undefined;
  /** Ends the key that has the name now. */
  readonly replace?: boolean | undefined;
}

/** A key that cannot be made as asked; the message says why. */
export class InvalidKey extends Error {
  constructor(problems: readonly Detail[]) {
    super(problems.map(({ path, reason }) => `${path} ${reason}`).join("\n"));
    this.name = "InvalidKey";
  }
}

export class KeyNameTaken extends Error {
  constructor(name: string) {
    super(`a key named ${JSON.stringify(name)} exists; choose another name, or replace it`);
    this.name = "KeyNameTaken";
  }
}

/** The answer to who asks for a name that another key has. */
export function keyNameTaken(): ApiError {
  return new ApiError("conflict", "A key of this name exists.", {
    details: [{ path: "name", reason: "must be unique" }],
  });
}

const printable = /^[^\p{C}\s](?:[^\p{C}]*[^\p{C}\s])?$/u;

/** Networks of one key. */
const mostNetworks = 100;

/** The last time that is written with a year of four digits. */
const latest = Date.UTC(10_000, 0) - 1;

/** What is wrong with a key, whatever the realm; paths are those of the members that administrators send. */
export function keyProblems(key: NewKey, now: number): readonly Detail[] {
  const { name, networks, scopes, expiresAt } = key;
  const problems: Detail[] = scopes === undefined ? [] : [...readScopes({ ...scopes }).problems];
  if (name.length > 100 || !printable.test(name)) {
    const reason = "must have 1 to 100 characters, no control characters, and no space at its ends";
    problems.push({ path: "name", reason });
  }
  if (networks !== undefined && (networks.length === 0 || networks.length > mostNetworks)) {
    problems.push({ path: "networks", reason: `must name 1 to ${mostNetworks} networks` });
  }
  for (const [at, network] of networks?.slice(0, mostNetworks).entries() ?? []) {
    if (parseNetwork(network) !== undefined) continue;
    const reason = `is neither an IP address nor a network such as 10.0.0.0/8: ${JSON.stringify(network)}`;
    problems.push({ path: `networks.${at}`, reason });
  }
  if (expiresAt !== undefined && !(expiresAt <= latest)) {
    problems.push({ path: "expires_at", reason: "must be before the year 10000" });
  } else if (expiresAt !== undefined && expiresAt <= now) {
    problems.push({ path: "expires_at", reason: "must be in the future" });
  }
  return [...problems, ...contradictions(key)];
}

/** What makes no sense together. */
function contradictions({ admin, binding, grant, onBehalfOf = false }: NewKey): readonly Detail[] {
  const problems: Detail[] = [];
  const isPinned = binding?.kind === "user" || binding?.kind === "org";
  if (isPinned && admin !== false)
    problems.push({
      path: "admin",
      reason: "goes with neither user nor org: such a key administers nothing",
    });
  if (isPinned && onBehalfOf !== false)
    problems.push({
      path: "on_behalf_of",
      reason: "goes with neither user nor org: such a key acts for them alone",
    });
  if (onBehalfOf === "required" && admin !== false)
    problems.push({
      path: "admin",
      reason: "goes not with on_behalf_of: required, which lends no administration",
    });
  if (binding?.kind === "org") return problems;
  for (const member of ["roles", "teams"] as const)
    if (grant !== undefined && grant[member].length > 0)
      problems.push({ path: member, reason: "goes with org alone" });
  return problems;
}

/** Whom a new key is pinned to; `user` goes before `org`. */
export function pinOf(
  user: string | null | undefined,
  org: string | null | undefined,
): KeyBinding | undefined {
  if (typeof user === "string") return { kind: "user", user };
  return typeof org === "string" ? { kind: "org", org } : undefined;
}

export const bothPins: Detail = { path: "org", reason: "goes not with user" };

/** What is dangerous about a key of an operator, and what to do instead. */
export function warningsOf(
  { accounts }: RealmDefinition,
  { binding, scopes, on_behalf_of }: KeyRecord,
): string[] {
  // Without accounts keys are for administration alone, which scopes do not limit.
  if (accounts === undefined || binding !== null || scopes !== null) return [];
  if (on_behalf_of === "required")
    return [
      "This key can do whatever any user of the realm can, whom it names. Give it scopes, or pin it to one user or organization.",
    ];
  const everything =
    "This key reads and writes all documents of all users and organizations, past every rule. Give it scopes, or pin it to a user or an organization.";
  const forgetful =
    "It does so whenever a request lacks X-Svc-On-Behalf-Of. Let it require that: on_behalf_of: required.";
  return on_behalf_of ? [everything, forgetful] : [everything];
}

export function keyProblemsIn(
  { accounts, collections: known, functions }: RealmDefinition,
  { scopes, onBehalfOf, binding }: NewKey,
): readonly Detail[] {
  const problems = scopes === undefined ? [] : [...missingTargets(scopes, known, functions)];
  if (onBehalfOf && accounts === undefined) {
    problems.push({ path: "on_behalf_of", reason: "needs users, which a realm with auth: disabled has not" });
  }
  if (binding?.kind === "user" && accounts === undefined)
    problems.push({ path: "user", reason: "needs users, which a realm with auth: disabled has not" });
  if (binding?.kind === "org" && accounts?.organizations === undefined)
    problems.push({ path: "org", reason: "needs organizations, which this realm has not" });
  return problems;
}

/** A key that is not stored yet. */
export interface MadeKey {
  /** `svk_…`: stored nowhere, cannot be shown again. */
  readonly token: string;
  readonly record: KeyRecord;
}

/**
 * @param by who makes it: the form of `created_by`
 * @param newId makes its id
 */
export function makeKey(key: NewKey, by: string, now: number, newId: () => string): MadeKey {
  const token = newToken("svk");
  const record: KeyRecord = {
    id: tokenHash(token),
    key: newId(),
    name: key.name,
    admin: key.admin,
    binding: key.binding ?? null,
    on_behalf_of: key.onBehalfOf ?? false,
    scopes: key.scopes ?? null,
    networks: key.networks ?? null,
    start: startOf(token),
    created_at: timestamp(now),
    created_by: by,
    expires_at: key.expiresAt === undefined ? null : timestamp(key.expiresAt),
    remind_at: reminder(now, key.expiresAt),
  };
  return { token, record };
}

/** Milliseconds before the end of a key at which its owner is told. */
const notice = 7 * 86_400_000;

/** Of a key that lives for longer than that. */
function reminder(now: number, end: number | undefined): string | null {
  return end === undefined || end - now <= notice ? null : timestamp(end - notice);
}

/** What the audit trail says of a key: what it may do, and until when. */
export function keyFacts({
  admin,
  scopes,
  networks,
  expires_at,
  on_behalf_of,
  binding,
}: KeyRecord): JsonObject {
  return {
    ...{ admin, scopes: scopes === null ? null : { ...scopes }, networks, expires_at, on_behalf_of },
    binding: binding === null ? null : { ...binding },
  };
}
