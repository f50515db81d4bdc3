import { type Clock, timestamp } from "../clock.ts";
import { eq } from "../filter/algebra.ts";
import type { Position } from "../filter/order.ts";
import { idGenerator } from "../ids.ts";
import type { JsonObject } from "../json.ts";
import { optimistic, shortBackoff } from "../retry.ts";
import type { Store } from "../store/contract/store.ts";
import type { Transaction } from "../store/contract/transaction.ts";
import { collections, keyFields } from "./collections.ts";
import { ending } from "./key-changes.ts";
import { type KeyRecord, readKey } from "./key-records.ts";
import { endKey, holderFacts, type KeyRealm, rotateKey, storeKey } from "./key-storing.ts";
import { keyViews, operatorView } from "./key-views.ts";
import {
  InvalidKey,
  KeyNameTaken,
  keyFacts,
  keyProblems,
  type MadeKey,
  makeKey,
  type NewKey,
} from "./keys.ts";
import { findOne } from "./matching.ts";
import { currentKeys, lists } from "./paging.ts";
import { type AuditRecord, writeAudit } from "./records.ts";

/**
 * Keys at the command line: also from another process than the server's. A server on the same store knows of all that is
 * done here from its next request on.
 */

type CommandRealm = KeyRealm & { readonly clock: Clock };

/**
 * Makes an API key, and an audit record of it.
 * @throws InvalidKey | KeyNameTaken; ApiError `validation_error` for a user, organization, role or team that there is not
 */
export async function makeOperatorsKey(realm: CommandRealm, key: NewKey): Promise<MadeKey> {
  const { store, clock } = realm;
  const now = clock.now();
  const problems = keyProblems(key, now);
  if (problems.length > 0) throw new InvalidKey(problems);
  const newId = idGenerator(clock);
  return optimistic(shortBackoff, async () => {
    const former = await findByName(store, key.name);
    if (former !== undefined && key.replace !== true) throw new KeyNameTaken(key.name);
    if (former?.binding?.kind === "org")
      throw new InvalidKey([{ path: "replace", reason: "takes no key of an organization: revoke it first" }]);
    const made = makeKey(key, commandLine, now, newId);
    const action = former === undefined ? "key.create" : "key.replace";
    const instead = former && (await ending(store, eq(keyFields.key, former.key)));
    const audit = commandAudit(realm, { action, target: `key:${key.name}`, details: keyFacts(made.record) });
    await storeKey(realm, made.record, { audit, grant: key.grant, instead });
    return made;
  });
}

/**
 * The same, of a key that is pinned to nobody.
 * @returns the key `svk_…`, which is stored nowhere and cannot be shown again.
 */
export async function createKey(store: Store, clock: Clock, key: NewKey): Promise<string> {
  return (await makeOperatorsKey({ store, clock }, key)).token;
}

/** Ends the operators' key of this name, or any key of this id; false when there is none. */
export async function revokeKey(
  realm: CommandRealm,
  { name, id }: { readonly name?: string | undefined; readonly id?: string | undefined },
): Promise<boolean> {
  const key = name === undefined ? id : (await findByName(realm.store, name))?.key;
  if (key === undefined) return false;
  return endKey(
    realm,
    key,
    () => undefined,
    (transaction, record) => told(realm, transaction, "key.revoke", record),
  );
}

/**
 * Gives the operators' key of this name another one in its place; undefined when there is none.
 * @param overlap milliseconds for which the former one is good still
 * @throws ApiError `conflict` | `write_conflict`
 */
export async function rotateNamed(
  realm: CommandRealm,
  name: string,
  overlap: number,
): Promise<MadeKey | undefined> {
  return rotateKey(
    realm,
    eq(keyFields.name, name),
    overlap,
    () => undefined,
    (transaction, record) => told(realm, transaction, "key.rotate", record),
  );
}

/** The actor of what commands do to a store. */
export const commandLine = "command-line";

async function told(
  realm: CommandRealm,
  transaction: Transaction,
  action: "key.revoke" | "key.rotate",
  record: KeyRecord,
): Promise<void> {
  const audit = commandAudit(realm, { action, target: `key:${record.name}`, details: holderFacts(record) });
  await transaction.collection(collections.audit).insert(writeAudit(audit));
}

function commandAudit(
  { clock }: Pick<CommandRealm, "clock">,
  what: Pick<AuditRecord, "action" | "target" | "details">,
): AuditRecord {
  const now = clock.now();
  const id = idGenerator(clock)();
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

async function findByName(store: Store, name: string): Promise<KeyRecord | undefined> {
  const found = await findOne(store, collections.keys, eq(keyFields.name, name));
  return found && readKey(found).record;
}
