import { signUp as contract } from "../../contract/accounts.ts";
import { ApiError } from "../../errors.ts";
import { emailKey } from "../../validation/people.ts";
import { appendAudit, holderOf } from "../administration/audit.ts";
import { collections } from "../collections.ts";
import { openRoute } from "../contracted.ts";
import { signupLimits, Throttle } from "../credentials/throttle.ts";
import { acceptInvitation, findInvitation } from "../invitations.ts";
import { inRealm } from "../realm.ts";
import { type InvitationRecord, writeSession, writeUser } from "../records.ts";
import { emailTaken, findByEmail, newUser, withFreeEmail } from "../users.ts";
import { firstToken } from "./mailing.ts";
import { newSession, readWithCookie, sessionAnswer } from "./start.ts";

/** An invitation is honoured, and used, wherever there is sign-up. */
export const signup = openRoute(
  contract,
  inRealm((realm) => {
    const { accounts, store } = realm;
    if (accounts.signup === "closed") {
      return async () => {
        throw new ApiError("forbidden", "Sign-up is closed in this realm.");
      };
    }
    const throttle = new Throttle(realm);
    return async ({ exchange, body }) => {
      const { given, cookie } = readWithCookie(realm, exchange, body);
      const { email, password, locale = null, profile = null, invitation: token = null } = given;
      const email_key = emailKey(email) ?? email;
      if (token === null && accounts.signup === "invite") {
        throw new ApiError("forbidden", "Sign-up in this realm needs an invitation.");
      }
      const limits = signupLimits(exchange.address, accounts.signupLimit);
      await throttle.check(limits);
      // Before the costly hash; the transaction decides.
      const invitation = token === null ? undefined : await findInvitation(realm, token, email_key);
      if ((await findByEmail(store, email_key)) !== undefined) throw emailTaken();
      await throttle.fail(limits);
      const user = newUser(realm, {
        email,
        email_key,
        email_verified: false,
        password: await realm.passwords.hashAtSignup(password),
        locale,
        profile,
        roles: [...new Set([...accounts.defaultRoles, ...(invitation?.roles ?? [])])],
      });
      const session = newSession(realm, exchange, user);
      const mailed =
        accounts.email?.verifyLink !== undefined &&
        (await firstToken(realm, "verify", user, exchange.address));
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
      return sessionAnswer(realm, user, session, cookie);
    };
  }),
);

function accepted({ id, roles }: InvitationRecord) {
  return { action: "invitation.accept", target: `invitation:${id}`, details: { roles } } as const;
}
