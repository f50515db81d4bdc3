import { timestamp } from "../../clock.ts";
import { ApiError } from "../../errors.ts";
import type { Exchange, Route } from "../../realm/exchange.ts";
import { UniqueViolation } from "../../store/contract.ts";
import { collections } from "../collections.ts";
import { emailKey } from "../credentials/email.ts";
import { isPassword, passwords } from "../credentials/passwords.ts";
import { BodyReader } from "../input.ts";
import type { AccountRealm } from "../realm.ts";
import { type UserRecord, writeSession, writeUser } from "../records.ts";
import { findByEmail } from "../users.ts";
import { readLocale, readProfile } from "./person.ts";
import { openRoute } from "./route.ts";
import { finishWithCookie, newSession, sessionAnswer } from "./start.ts";

/** POST `/signup`: an account and its first session. */
export function signup(realm: AccountRealm): Route {
  const { accounts } = realm;
  if (accounts.signup === "closed") {
    return openRoute(async () => {
      throw new ApiError("forbidden", "Sign-up is closed in this realm.");
    });
  }
  return openRoute(async (exchange) => {
    const { email, key, password, locale, profile, cookie } = read(realm, exchange);
    // Before the costly hash; the unique index decides.
    if ((await findByEmail(realm.store, key)) !== undefined) throw emailTaken();
    const user: UserRecord = {
      id: realm.newId(),
      email,
      email_key: key,
      email_verified: false,
      password: await passwords.hash(password),
      roles: accounts.defaultRoles,
      disabled: false,
      locale,
      profile,
      created_at: timestamp(realm.clock.now()),
      generation: 1,
    };
    const session = newSession(realm, exchange, user);
    try {
      await realm.store.transaction(async (transaction) => {
        await transaction.collection(collections.users).insert(writeUser(user, 1));
        await transaction.collection(collections.sessions).insert(writeSession(session.record, 1));
      });
    } catch (error) {
      if (error instanceof UniqueViolation) throw emailTaken();
      throw error;
    }
    return sessionAnswer(realm, 201, user, session, cookie);
  });
}

function read(realm: AccountRealm, exchange: Exchange) {
  const body = new BodyReader(exchange, "application/json");
  const email = body.string("email");
  const key = emailKey(email);
  if (key === undefined) body.problem("email", "must be an e-mail address");
  const password = body.string("password");
  if (!isPassword(password)) body.problem("password", "must have 8 to 256 characters");
  const locale = readLocale(body) ?? null;
  const profile = readProfile(body, realm.accounts) ?? null;
  const invitation = body.optionalString("invitation");
  const cookie = finishWithCookie(realm, exchange, body);
  if (typeof invitation === "string") {
    throw new ApiError("invalid_invitation", "The invitation is unknown, expired, revoked or used up.");
  }
  return { email, key: key ?? "", password, locale, profile, cookie };
}

function emailTaken(): ApiError {
  return new ApiError("email_taken", "An account with this e-mail address exists.");
}
