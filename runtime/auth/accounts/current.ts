import type { SessionCaller } from "../../realm/caller.ts";
import type { DocumentReader } from "../../store/contract/collection.ts";
import type { Transaction } from "../../store/contract/transaction.ts";
import { unauthenticated } from "../authenticate.ts";
import { collections } from "../collections.ts";
import {
  type Read,
  readSession,
  readUser,
  type SessionRecord,
  type UserRecord,
  writeSession,
} from "../records.ts";

/**
 * The user whose session asks, as they are in the store or in a transaction.
 * @throws ApiError `unauthenticated` when they are there no more, or disabled
 */
export async function currentUser(
  source: { collection(name: string): DocumentReader },
  { user }: SessionCaller,
): Promise<Read<UserRecord>> {
  const document = await source.collection(collections.users).get(user.id, "live");
  const read = document === undefined ? undefined : readUser(document);
  if (read === undefined || read.record.disabled) throw sessionEnded();
  return read;
}

/**
 * Whether the session that asks has not been ended up to this state of its user.
 * @throws ApiError `unauthenticated`
 */
export async function requireGoingOn(
  source: { collection(name: string): DocumentReader },
  { credential }: SessionCaller,
  { generation }: UserRecord,
): Promise<void> {
  const document = await source.collection(collections.sessions).get(credential.hash, "live");
  if (document === undefined || readSession(document).record.generation !== generation) throw sessionEnded();
}

/**
 * Changes the record of a session.
 * @param id of the record
 * @param owner as they are in the transaction, before a change that ends sessions
 * @throws ApiError `unauthenticated` when it has ended
 */
export async function changeSession(
  transaction: Transaction,
  id: string,
  owner: UserRecord,
  change: (session: SessionRecord) => SessionRecord,
): Promise<void> {
  const sessions = transaction.collection(collections.sessions);
  const document = await sessions.get(id, "live");
  const read = document === undefined ? undefined : readSession(document);
  if (read === undefined || read.record.generation !== owner.generation) throw sessionEnded();
  const { record, version } = read;
  if (!(await sessions.replace(version, writeSession(change(record), version + 1)))) throw sessionEnded();
}

function sessionEnded(): Error {
  return unauthenticated("This session has ended.");
}
