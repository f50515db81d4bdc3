import * as contract from "../../contract/accounts.ts";
import { ApiError } from "../../errors.ts";
import type { Exchange } from "../../realm/exchange.ts";
import type { Transaction } from "../../store/contract/transaction.ts";
import { emailKey } from "../../validation/people.ts";
import { collections } from "../collections.ts";
import { openRoute, sessionRoute } from "../contracted.ts";
import { guessLimits, Throttle, wrong } from "../credentials/throttle.ts";
import { type AccountRealm, inRealm } from "../realm.ts";
import { readUser, type UserRecord, writeSession } from "../records.ts";
import { findByEmail } from "../users.ts";
import { passSecondFactor } from "./second-factor.ts";
import { signOut } from "./sessions.ts";
import { endedAnswer, type NewSession, newSession, readWithCookie, sessionAnswer } from "./start.ts";

export const login = openRoute(
  contract.logIn,
  inRealm((realm) => {
    const throttle = new Throttle(realm);
    return async ({ exchange, body }) => {
      const { given, cookie } = readWithCookie(realm, exchange, body);
      const { email, password, code } = given;
      const key = emailKey(email);
      const limits = guessLimits(key ?? email.slice(0, 254), exchange.address);
      await throttle.check(limits);
      const user = key === undefined ? undefined : await findByEmail(realm.store, key);
      const right = await realm.passwords.verify(user?.password ?? undefined, password);
      if (user === undefined || !right) {
        await throttle.fail(limits);
        throw wrongLogin();
      }
      const session = newSession(realm, exchange, user);
      const begun = await throttle.guess(limits, (transaction) =>
        begin(realm, exchange, transaction, user, session, code ?? undefined),
      );
      if (begun === wrong) throw wrongLogin();
      return sessionAnswer(realm, begun.user, begun.session, cookie);
    };
  }),
);

/**
 * Begins a session of a user whose password was right, as they are by now.
 * @throws ApiError `forbidden` when the user is disabled; `mfa_required` | `unavailable` as `passSecondFactor`
 */
async function begin(
  realm: AccountRealm,
  exchange: Exchange,
  transaction: Transaction,
  { id, password }: UserRecord,
  { token, record }: NewSession,
  code: string | undefined,
): Promise<{ readonly user: UserRecord; readonly session: NewSession } | typeof wrong> {
  const document = await transaction.collection(collections.users).get(id, "live");
  const current = document === undefined ? undefined : readUser(document);
  if (current === undefined || current.record.password !== password) return wrong;
  if (current.record.disabled) throw new ApiError("forbidden", "This account is disabled.");
  const user = await passSecondFactor(realm, exchange, transaction, current, code);
  if (user === wrong) return wrong;
  const session = { ...record, generation: user.generation, mfa: user.totp !== null };
  await transaction.collection(collections.sessions).insert(writeSession(session, 1));
  return { user, session: { token, record: session } };
}

function wrongLogin(): ApiError {
  return new ApiError("invalid_credentials", "The e-mail address, password or code is wrong.");
}

export const logout = sessionRoute(
  contract.logOut,
  inRealm((realm) => async (_, caller) => {
    await signOut(realm, caller);
    return endedAnswer(realm, caller);
  }),
);
