import { ApiError } from "../../errors.ts";
import type { Received, Route } from "../../realm/exchange.ts";
import { appendAudit, holderOf } from "../administration/audit.ts";
import { collections } from "../collections.ts";
import { signupLimits, Throttle } from "../credentials/throttle.ts";
import { BodyReader } from "../input.ts";
import { acceptInvitation, findInvitation } from "../invitations.ts";
import type { AccountRealm } from "../realm.ts";
import { type InvitationRecord, writeSession, writeUser } from "../records.ts";
import { emailTaken, findByEmail, newUser, withFreeEmail } from "../users.ts";
import { firstToken } from "./mailing.ts";
import { newPassword, readEmail, readLocale, readProfile } from "./person.ts";
import { openRoute } from "./route.ts";
import { finishWithCookie, newSession, sessionAnswer } from "./start.ts";

/** POST `/signup`: an account and its first session. An invitation is honoured, and used, wherever there is sign-up. */
export function signup(realm: AccountRealm): Route {
  const { accounts, store } = realm;
  if (accounts.signup === "closed") {
    return openRoute(async () => {
      throw new ApiError("forbidden", "Sign-up is closed in this realm.");
    });
  }
  const throttle = new Throttle(realm);
  return openRoute(async (exchange) => {
    const { given, cookie, invitation: token } = read(realm, exchange);
    if (token === undefined && accounts.signup === "invite") {
      throw new ApiError("forbidden", "Sign-up in this realm needs an invitation.");
    }
    const limits = signupLimits(exchange.address, accounts.signupLimit);
    await throttle.check(limits);
    // Before the costly hash; the transaction decides.
    const invitation = token === undefined ? undefined : await findInvitation(realm, token, given.email_key);
    if ((await findByEmail(store, given.email_key)) !== undefined) throw emailTaken();
    await throttle.fail(limits);
    const user = newUser(realm, {
      ...given,
      email_verified: false,
      password: await realm.passwords.hashAtSignup(given.password),
      roles: [...new Set([...accounts.defaultRoles, ...(invitation?.roles ?? [])])],
    });
    const session = newSession(realm, exchange, user);
    const mailed =
      accounts.email?.verifyLink !== undefined && (await firstToken(realm, "verify", user, exchange.address));
    await withFreeEmail(() =>
      store.transaction(async (transaction) => {
        await transaction.collection(collections.users).insert(writeUser(user, 1));
        await transaction.collection(collections.sessions).insert(writeSession(session.record, 1));
        if (mailed !== false) await mailed(transaction);
        if (invitation === undefined) return;
        await acceptInvitation(realm, transaction, invitation.id, user);
        await appendAudit(realm, transaction, exchange, holderOf(user.id), accepted(invitation));
      }),
    );
    if (mailed !== false) realm.wakeJobs();
    return sessionAnswer(realm, 201, user, session, cookie);
  });
}

function accepted({ id, roles }: InvitationRecord) {
  return { action: "invitation.accept", target: `invitation:${id}`, details: { roles } } as const;
}

function read(realm: AccountRealm, exchange: Received) {
  const body = new BodyReader(exchange, "application/json");
  const given = {
    ...readEmail(body),
    password: newPassword(body, "password"),
    locale: readLocale(body) ?? null,
    profile: readProfile(body, realm.accounts) ?? null,
  };
  const invitation = body.optionalString("invitation") ?? undefined;
  const cookie = finishWithCookie(realm, exchange, body);
  return { given, invitation, cookie };
}
