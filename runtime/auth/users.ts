import { ApiError } from "../errors.ts";
import { eq } from "../filter/algebra.ts";
import type { JsonObject } from "../json.ts";
import type { RuleUser } from "../realm/caller.ts";
import type { AccountSettings } from "../realm/definition.ts";
import type { Store, Transaction } from "../store/contract.ts";
import { collections, userFields } from "./collections.ts";
import { readUser, type UserRecord, writeUser } from "./records.ts";

/** The user with this address (in the form it compares in), disabled or not. */
export async function findByEmail(store: Store, emailKey: string): Promise<UserRecord | undefined> {
  const filter = eq(userFields.email_key, emailKey);
  const [document] = await store
    .collection(collections.users)
    .find({ filter, visibility: "live", limit: 1, skip: 0 });
  return document === undefined ? undefined : readUser(document).record;
}

/** What rules see of a user. A role that the configuration no longer has is no longer held. */
export function ruleUser(user: UserRecord, accounts: AccountSettings): RuleUser {
  return {
    id: user.id,
    email: user.email,
    email_verified: user.email_verified,
    roles: user.roles.filter((role) => accounts.roles.includes(role)),
    locale: user.locale,
    mfa: false,
    created_at: user.created_at,
    profile: user.profile,
  };
}

/** A user as answers carry it (api-decisions: Accounts). */
export function userView(user: UserRecord, accounts: AccountSettings): JsonObject {
  const { id, email, email_verified, locale, roles, profile, mfa, created_at } = ruleUser(user, accounts);
  return { id, email, email_verified, locale, roles, profile, mfa, created_at };
}

/**
 * Changes one user in a transaction, in which `along` writes what belongs to the change. When `change` gives back the
 * record it was given nothing is written.
 * @returns the record after the change; undefined when there is no such user.
 */
export async function changeUser(
  store: Store,
  id: string,
  change: (user: UserRecord) => UserRecord,
  along: (transaction: Transaction, before: UserRecord, after: UserRecord) => Promise<void> = async () => {},
): Promise<UserRecord | undefined> {
  return store.transaction(async (transaction) => {
    const users = transaction.collection(collections.users);
    const document = await users.get(id, "live");
    if (document === undefined) return undefined;
    const { record: before, version } = readUser(document);
    const after = change(before);
    if (after === before) return after;
    if (!(await users.replace(version, writeUser(after, version + 1)))) {
      throw new ApiError("write_conflict", "The user was changed at the same time; try again.");
    }
    await along(transaction, before, after);
    return after;
  });
}
