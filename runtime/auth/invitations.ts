import { timestamp } from "../clock.ts";
import { ApiError } from "../errors.ts";
import { eq, type Filter } from "../filter/algebra.ts";
import type { Tell } from "../http/contract-body.ts";
import type { Caller } from "../realm/caller.ts";
import type { RealmInstance } from "../realm/exchange.ts";
import type { Store } from "../store/contract/store.ts";
import type { Transaction } from "../store/contract/transaction.ts";
import { parseDuration } from "../units.ts";
import { emailKey } from "../validation/people.ts";
import { collections, invitationFields } from "./collections.ts";
import { newToken, tokenHash, tokenKind } from "./credentials/tokens.ts";
import { findOne } from "./matching.ts";
import {
  type InvitationRecord,
  type Read,
  readInvitation,
  type UserRecord,
  writeInvitation,
} from "./records.ts";

const day = 86_400_000;

/** Milliseconds. */
const lifetimes = { default: 7 * day, shortest: 1_000, longest: 30 * day } as const;

/** The member `expires_in` of an invitation, in milliseconds. */
export function readLifetime(asked: string | null | undefined, tell: Tell): number {
  const lifetime = typeof asked === "string" ? (parseDuration(asked) ?? 0) : lifetimes.default;
  if (lifetime < lifetimes.shortest || lifetime > lifetimes.longest) {
    tell("expires_in", "must be a duration such as 12h or 7d, from 1s to 30d");
  }
  return lifetime;
}

export interface NewInvitation {
  /** Whoever signs up must have this address; null: anybody. */
  readonly email: string | null;
  /** Given beside the realm's default roles. */
  readonly roles: readonly string[];
  /** Milliseconds. */
  readonly lifetime: number;
}

/** An invitation to the realm, to be inserted, with its token, which is shown once. */
export function newInvitation(
  { clock, newId }: Pick<RealmInstance, "clock" | "newId">,
  by: Pick<Caller, "actor">,
  { email, roles, lifetime }: NewInvitation,
): { readonly token: string; readonly record: InvitationRecord } {
  const token = newToken("svi");
  const now = clock.now();
  const record = {
    id: newId(),
    token: tokenHash(token),
    email,
    roles,
    created_at: timestamp(now),
    created_by: by.actor,
    expires_at: timestamp(now + lifetime),
    accepted_by: null,
    revoked: false,
  };
  return { token, record };
}

export type InvitationStatus = "pending" | "accepted" | "expired" | "revoked";

export function invitationStatus(
  { accepted_by, revoked, expires_at }: InvitationRecord,
  now: number,
): InvitationStatus {
  return statusOf({ usedUp: accepted_by !== null, revoked, expires_at }, now);
}

/** What became of an invitation of any kind. */
export function statusOf(
  {
    usedUp,
    revoked,
    expires_at,
  }: { readonly usedUp: boolean; readonly revoked: boolean; readonly expires_at: string },
  now: number,
): InvitationStatus {
  if (usedUp) return "accepted";
  if (revoked) return "revoked";
  return Date.parse(expires_at) <= now ? "expired" : "pending";
}

/**
 * The pending invitation of this token, for this address (in the form it compares in).
 * @throws ApiError `invalid_invitation` for every other
 */
export async function findInvitation(
  { store, clock }: Pick<RealmInstance, "store" | "clock">,
  token: string,
  key: string,
): Promise<InvitationRecord> {
  const hash = invitationHash(token);
  const record =
    hash === undefined ? undefined : (await find(store, eq(invitationFields.token, hash)))?.record;
  if (record === undefined || invitationStatus(record, clock.now()) !== "pending") throw invalidInvitation();
  if (record.email !== null && emailKey(record.email) !== key) throw invalidInvitation();
  return record;
}

/** What an invitation is stored under; undefined for what is no token of one. */
export function invitationHash(token: string): string | undefined {
  return tokenKind(token) === "svi" ? tokenHash(token) : undefined;
}

async function find(store: Store, filter: Filter): Promise<Read<InvitationRecord> | undefined> {
  const document = await findOne(store, collections.invitations, filter);
  return document === undefined ? undefined : readInvitation(document);
}

/**
 * Accepts an invitation in the transaction that makes the account.
 * @throws ApiError `invalid_invitation` when it is over by now
 */
export async function acceptInvitation(
  { clock }: Pick<RealmInstance, "clock">,
  transaction: Transaction,
  id: string,
  user: Pick<UserRecord, "id">,
): Promise<void> {
  const invitations = transaction.collection(collections.invitations);
  const document = await invitations.get(id, "live");
  if (document === undefined) throw invalidInvitation();
  const { record, version } = readInvitation(document);
  if (invitationStatus(record, clock.now()) !== "pending") throw invalidInvitation();
  const accepted = { ...record, accepted_by: user.id };
  if (!(await invitations.replace(version, writeInvitation(accepted, version + 1))))
    throw invalidInvitation();
}

/** The invitation that a user signed up with, which changes no more. */
export async function invitationOf(store: Store, user: string): Promise<Read<InvitationRecord> | undefined> {
  return find(store, eq(invitationFields.accepted_by, user));
}

/** Forgets whom an accepted invitation was for, in the transaction that deletes their account. */
export async function forgetInvited(
  transaction: Transaction,
  { record, version }: Read<InvitationRecord>,
): Promise<void> {
  const forgotten = writeInvitation({ ...record, email: null }, version + 1);
  await transaction.collection(collections.invitations).replace(version, forgotten);
}

export function invalidInvitation(): ApiError {
  return new ApiError("invalid_invitation", "The invitation is unknown, expired, revoked or used up.");
}
