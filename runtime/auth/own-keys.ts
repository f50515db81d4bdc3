import { timestamp } from "../clock.ts";
import type { rotationBody } from "../contract/key-members.ts";
import type { Value } from "../contract/schema.ts";
import { ApiError } from "../errors.ts";
import { and, compare, type Filter, not } from "../filter/algebra.ts";
import type { ReadBody, Tell } from "../http/contract-body.ts";
import type { JsonObject } from "../json.ts";
import type { AccountSettings } from "../realm/definition.ts";
import type { RealmInstance } from "../realm/exchange.ts";
import { UniqueViolation } from "../store/contract/errors.ts";
import type { Transaction } from "../store/contract/transaction.ts";
import { parseDuration, printDuration } from "../units.ts";
import { collections, keyFields, uniqueIndexes } from "./collections.ts";
import { ending } from "./key-changes.ts";
import type { KeyRecord } from "./key-records.ts";
import { keyNameTaken, keyProblems, keyProblemsIn, type NewKey } from "./keys.ts";
import { currentKeys } from "./paging.ts";
import { readScopes } from "./scopes.ts";

/** Keys that tenants make, for themselves or for their organization: what is asked of one, and how many they have. */

/** What is asked of a new one, by whoever it is for. */
export interface AskedKey {
  readonly name: string;
  readonly scopes?: JsonObject | null | undefined;
  readonly networks?: readonly string[] | null | undefined;
  /** A duration; the longest unless given. */
  readonly expires_in?: string | null | undefined;
}

const hour = 3_600_000;
const day = 24 * hour;

/** Milliseconds. */
const shortestLife = hour;

/** `max_lifetime` of a realm without `tokens`. */
const usualLife = 365 * day;

/** Says what is wrong with a key that is asked for; `given` are the members that are of the right form. */
export function judgeKey(
  { definition, clock }: Pick<RealmInstance, "definition" | "clock">,
  given: Partial<AskedKey>,
  tell: Tell,
): void {
  const now = clock.now();
  const { name = "", scopes, networks, expires_in } = given;
  if (scopes) for (const { path, reason } of readScopes(scopes).problems) tell(path, reason);
  const key = newKey({ name, scopes, networks });
  for (const { path, reason } of [...keyProblems(key, now), ...keyProblemsIn(definition, key)])
    tell(path, reason);
  const longest = longestLife(definition.accounts);
  const life = lifeOf(expires_in, longest);
  if (life === undefined) tell("expires_in", "must be a duration such as 30d");
  else if (life < shortestLife || life > longest)
    tell("expires_in", `must be ${printDuration(shortestLife)} to ${printDuration(longest)}`);
}

/** A key that was judged. */
export function askedKey(
  { definition, clock }: Pick<RealmInstance, "definition" | "clock">,
  asked: AskedKey,
): NewKey {
  const life = lifeOf(asked.expires_in, longestLife(definition.accounts));
  return { ...newKey(asked), ...(life !== undefined && { expiresAt: clock.now() + life }) };
}

function newKey({ name, scopes, networks }: AskedKey): NewKey {
  return {
    name,
    admin: false,
    ...(scopes && { scopes: readScopes(scopes).scopes }),
    ...(networks && { networks }),
  };
}

function lifeOf(asked: AskedKey["expires_in"], longest: number): number | undefined {
  return typeof asked === "string" ? parseDuration(asked) : longest;
}

function longestLife(accounts: AccountSettings | undefined): number {
  return accounts?.tokens?.maxLifetime ?? usualLife;
}

export const usualOverlap = day;
export const longestOverlap = 7 * day;

/**
 * For how long a rotation lets the former key live on; milliseconds.
 * @throws ApiError `validation_error`
 */
export function readOverlap(body: ReadBody<Value<typeof rotationBody>>): number {
  const of = (asked: string | null | undefined) =>
    typeof asked === "string" ? parseDuration(asked) : usualOverlap;
  const { overlap } = body((given, tell) => {
    const asked = of(given.overlap);
    if (asked === undefined) tell("overlap", "must be a duration such as 24h");
    else if (asked > longestOverlap) tell("overlap", `must be 0s to ${printDuration(longestOverlap)}`);
  });
  return of(overlap) ?? usualOverlap;
}

type Write = (transaction: Transaction) => Promise<void>;

/** Keys that a user, or an organization, has at once. */
const mostKeys = 50;

/**
 * Room for one more key of a holder, whose expired ones go. What it answers belongs into the transaction that writes the key,
 * after what locks the holder's keys: it throws Outdated where one of those was changed since.
 * @param own which keys the holder has
 * @param leaving what else goes with those that are expired, in the same transaction
 * @throws ApiError `conflict`
 */
export async function roomForKey(
  { store, clock }: Pick<RealmInstance, "store" | "clock">,
  own: Filter,
  leaving: (keys: readonly KeyRecord[]) => Promise<Write> = async () => async () => undefined,
): Promise<Write> {
  const isOver = compare("lte", keyFields.expires_at, timestamp(clock.now()));
  const live = and(own, currentKeys, not(isOver));
  const [over, count] = await Promise.all([
    ending(store, and(own, isOver)),
    store.collection(collections.keys).count(live, "live"),
  ]);
  if (count < mostKeys) {
    const leave = await leaving(over.records);
    return async (transaction) => {
      await over.write(transaction);
      await leave(transaction);
    };
  }
  throw new ApiError("conflict", `There are ${mostKeys} keys, which is the most; revoke one.`);
}

/**
 * What a tenant's key is written in: its name is one that no other key of its holder has.
 * @throws ApiError `conflict` | what `work` throws
 */
export async function withFreeKeyName<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UniqueViolation && error.index === uniqueIndexes.ownKeyName) throw keyNameTaken();
    throw error;
  }
}
