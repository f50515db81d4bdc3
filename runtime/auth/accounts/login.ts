import { ApiError } from "../../errors.ts";
import { checkNeedlessBody } from "../../http/body.ts";
import type { Route } from "../../realm/exchange.ts";
import { collections } from "../collections.ts";
import { endedCookie } from "../credentials/cookie.ts";
import { emailKey } from "../credentials/email.ts";
import { passwords } from "../credentials/passwords.ts";
import { LoginThrottle } from "../credentials/throttle.ts";
import { BodyReader } from "../input.ts";
import type { AccountRealm } from "../realm.ts";
import { readUser, type UserRecord, writeSession } from "../records.ts";
import { findByEmail } from "../users.ts";
import { openRoute, sessionRoute } from "./route.ts";
import { endSession } from "./sessions.ts";
import { finishWithCookie, type NewSession, newSession, sessionAnswer } from "./start.ts";

/** POST `/login`: a session for an e-mail address and password. */
export function login(realm: AccountRealm): Route {
  const throttle = new LoginThrottle(realm.clock);
  return openRoute(async (exchange) => {
    const body = new BodyReader(exchange, "application/json");
    const email = body.string("email");
    const password = body.string("password");
    // Asked for only where the account has a second factor, which none has yet.
    body.optionalString("code");
    const cookie = finishWithCookie(realm, exchange, body);

    const key = emailKey(email);
    const account = key ?? email.slice(0, 254);
    throttle.check(account, exchange.address);
    const user = key === undefined ? undefined : await findByEmail(realm.store, key);
    const right = await passwords.verify(user?.password, password);
    throttle.check(account, exchange.address);
    if (user === undefined || !right) {
      throttle.fail(account, exchange.address);
      throw new ApiError("invalid_credentials", "The e-mail address or password is wrong.");
    }
    const session = newSession(realm, exchange, user);
    await begin(realm, user, session);
    return sessionAnswer(realm, 200, user, session, cookie);
  });
}

/** @throws ApiError `forbidden` when the user is disabled, also when that happened while the password was looked at. */
async function begin(
  { store }: AccountRealm,
  { id, generation }: UserRecord,
  session: NewSession,
): Promise<void> {
  await store.transaction(async (transaction) => {
    const document = await transaction.collection(collections.users).get(id, "live");
    const user = document === undefined ? undefined : readUser(document).record;
    if (user === undefined || user.disabled || user.generation !== generation) {
      throw new ApiError("forbidden", "This account is disabled.");
    }
    await transaction.collection(collections.sessions).insert(writeSession(session.record, 1));
  });
}

/** POST `/logout`: ends the session that asks, and its cookie. */
export function logout(realm: AccountRealm): Route {
  const { cookie } = realm.accounts;
  return sessionRoute(realm, async (exchange, caller) => {
    checkNeedlessBody(exchange);
    await endSession(realm.store, caller.user.id, caller.sessionId);
    if (!caller.cookie || cookie === undefined) return { status: 204 };
    return { status: 204, headers: { "set-cookie": endedCookie(realm.definition.name, cookie) } };
  });
}
