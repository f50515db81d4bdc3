import { collections } from "../auth/collections.ts";
import { type Read, readUser, type UserRecord, writeUser } from "../auth/records.ts";
import { isIn } from "../filter/algebra.ts";
import { documentFields } from "../filter/fields.ts";
import type { RealmInstance } from "../realm/exchange.ts";
import { Outdated } from "../retry.ts";
import type { Transaction } from "../store/contract/transaction.ts";

/** Accounts that organizations rest on: read before something is decided, held fast while it is written. */

type Realm = Pick<RealmInstance, "store">;

export async function findAccount({ store }: Realm, id: string): Promise<Read<UserRecord> | undefined> {
  const document = await store.collection(collections.users).get(id, "live");
  return document === undefined ? undefined : readUser(document);
}

/** The accounts of users that there are, in any order. */
export async function accountsOf(
  { store }: Realm,
  users: readonly string[],
): Promise<readonly Read<UserRecord>[]> {
  if (users.length === 0) return [];
  const documents = await store.collection(collections.users).find({
    filter: isIn(documentFields.id, users),
    visibility: "live",
    limit: users.length,
    skip: 0,
  });
  return documents.map(readUser);
}

/**
 * Writes accounts as they are: whoever disables, enables or deletes one of them at the same moment meets this.
 * @throws Outdated when one was changed since it was read
 */
export async function holdAccounts(
  transaction: Transaction,
  accounts: readonly Read<UserRecord>[],
): Promise<void> {
  const users = transaction.collection(collections.users);
  for (const { record, version } of accounts) {
    if (!(await users.replace(version, writeUser(record, version + 1)))) throw new Outdated();
  }
}
