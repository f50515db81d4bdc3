import { timestamp } from "../../clock.ts";
import * as contract from "../../contract/accounts.ts";
import { ApiError } from "../../errors.ts";
import { and, compare, eq, not } from "../../filter/algebra.ts";
import type { JsonObject } from "../../json.ts";
import type { SessionCaller } from "../../realm/caller.ts";
import type { Store } from "../../store/contract/store.ts";
import { collections, sessionFields } from "../collections.ts";
import { sessionRoute } from "../contracted.ts";
import { removeAll } from "../matching.ts";
import { answerPage, lists, pageRequest } from "../paging.ts";
import { type AccountRealm, inRealm } from "../realm.ts";
import { readSession, type SessionRecord, type UserRecord, writeSignedOut } from "../records.ts";

export const listSessions = sessionRoute(
  contract.listOwnSessions,
  inRealm(
    (realm) =>
      ({ query }, caller) =>
        answerSessions(realm, caller.user.id, query, caller.credential.id),
  ),
);

/** A page of a user's sessions that have not ended; `current` marks one. */
export function answerSessions(
  realm: AccountRealm,
  user: string,
  query: ReadonlyMap<string, string>,
  current?: string,
): Promise<JsonObject> {
  const idleSince = timestamp(realm.clock.now() - realm.accounts.sessionIdleTimeout);
  const filter = and(eq(sessionFields.user, user), compare("gt", sessionFields.last_used_at, idleSince));
  const entry = (session: SessionRecord) => sessionEntry(session, current);
  return answerPage(realm, lists.sessions, filter, pageRequest(query), entry);
}

function sessionEntry(record: SessionRecord, current: string | undefined): JsonObject {
  const { session, created_at, last_used_at, expires_at, user_agent, address } = record;
  return {
    id: session,
    created_at,
    last_used_at,
    expires_at,
    current: session === current,
    user_agent,
    address,
  };
}

export const deleteSession = sessionRoute(
  contract.endOwnSession,
  inRealm((realm) => async ({ params: { id } }, caller) => {
    if (id === caller.credential.id) await signOut(realm, caller);
    else if (!(await endSession(realm.store, caller.user.id, id))) {
      throw new ApiError("not_found", "There is no such session.");
    }
  }),
);

export const deleteSessions = sessionRoute(
  contract.endOtherSessions,
  inRealm((realm) => async (_, caller) => {
    await endSessions(realm.store, caller.user.id, caller.credential.id);
  }),
);

/**
 * Ends the session that asks. Of it stays for a while, among what is deleted, that it did so itself, and nothing else: for
 * those who only see that it has ended (`Credentials.ended`).
 */
export async function signOut({ store, clock }: AccountRealm, { credential }: SessionCaller): Promise<void> {
  await store.transaction(async (transaction) => {
    const sessions = transaction.collection(collections.sessions);
    const document = await sessions.get(credential.hash, "live");
    if (document === undefined) return;
    const { record, version } = readSession(document);
    await sessions.replace(version, writeSignedOut(record, version + 1, clock.now()));
  });
}

/** Ends one session of a user; false when there is none of this id. */
async function endSession(store: Store, user: string, session: string): Promise<boolean> {
  const own = and(eq(sessionFields.session, session), eq(sessionFields.user, user));
  return (await removeAll(store, collections.sessions, own)) > 0;
}

export async function endSessions(store: Store, user: string, except?: string): Promise<void> {
  const others = and(eq(sessionFields.user, user), not(eq(sessionFields.session, except)));
  await removeAll(store, collections.sessions, others);
}

/** Forgets the sessions that ended when the user's generation was raised; those that have begun since go on. */
export async function forgetSessions(
  store: Store,
  { id, generation }: Pick<UserRecord, "id" | "generation">,
): Promise<void> {
  const ended = and(eq(sessionFields.user, id), compare("lt", sessionFields.generation, generation));
  await removeAll(store, collections.sessions, ended);
}
