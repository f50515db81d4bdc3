import { timestamp } from "../../clock.ts";
import { ApiError } from "../../errors.ts";
import { and, compare, eq, type Filter, not } from "../../filter/algebra.ts";
import type { JsonObject } from "../../json.ts";
import type { Route } from "../../realm/exchange.ts";
import type { Store } from "../../store/contract.ts";
import { collections, sessionFields } from "../collections.ts";
import { answerPage, pageParameters, pageRequest } from "../paging.ts";
import type { AccountRealm } from "../realm.ts";
import { readSession, type SessionRecord } from "../records.ts";
import { sessionRoute } from "./route.ts";

/** Sessions ended in one transaction. */
const atOnce = 100;

/** GET `/sessions`: the caller's own that have not ended. */
export function listSessions(realm: AccountRealm): Route {
  const { accounts, clock, store } = realm;
  return sessionRoute(
    realm,
    async (_, caller, query) => {
      const page = pageRequest(query);
      const idleSince = timestamp(clock.now() - accounts.sessionIdleTimeout);
      const filter = and(
        eq(sessionFields.user, caller.user.id),
        compare("gt", sessionFields.last_used_at, idleSince),
      );
      const sessions = store.collection(collections.sessions);
      const entry = (session: SessionRecord) => sessionEntry(session, caller.sessionId);
      return answerPage(sessions, filter, sessionFields.created_at, page, readSession, entry);
    },
    pageParameters,
  );
}

function sessionEntry(record: SessionRecord, current: string): JsonObject {
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

/** DELETE `/sessions/{id}`: ends one of the caller's own. */
export function deleteSession(realm: AccountRealm): Route {
  return sessionRoute(realm, async ({ params }, caller) => {
    if (!(await endSession(realm.store, caller.user.id, params.id ?? ""))) {
      throw new ApiError("not_found", "There is no such session.");
    }
    return { status: 204 };
  });
}

/** DELETE `/sessions`: ends all of the caller's but this one. */
export function deleteSessions(realm: AccountRealm): Route {
  return sessionRoute(realm, async (_, caller) => {
    await endSessions(realm.store, caller.user.id, caller.sessionId);
    return { status: 204 };
  });
}

/** Ends one session of a user; false when there is none of this id. */
export async function endSession(store: Store, user: string, session: string): Promise<boolean> {
  const own = and(eq(sessionFields.session, session), eq(sessionFields.user, user));
  return (await endSome(store, own)) > 0;
}

/** Ends all sessions of a user but `except`. */
export async function endSessions(store: Store, user: string, except?: string): Promise<void> {
  const others = and(eq(sessionFields.user, user), not(eq(sessionFields.session, except)));
  while ((await endSome(store, others)) === atOnce);
}

async function endSome(store: Store, filter: Filter): Promise<number> {
  const sessions = store.collection(collections.sessions);
  const found = await sessions.find({ filter, visibility: "live", limit: atOnce, skip: 0 });
  if (found.length === 0) return 0;
  await store.transaction(async (transaction) => {
    const ended = transaction.collection(collections.sessions);
    for (const { id } of found) await ended.remove(id);
  });
  return found.length;
}
