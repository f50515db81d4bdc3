import * as contract from "../../contract/credentials.ts";
import { ApiError } from "../../errors.ts";
import { longBackoff, Outdated, optimistic } from "../../retry.ts";
import { emailKey } from "../../validation/people.ts";
import { appendAudit, holderOf } from "../administration/audit.ts";
import { collections } from "../collections.ts";
import { openRoute, sessionRoute } from "../contracted.ts";
import { findMailed, useMailed } from "../credentials/mailed.ts";
import { guessLimits, Throttle, wrong } from "../credentials/throttle.ts";
import { ending } from "../key-changes.ts";
import { inRealm } from "../realm.ts";
import type { UserRecord } from "../records.ts";
import { findByEmail, replaceUser, withoutFactor, withSessionsEnded } from "../users.ts";
import { changeSession, currentUser } from "./current.ts";
import { afterTheAnswer, mailNobody, mailToken } from "./mailing.ts";
import { forgetSessions } from "./sessions.ts";
import { tokensOf } from "./tokens.ts";

export const changePassword = sessionRoute(
  contract.changePassword,
  inRealm((realm) => {
    const { store } = realm;
    const throttle = new Throttle(realm);
    return async ({ exchange, body }, caller) => {
      const { current, new: password } = body();
      const { record: user } = await currentUser(store, caller);
      const limits = guessLimits(user.email_key, exchange.address);
      await throttle.check(limits);
      const { hash: session } = caller.credential;
      const right = await realm.passwords.verify(user.password ?? undefined, current);
      const hash = right ? await realm.passwords.hash(password) : undefined;
      const told = await throttle.guess(limits, async (transaction) => {
        const { record: before, version } = await currentUser(transaction, caller);
        // The one that was verified, or another change came first.
        if (hash === undefined || before.password !== user.password) return wrong;
        const after = withPassword(before, hash);
        const { generation } = after;
        await replaceUser(transaction, version, after);
        await changeSession(transaction, session, before, (record) => ({ ...record, generation }));
        const entry = { action: "password.change", target: caller.actor } as const;
        await appendAudit(realm, transaction, exchange, caller, entry);
        return after;
      });
      if (told === wrong) throw new ApiError("invalid_credentials", "The current password is wrong.");
      await forgetSessions(store, told);
    };
  }),
);

/** Always 202, at once: whether anybody has the address is looked at after the answer. */
export const forgotPassword = openRoute(
  contract.forgotPassword,
  inRealm((realm) => async ({ exchange, body }) => {
    const key = emailKey(body().email);
    const { address: from } = exchange;
    if (key !== undefined) {
      afterTheAnswer(realm, async () => {
        const user = await findByEmail(realm.store, key);
        if (user === undefined || user.disabled) await mailNobody(realm, "reset", key, from);
        else await mailToken(realm, "reset", user, { from });
      });
    }
  }),
);

/**
 * Proves the address as well, and ends personal tokens. Where it was not proved before, the second factor ends too: whoever enrolled it need not be its
 * owner.
 */
export const resetPassword = openRoute(
  contract.resetPassword,
  inRealm((realm) => async ({ exchange, body }) => {
    const { store } = realm;
    const { token: sent, password } = body();
    // Before the costly hash; the transaction decides.
    const token = await findMailed(store, sent, ["reset"]);
    const hash = await realm.passwords.hash(password);
    const owned = (user: UserRecord): UserRecord => ({
      ...withPassword(user.email_verified ? user : withoutFactor(user), hash),
      email_verified: true,
    });
    const [holder, target] = [holderOf(token.user), `user:${token.user}`];
    const { after } = await optimistic(longBackoff, async () => {
      // Read before their tokens: one that is made meanwhile is met in the transaction.
      const account = await store.collection(collections.users).get(token.user, "live");
      const tokens = await ending(store, tokensOf(token.user));
      return useMailed(store, token, owned, async (transaction, { before, version, after: { totp } }) => {
        if (version !== account?.version) throw new Outdated();
        await tokens.write(transaction);
        await appendAudit(realm, transaction, exchange, holder, { action: "password.reset", target });
        if (totp !== before.totp)
          await appendAudit(realm, transaction, exchange, holder, { action: "mfa.remove", target });
      });
    });
    await forgetSessions(store, after);
  }),
);

function withPassword(user: UserRecord, hash: string): UserRecord {
  return { ...withSessionsEnded(user), password: hash };
}
