import { timestamp } from "../../clock.ts";
import { ApiError } from "../../errors.ts";
import { eq } from "../../filter/algebra.ts";
import type { RealmInstance } from "../../realm/exchange.ts";
import { UniqueViolation } from "../../store/contract/errors.ts";
import type { Store } from "../../store/contract/store.ts";
import type { Transaction } from "../../store/contract/transaction.ts";
import { collections, tokenFields, uniqueIndexes } from "../collections.ts";
import { findOne } from "../matching.ts";
import { readToken, readUser, type TokenRecord, type UserRecord, writeToken } from "../records.ts";
import { replaceUser } from "../users.ts";
import { newToken, tokenHash, tokenKind } from "./tokens.ts";

/** What a mailed token lets its holder do once (api-decisions: Accounts). */
export type MailedPurpose = keyof typeof lifetimes;

const hour = 3_600_000;
const lifetimes = { verify: 24 * hour, reset: hour, email: 24 * hour } as const;

export interface MailedToken extends TokenRecord {
  readonly purpose: MailedPurpose;
  readonly email: string;
}

/** What a token rests on of its user. */
type TokenOwner = Pick<UserRecord, "id" | "email_key" | "generation">;

/** Parallel requests for one slot that a newer token outlives. */
const attempts = 5;

/**
 * A new token, to be stored by {@link putToken}.
 * @param email where it is mailed to; with purpose `email` the address that the user will have
 */
export function newMailed(
  { clock }: Pick<RealmInstance, "clock">,
  purpose: MailedPurpose,
  user: TokenOwner,
  email: string,
): { readonly token: string; readonly record: TokenRecord } {
  const token = newToken("svt");
  const now = clock.now();
  const record = {
    id: tokenHash(token),
    purpose,
    user: user.id,
    slot: `${purpose}:${user.id}`,
    email,
    basis: basisOf(purpose, user),
    created_at: timestamp(now),
    expires_at: timestamp(now + lifetimes[purpose]),
  };
  return { token, record };
}

/**
 * Stores a token in place of the one that has its slot, if any.
 * @param run runs the transaction; `put` belongs into it
 * @throws ApiError `write_conflict` | what `run` throws
 */
export async function putToken<T>(
  store: Store,
  record: TokenRecord,
  run: (put: (transaction: Transaction) => Promise<void>) => Promise<T>,
): Promise<T> {
  const filter = eq(tokenFields.slot, record.slot);
  for (let attempt = 1; ; attempt += 1) {
    const older = await findOne(store, collections.tokens, filter);
    try {
      return await run(async (transaction) => {
        const tokens = transaction.collection(collections.tokens);
        if (older !== undefined) await tokens.remove(older.id);
        await tokens.insert(writeToken(record));
      });
    } catch (error) {
      // Another one came in between, which this one ends too.
      if (!(error instanceof UniqueViolation && error.index === uniqueIndexes.tokenSlot)) throw error;
      if (attempt === attempts) {
        throw new ApiError("write_conflict", "Too many of these were asked for at once; try again.");
      }
    }
  }
}

/**
 * The token if it can still be used for one of these purposes.
 * @throws ApiError `invalid_token` for every other
 */
export async function findMailed(
  store: Store,
  token: string,
  purposes: readonly MailedPurpose[],
): Promise<MailedToken> {
  const document =
    tokenKind(token) === "svt"
      ? await store.collection(collections.tokens).get(tokenHash(token), "live")
      : undefined;
  if (document === undefined) throw invalidToken();
  const { record } = readToken(document);
  const purpose = purposes.find((one) => one === record.purpose);
  const owner = await store.collection(collections.users).get(record.user, "live");
  if (purpose === undefined || record.email === null || owner === undefined) throw invalidToken();
  if (!restsOn(record, purpose, readUser(owner).record)) throw invalidToken();
  return { ...record, purpose, email: record.email };
}

export interface UserChange {
  readonly before: UserRecord;
  /** At which it was read. */
  readonly version: number;
  readonly after: UserRecord;
}

/**
 * Uses a token: it ends in the transaction that changes its user, so that of parallel uses one succeeds. `along` writes
 * what belongs to the change.
 * @throws ApiError `invalid_token` when it is over by now; UniqueViolation
 */
export async function useMailed(
  store: Store,
  token: MailedToken,
  change: (user: UserRecord) => UserRecord,
  along: (transaction: Transaction, change: UserChange) => Promise<void> = async () => {},
): Promise<UserChange> {
  return store.transaction(async (transaction) => {
    const document = await transaction.collection(collections.users).get(token.user, "live");
    if (document === undefined) throw invalidToken();
    const { record: before, version } = readUser(document);
    const tokens = transaction.collection(collections.tokens);
    if (!restsOn(token, token.purpose, before) || !(await tokens.remove(token.id))) throw invalidToken();
    const after = change(before);
    if (after !== before) await replaceUser(transaction, version, after);
    await along(transaction, { before, version, after });
    return { before, version, after };
  });
}

function restsOn({ basis }: TokenRecord, purpose: MailedPurpose, user: UserRecord): boolean {
  return !user.disabled && basis === basisOf(purpose, user);
}

/**
 * Proving an address is over when the user has another one. What takes over an account is over also when all of the
 * user's sessions were ended: by a new password, or by disabling.
 */
function basisOf(purpose: MailedPurpose, { email_key, generation }: TokenOwner): string {
  return purpose === "verify" ? email_key : `${generation} ${email_key}`;
}

function invalidToken(): ApiError {
  return new ApiError("invalid_token", "The token is unknown, used up or expired.");
}
