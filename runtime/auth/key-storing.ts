import { invalidBody } from "../errors.ts";
import { and, eq, type Filter } from "../filter/algebra.ts";
import { isId } from "../ids.ts";
import type { JsonObject } from "../json.ts";
import type { RealmInstance, RealmOrganizations } from "../realm/exchange.ts";
import { optimistic, shortBackoff } from "../retry.ts";
import { UniqueViolation } from "../store/contract/errors.ts";
import type { Store } from "../store/contract/store.ts";
import type { Transaction } from "../store/contract/transaction.ts";
import { collections, keyFields } from "./collections.ts";
import { type Ending, ending, rotation } from "./key-changes.ts";
import { isOperators, type KeyRecord, readKey, writeKey } from "./key-records.ts";
import { KeyNameTaken, type MadeKey, type NewKey } from "./keys.ts";
import { findOne } from "./matching.ts";
import { currentKeys } from "./paging.ts";
import { type AuditRecord, writeAudit } from "./records.ts";

/** Keys come, are rotated and go, with what belongs to them. */

/** What keys stand in. */
export type KeyRealm = Pick<RealmInstance, "store"> & {
  readonly organizations?: Pick<RealmOrganizations, "addService" | "endService"> | undefined;
};

/** What is written with a key, and what it takes. */
interface Storing {
  readonly audit: AuditRecord;
  readonly grant?: NewKey["grant"];
  /** The one that it takes the place of. */
  readonly instead?: Ending | undefined;
}

/**
 * Stores a key of an operator with its audit record, and with the service member of the organization that it is pinned to.
 * @throws KeyNameTaken; Outdated where the one in whose place it stands is no longer what it was; ApiError
 *   `validation_error` for a user, organization, role or team that there is not | `team_limit_reached` | `write_conflict`
 */
export async function storeKey(
  { store, organizations }: KeyRealm,
  record: KeyRecord,
  { audit, grant = { roles: [], teams: [] }, instead }: Storing,
): Promise<void> {
  const { binding, key, name } = record;
  const along = async (transaction: Transaction) => {
    await instead?.write(transaction);
    await transaction.collection(collections.keys).insert(writeKey(record, 1));
    await transaction.collection(collections.audit).insert(writeAudit(audit));
  };
  try {
    if (binding?.kind === "user") await requireUser(store, binding.user);
    if (binding?.kind !== "org") await store.transaction(along);
    else
      await requireOrganizations(organizations).addService({ org: binding.org, key, name, ...grant }, along);
  } catch (error) {
    if (error instanceof UniqueViolation) throw new KeyNameTaken(name);
    throw error;
  }
}

async function requireUser(store: Store, user: string): Promise<void> {
  if (isId(user) && (await store.collection(collections.users).get(user, "live")) !== undefined) return;
  throw invalidBody([{ path: "user", reason: "must be a user of this realm" }]);
}

function requireOrganizations<T>(organizations: T | undefined): T {
  if (organizations === undefined)
    throw new Error("keyProblemsIn refuses organizations where there are none");
  return organizations;
}

/**
 * Ends a key, whoever made it, with its service member where it has one; false when there is none of this id.
 * @param judge throws what refuses it
 * @param audit appends what is told of it
 * @throws ApiError `write_conflict` | what `judge` throws
 */
export async function endKey(
  { store, organizations }: KeyRealm,
  id: string,
  judge: (key: KeyRecord) => void,
  audit: (transaction: Transaction, key: KeyRecord) => Promise<void>,
): Promise<boolean> {
  return optimistic(shortBackoff, async () => {
    const { records, write } = await ending(store, eq(keyFields.key, id));
    const [key] = records;
    if (key === undefined) return false;
    judge(key);
    const { binding } = key;
    if (binding !== null && "org" in binding && organizations !== undefined) {
      await organizations.endService(binding.org, id, (transaction) => audit(transaction, key));
      return true;
    }
    await store.transaction(async (transaction) => {
      await write(transaction);
      await audit(transaction, key);
    });
    return true;
  });
}

/**
 * Gives a key of an operator another one in its place.
 * @param judge throws what refuses it
 * @param audit appends what is told of it
 * @param overlap as {@link rotation} takes it
 * @returns undefined when there is none of this id
 * @throws ApiError `conflict` | `write_conflict` | what `judge` throws
 */
export async function rotateKey(
  realm: Pick<RealmInstance, "store" | "clock">,
  which: Filter,
  overlap: number,
  judge: (key: KeyRecord) => void | Promise<void>,
  audit: (transaction: Transaction, key: KeyRecord) => Promise<void>,
): Promise<MadeKey | undefined> {
  const { rotated } = await optimistic(shortBackoff, async () => {
    const found = await findOne(realm.store, collections.keys, and(which, currentKeys));
    if (found === undefined) return { rotated: undefined };
    const before = readKey(found);
    await judge(before.record);
    const rotated = await rotation(realm, before, overlap);
    await realm.store.transaction(async (transaction) => {
      await rotated.write(transaction);
      await audit(transaction, rotated.record);
    });
    return { rotated };
  });
  return rotated;
}

/** What tells whose key it was: names of tenants' keys do not. */
export function holderFacts(key: KeyRecord): JsonObject {
  return isOperators(key) ? {} : { id: key.key, binding: { ...key.binding } };
}
