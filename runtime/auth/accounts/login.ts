import { ApiError } from "../../errors.ts";
import { checkNeedlessBody } from "../../http/body.ts";
import type { Exchange, Route } from "../../realm/exchange.ts";
import type { Transaction } from "../../store/contract/transaction.ts";
import { collections } from "../collections.ts";
import { emailKey } from "../credentials/email.ts";
import { guessLimits, Throttle, wrong } from "../credentials/throttle.ts";
import { BodyReader } from "../input.ts";
import type { AccountRealm } from "../realm.ts";
import { readUser, type UserRecord, writeSession } from "../records.ts";
import { findByEmail } from "../users.ts";
import { openRoute, sessionRoute } from "./route.ts";
import { passSecondFactor } from "./second-factor.ts";
import { signOut } from "./sessions.ts";
import { endedAnswer, finishWithCookie, type NewSession, newSession, sessionAnswer } from "./start.ts";

/** POST `/login`: a session for an e-mail address and password, and a code where the account has a second factor. */
export function login(realm: AccountRealm): Route {
  const throttle = new Throttle(realm);
  return openRoute(async (exchange) => {
    const body = new BodyReader(exchange, "application/json");
    const email = body.string("email");
    const password = body.string("password");
    const code = body.optionalString("code") ?? undefined;
    const cookie = finishWithCookie(realm, exchange, body);

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
      begin(realm, exchange, transaction, user, session, code),
    );
    if (begun === wrong) throw wrongLogin();
    return sessionAnswer(realm, 200, begun.user, begun.session, cookie);
  });
}

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

/** POST `/logout`: ends the session that asks, and its cookie. */
export function logout(realm: AccountRealm): Route {
  return sessionRoute(realm, async (exchange, caller) => {
    checkNeedlessBody(exchange);
    await signOut(realm, caller);
    return endedAnswer(realm, caller);
  });
}
