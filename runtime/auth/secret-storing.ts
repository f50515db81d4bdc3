/** Secrets as administrators and commands set them. */
import { type Clock, timestamp } from "../clock.ts";
import { ApiError, type Detail } from "../errors.ts";
import { TRUE } from "../filter/algebra.ts";
import type { Vault } from "../sealing.ts";
import type { Store } from "../store/contract/store.ts";
import type { Transaction } from "../store/contract/transaction.ts";
import { putRecord } from "./administration/put.ts";
import { collections } from "./collections.ts";
import { readSecret, type SecretRecord, writeSecret } from "./records.ts";
import { secretContext } from "./sealed.ts";

/** Secrets of one realm. */
const most = 1_000;

/** Characters of a value. */
export const longestSecret = 65_536;

const nameForm = /^[A-Za-z][A-Za-z0-9_]{0,62}$/;

/** What is wrong with the name of a secret that is to be set. */
export function secretNameProblems(name: string): readonly Detail[] {
  const reason = "must begin with a letter and have at most 63 letters, digits and _";
  return nameForm.test(name) ? [] : [{ path: "name", reason }];
}

/**
 * Sets one, in place of the value that it has.
 * @param along writes what belongs to the change, in its transaction
 * @throws ApiError `conflict` where there are too many; `write_conflict`
 */
export async function storeSecret(
  { store, clock, vault }: { readonly store: Store; readonly clock: Clock; readonly vault: Vault },
  { name, value }: { readonly name: string; readonly value: string },
  along: (transaction: Transaction, replaced: boolean) => Promise<void>,
): Promise<SecretRecord> {
  const sealed = vault.seal(value, secretContext(name));
  const secrets = store.collection(collections.secrets);
  if ((await secrets.get(name, "live")) === undefined && (await secrets.count(TRUE, "live")) >= most)
    throw new ApiError("conflict", `A realm has at most ${most} secrets.`);
  const now = timestamp(clock.now());
  return putRecord<SecretRecord>(store, {
    collection: collections.secrets,
    id: name,
    read: readSecret,
    write: writeSecret,
    next: (before) => ({ id: name, value: sealed, created_at: before?.created_at ?? now, updated_at: now }),
    along: (transaction, before) => along(transaction, before !== undefined),
  });
}
