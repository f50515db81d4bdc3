import { timestamp } from "../../clock.ts";
import { ApiError } from "../../errors.ts";
import type { SessionCaller } from "../../realm/caller.ts";
import type { Exchange, RealmInstance } from "../../realm/exchange.ts";
import { collections } from "../collections.ts";
import { newToken, tokenHash, tokenKind } from "../credentials/tokens.ts";
import { readToken, readUser, type TokenRecord, type UserRecord } from "../records.ts";

const lifetime = 5 * 60_000;

/** A new proof of identity for a session; only the answer to this request carries its token. */
export function newProof(
  { clock }: Pick<RealmInstance, "clock">,
  user: UserRecord,
  session: string,
): { readonly token: string; readonly record: TokenRecord } {
  const token = newToken("svp");
  const now = clock.now();
  const record = {
    id: tokenHash(token),
    purpose: "proof" as const,
    user: user.id,
    slot: slotOf(session),
    email: null,
    basis: basisOf(user),
    created_at: timestamp(now),
    expires_at: timestamp(now + lifetime),
  };
  return { token, record };
}

/**
 * Lets a sensitive operation go on (spec: Authentication 8).
 * @throws ApiError `reauth_required` unless `X-Svc-Reauth` carries a proof of this very session that has not expired, and
 *   the user's sessions were not ended since, as by a new password; where the user has a second factor, the session must
 *   have used it, so that a proof from before it was enrolled, by a password alone, takes it away from nobody
 */
export async function requireProof(
  { store }: Pick<RealmInstance, "store">,
  exchange: Exchange,
  { user, credential }: SessionCaller,
): Promise<void> {
  const sent = exchange.headers["x-svc-reauth"];
  // Sent twice, it is a list, which is no token.
  const token = typeof sent === "string" && tokenKind(sent) === "svp" ? sent : undefined;
  if (token === undefined) throw reauthRequired();
  const [proof, owner] = await Promise.all([
    store.collection(collections.tokens).get(tokenHash(token), "live"),
    store.collection(collections.users).get(user.id, "live"),
  ]);
  if (proof === undefined || owner === undefined) throw reauthRequired();
  // An expired one is in the store no more.
  const { slot, basis } = readToken(proof).record;
  const { record } = readUser(owner);
  if (slot !== slotOf(credential.id) || basis !== basisOf(record)) throw reauthRequired();
  if (record.totp !== null && !user.mfa) throw reauthRequired();
}

function slotOf(session: string): string {
  return `proof:${session}`;
}

function basisOf({ generation }: UserRecord): string {
  return `${generation}`;
}

function reauthRequired(): ApiError {
  return new ApiError("reauth_required", "This needs a fresh proof of identity, sent as X-Svc-Reauth.");
}
