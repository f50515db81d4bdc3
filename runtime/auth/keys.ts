import { isIP } from "node:net";
import { type Clock, timestamp } from "../clock.ts";
import { eq } from "../filter/algebra.ts";
import { parseNetwork } from "../http/address.ts";
import { idGenerator } from "../ids.ts";
import type { KeyScopes } from "../realm/caller.ts";
import { type Store, UniqueViolation } from "../store/contract.ts";
import { collections, keyFields } from "./collections.ts";
import { newToken, tokenHash } from "./credentials/tokens.ts";
import { type KeyRecord, writeAudit, writeKey } from "./records.ts";
import { checkScopes } from "./scopes.ts";

/** An API key to be made. */
export interface NewKey {
  /** Unique in the realm; 1-100 characters. Becomes `_meta.created_by: key:<name>`. */
  readonly name: string;
  /** Full administrator. */
  readonly admin: boolean;
  /** Absent: everything. */
  readonly scopes?: KeyScopes | undefined;
  /** Networks in CIDR form, or addresses; absent: from everywhere. */
  readonly networks?: readonly string[] | undefined;
  /** Epoch milliseconds; absent: never. */
  readonly expiresAt?: number | undefined;
  /** Ends the key that has the name now. */
  readonly replace?: boolean | undefined;
}

/** A key that cannot be made as asked; the message says why. */
export class InvalidKey extends Error {
  constructor(problem: string) {
    super(problem);
    this.name = "InvalidKey";
  }
}

const printable = /^[^\p{C}\s](?:[^\p{C}]*[^\p{C}\s])?$/u;

/**
 * Makes an API key, and an audit record of it. Also from another process than the server's: a server on the same store
 * knows the key (and no longer the one it replaces) from its next request on.
 * @returns the key `svk_…`, which is stored nowhere and cannot be shown again.
 * @throws InvalidKey | InvalidScopes
 */
export async function createKey(store: Store, clock: Clock, key: NewKey): Promise<string> {
  check(key, clock);
  const token = newToken("svk");
  const now = clock.now();
  const newId = idGenerator(clock);
  const record: KeyRecord = {
    id: tokenHash(token),
    key: newId(),
    name: key.name,
    admin: key.admin,
    scopes: key.scopes ?? null,
    networks: key.networks ?? null,
    created_at: timestamp(now),
    expires_at: key.expiresAt === undefined ? null : timestamp(key.expiresAt),
  };
  const former = await findByName(store, key.name);
  if (former !== undefined && key.replace !== true) throw taken(key.name);
  const audit = {
    id: newId(),
    at: timestamp(now),
    action: former === undefined ? "key.create" : "key.replace",
    actor: "command-line",
    target: `key:${key.name}`,
    address: null,
    request_id: null,
    details: { admin: record.admin, scoped: record.scopes !== null, expires_at: record.expires_at },
  };
  try {
    await store.transaction(async (transaction) => {
      const keys = transaction.collection(collections.keys);
      if (former !== undefined) await keys.remove(former);
      await keys.insert(writeKey(record, 1));
      await transaction.collection(collections.audit).insert(writeAudit(audit));
    });
  } catch (error) {
    // Somebody else took the name in between.
    if (error instanceof UniqueViolation) throw taken(key.name);
    throw error;
  }
  return token;
}

function check(key: NewKey, clock: Clock): void {
  if (key.name.length > 100 || !printable.test(key.name)) {
    throw new InvalidKey(
      "a key's name has 1 to 100 characters, no control characters, and no space at its ends",
    );
  }
  if (key.scopes !== undefined) checkScopes(key.scopes);
  for (const network of key.networks ?? []) {
    const [address = ""] = network.split("/", 1);
    // Short forms such as 10.1 would be taken otherwise.
    if (isIP(address) === 0 || parseNetwork(network) === undefined) {
      throw new InvalidKey(
        `${JSON.stringify(network)} is neither an IP address nor a network such as 10.0.0.0/8`,
      );
    }
  }
  if (key.expiresAt !== undefined) {
    if (Number.isNaN(new Date(key.expiresAt).getTime()))
      throw new InvalidKey("the key's expiry is not a time");
    if (key.expiresAt <= clock.now()) throw new InvalidKey("the key would have expired already");
  }
}

/** The stored id of the key of this name. */
async function findByName(store: Store, name: string): Promise<string | undefined> {
  const filter = eq(keyFields.name, name);
  const [document] = await store
    .collection(collections.keys)
    .find({ filter, visibility: "live", limit: 1, skip: 0 });
  return document?.id;
}

function taken(name: string): InvalidKey {
  return new InvalidKey(`a key named ${JSON.stringify(name)} exists; choose another name, or replace it`);
}
