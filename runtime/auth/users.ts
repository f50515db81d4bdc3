import { timestamp } from "../clock.ts";
import { ApiError } from "../errors.ts";
import { eq } from "../filter/algebra.ts";
import type { JsonObject } from "../json.ts";
import { type Administration, administrationOf } from "../realm/administration.ts";
import type { RuleUser } from "../realm/caller.ts";
import type { AccountSettings } from "../realm/definition.ts";
import type { RealmInstance } from "../realm/exchange.ts";
import { UniqueViolation } from "../store/contract/errors.ts";
import type { Store } from "../store/contract/store.ts";
import type { Transaction } from "../store/contract/transaction.ts";
import { collections, uniqueIndexes, userFields } from "./collections.ts";
import { findOne } from "./matching.ts";
import { readUser, type UserRecord, writeUser } from "./records.ts";

/** The user with this address (in the form it compares in), disabled or not. */
export async function findByEmail(store: Store, emailKey: string): Promise<UserRecord | undefined> {
  const document = await findOne(store, collections.users, eq(userFields.email_key, emailKey));
  return document === undefined ? undefined : readUser(document).record;
}

/** The roles that a user holds: one that the configuration no longer has is no longer held. */
export function heldRoles(
  { roles }: Pick<UserRecord, "roles">,
  accounts: AccountSettings,
): readonly string[] {
  return roles.filter((role) => isRole(role, accounts));
}

export function isRole(name: string, { roles }: AccountSettings): boolean {
  return roles.some((role) => role.name === name);
}

/** What roles give to administer; undefined: nothing. */
export function administrationOfRoles(
  held: readonly string[],
  { roles, readAccess }: AccountSettings,
): Administration | undefined {
  const grants = roles.flatMap(({ name, admin }) =>
    admin !== undefined && held.includes(name) ? [admin] : [],
  );
  return administrationOf(grants, readAccess);
}

/**
 * What rules see of a user.
 * @param mfa whether the session used a second factor; it counts while the user has one
 */
export function ruleUser(user: UserRecord, accounts: AccountSettings, mfa: boolean): RuleUser {
  return {
    id: user.id,
    email: user.email,
    email_verified: user.email_verified,
    roles: heldRoles(user, accounts),
    locale: user.locale,
    mfa: mfa && user.totp !== null,
    created_at: user.created_at,
    profile: user.profile,
  };
}

/** A user as answers carry it (api-decisions: Accounts); `mfa`: has a second factor. */
export function userView(user: UserRecord, accounts: AccountSettings): JsonObject {
  const { id, email, email_verified, locale, profile, created_at } = user;
  const roles = heldRoles(user, accounts);
  return { id, email, email_verified, locale, roles, profile, mfa: user.totp !== null, created_at };
}

/** What a new account is given; everything else begins the same for all. */
export type NewUser = Pick<
  UserRecord,
  "email" | "email_key" | "email_verified" | "password" | "roles" | "locale" | "profile"
>;

export function newUser(
  { clock, newId }: Pick<RealmInstance, "clock" | "newId">,
  given: NewUser,
): UserRecord {
  return {
    ...given,
    id: newId(),
    disabled: false,
    created_at: timestamp(clock.now()),
    generation: 1,
    totp: null,
    totp_pending: null,
  };
}

/**
 * What an account is written in, or written anew: of two with one address, or where the address is taken, one is refused.
 * @throws ApiError `email_taken` | what `work` throws
 */
export async function withFreeEmail<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UniqueViolation && error.index === uniqueIndexes.email) throw emailTaken();
    throw error;
  }
}

export function emailTaken(): ApiError {
  return new ApiError("email_taken", "An account with this e-mail address exists.");
}

/** A user all of whose sessions end, and with them a second factor that one of them was enrolling. */
export function withSessionsEnded(user: UserRecord): UserRecord {
  return { ...user, generation: user.generation + 1, totp_pending: null };
}

/** A user without a second factor, also without one that is being enrolled; the record itself where there is none. */
export function withoutFactor(user: UserRecord): UserRecord {
  const { totp, totp_pending } = user;
  return totp === null && totp_pending === null ? user : { ...user, totp: null, totp_pending: null };
}

/**
 * Writes a user anew in a transaction.
 * @param version that it was read at
 */
export async function replaceUser(
  transaction: Transaction,
  version: number,
  user: UserRecord,
): Promise<void> {
  const users = transaction.collection(collections.users);
  if (await users.replace(version, writeUser(user, version + 1))) return;
  throw new ApiError("write_conflict", "The user was changed at the same time; try again.");
}

/**
 * Changes one user in a transaction, in which `along` writes, before that, what belongs to the change. When `change` gives
 * back the record it was given nothing is written.
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
    await along(transaction, before, after);
    await replaceUser(transaction, version, after);
    return after;
  });
}
