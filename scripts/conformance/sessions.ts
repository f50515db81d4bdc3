import { newProof } from "../../runtime/auth/accounts/proof.ts";
import { collections } from "../../runtime/auth/collections.ts";
import { newToken, tokenHash } from "../../runtime/auth/credentials/tokens.ts";
import { type UserRecord, writeSession, writeToken } from "../../runtime/auth/records.ts";
import { type Clock, timestamp } from "../../runtime/clock.ts";
import type { Store } from "../../runtime/store/contract.ts";

interface Place {
  readonly store: Store;
  readonly clock: Clock;
}

/** A session that has just begun. @param session its id, as clients see it */
export async function beginSession(
  { store, clock }: Place,
  user: UserRecord,
  session: string,
): Promise<{ readonly token: string; readonly session: string }> {
  const token = newToken("svs");
  const now = clock.now();
  const record = {
    id: tokenHash(token),
    session,
    user: user.id,
    generation: user.generation,
    created_at: timestamp(now),
    last_used_at: timestamp(now),
    expires_at: timestamp(now + 86_400_000),
    user_agent: null,
    address: "127.0.0.1",
    mfa: false,
    proved_at: timestamp(now),
    administered_at: timestamp(now),
  };
  await store.collection(collections.sessions).insert(writeSession(record, 1));
  return { token, session };
}

/** A proof of identity for a session, as `/reauth` answers it. */
export async function giveProof({ store, clock }: Place, user: UserRecord, session: string): Promise<string> {
  const { token, record } = newProof({ clock }, user, session);
  await store.collection(collections.tokens).insert(writeToken(record));
  return token;
}
