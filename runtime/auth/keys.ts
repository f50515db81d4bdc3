import { type Clock, timestamp } from "../clock.ts";
import { ApiError, type Detail } from "../errors.ts";
import { eq } from "../filter/algebra.ts";
import type { Position } from "../filter/order.ts";
import { parseNetwork } from "../http/address.ts";
import { idGenerator } from "../ids.ts";
import type { JsonObject } from "../json.ts";
import type { AdminArea } from "../realm/administration.ts";
import type { TokenScopes } from "../realm/caller.ts";
import type { RealmDefinition } from "../realm/definition.ts";
import { UniqueViolation } from "../store/contract/errors.ts";
import type { Store } from "../store/contract/store.ts";
import { collections, keyFields } from "./collections.ts";
import { newToken, startOf, tokenHash } from "./credentials/tokens.ts";
import { type KeyBinding, type KeyRecord, writeKey } from "./key-records.ts";
import { keyViews, operatorView } from "./key-views.ts";
import { findOne } from "./matching.ts";
import { currentKeys, lists } from "./paging.ts";
import { type AuditRecord, writeAudit } from "./records.ts";
import { missingTargets, readScopes } from "./scopes.ts";

/** An API key to be made. */
export interface NewKey {
  /** Unique in the realm; 1-100 characters. Becomes `_meta.created_by: key:<name>`. */
  readonly name: string;
  /** Full administrator, or areas, of which there is one at least. */
  readonly admin: boolean | readonly AdminArea[];
  /** Absent: nobody's; it acts as itself. */
  readonly binding?: KeyBinding | undefined;
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
  return problems;
}

export function keyProblemsIn(
  { accounts, collections: known, functions }: RealmDefinition,
  { scopes, onBehalfOf }: NewKey,
): readonly Detail[] {
  const problems = scopes === undefined ? [] : [...missingTargets(scopes, known, functions)];
  if (onBehalfOf && accounts === undefined) {
    problems.push({ path: "on_behalf_of", reason: "needs users, which a realm with auth: disabled has not" });
  }
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
  };
  return { token, record };
}

/** What the audit trail says of a key: what it may do, and until when. */
export function keyFacts({ admin, scopes, networks, expires_at, on_behalf_of }: KeyRecord): JsonObject {
  return { admin, scopes: scopes === null ? null : { ...scopes }, networks, expires_at, on_behalf_of };
}

/**
 * Stores a key with its audit record, in place of the one whose stored id is `former`.
 * @throws KeyNameTaken
 */
export async function storeKey(
  store: Store,
  record: KeyRecord,
  audit: AuditRecord,
  former?: string,
): Promise<void> {
  try {
    await store.transaction(async (transaction) => {
      const keys = transaction.collection(collections.keys);
      if (former !== undefined) await keys.remove(former);
      await keys.insert(writeKey(record, 1));
      await transaction.collection(collections.audit).insert(writeAudit(audit));
    });
  } catch (error) {
    if (error instanceof UniqueViolation) throw new KeyNameTaken(record.name);
    throw error;
  }
}

/**
 * Makes an API key, and an audit record of it, at the command line: also from another process than the server's. A server
 * on the same store knows the key (and no longer the one it replaces) from its next request on.
 * @returns the key `svk_…`, which is stored nowhere and cannot be shown again.
 * @throws InvalidKey | KeyNameTaken
 */
export async function createKey(store: Store, clock: Clock, key: NewKey): Promise<string> {
  const now = clock.now();
  const problems = keyProblems(key, now);
  if (problems.length > 0) throw new InvalidKey(problems);
  const former = await findByName(store, key.name);
  if (former !== undefined && key.replace !== true) throw new KeyNameTaken(key.name);
  const newId = idGenerator(clock);
  const { token, record } = makeKey(key, commandLine, now, newId);
  const action = former === undefined ? "key.create" : "key.replace";
  const audit = commandAudit(newId(), now, { action, target: `key:${key.name}`, details: keyFacts(record) });
  await storeKey(store, record, audit, former);
  return token;
}

/**
 * Ends the key of this name at the command line, for the server too from its next request on; false when there is none.
 */
export async function endKey(store: Store, clock: Clock, name: string): Promise<boolean> {
  const id = await findByName(store, name);
  if (id === undefined) return false;
  const newId = idGenerator(clock)();
  const audit = commandAudit(newId, clock.now(), {
    action: "key.revoke",
    target: `key:${name}`,
    details: {},
  });
  return store.transaction(async (transaction) => {
    if (!(await transaction.collection(collections.keys).remove(id))) return false;
    await transaction.collection(collections.audit).insert(writeAudit(audit));
    return true;
  });
}

const commandLine = "command-line";

function commandAudit(
  id: string,
  now: number,
  what: Pick<AuditRecord, "action" | "target" | "details">,
): AuditRecord {
  return { id, at: timestamp(now), ...what, actor: commandLine, address: null, request_id: null };
}

/** Every key of a realm as it is shown, oldest first. */
export async function* allKeys(store: Store): AsyncGenerator<JsonObject> {
  const { collection, order, position, read } = lists.keys;
  let after: Position | undefined;
  do {
    const query = { filter: currentKeys, visibility: "live", order, limit: page, skip: 0 } as const;
    const found = await store.collection(collection).find({ ...query, ...(after && { after }) });
    const records = found.map((document) => read(document).record);
    yield* await keyViews(store, records, operatorView);
    const last = records.at(-1);
    after = records.length < page || last === undefined ? undefined : position(last);
  } while (after !== undefined);
}

/** Keys read at a time. */
const page = 100;

async function findByName(store: Store, name: string): Promise<string | undefined> {
  return (await findOne(store, collections.keys, eq(keyFields.name, name)))?.id;
}
