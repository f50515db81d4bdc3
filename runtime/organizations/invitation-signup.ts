import { newSession, readWithCookie, sessionAnswer } from "../auth/accounts/start.ts";
import { holderOf } from "../auth/administration/audit.ts";
import { collections as accounts } from "../auth/collections.ts";
import { openRoute } from "../auth/contracted.ts";
import { signupLimits, Throttle } from "../auth/credentials/throttle.ts";
import { invalidInvitation } from "../auth/invitations.ts";
import { writeSession, writeUser } from "../auth/records.ts";
import { emailTaken, findByEmail, newUser, withFreeEmail } from "../auth/users.ts";
import { signUpInvited as contract } from "../contract/organization-invitations.ts";
import { ApiError } from "../errors.ts";
import type { Transaction } from "../store/contract/transaction.ts";
import { emailKey } from "../validation/people.ts";
import { changeOrganization, findOrganization } from "./change.ts";
import { findByToken } from "./invitation.ts";
import { type Accepting, acceptance, offered } from "./invitation-accept.ts";
import { type OrganizationRealm, ofOrganizations } from "./route.ts";
import { ownOrganizationView } from "./views.ts";

/** The token that was mailed proves the address, so that account, verified address and membership are one act. */
export const signUpInvited = openRoute(
  contract,
  ofOrganizations((realm) => {
    if (!realm.settings.invitationsSignUp) {
      return async () => {
        throw new ApiError("forbidden", "Invitations to organizations make no accounts in this realm.");
      };
    }
    const throttle = new Throttle(realm);
    return async ({ exchange, body }) => {
      const { given, cookie } = readWithCookie(realm, exchange, body);
      const { token, password, locale = null, profile = null } = given;
      const limits = signupLimits(exchange.address, realm.accounts.signupLimit);
      await throttle.check(limits);
      // Before the costly hash; the transaction decides.
      const { org: id, email } = await proved(realm, token);
      const email_key = emailKey(email) ?? email;
      if ((await findByEmail(realm.store, email_key)) !== undefined) throw emailTaken();
      await throttle.fail(limits);
      const user = newUser(realm, {
        email,
        email_key,
        email_verified: true,
        password: await realm.passwords.hashAtSignup(password),
        locale,
        profile,
        roles: realm.accounts.defaultRoles,
      });
      const session = newSession(realm, exchange, user);
      const write = async (transaction: Transaction) => {
        await transaction.collection(accounts.users).insert(writeUser(user, 1));
        await transaction.collection(accounts.sessions).insert(writeSession(session.record, 1));
      };
      const { mfa } = session.record;
      const by = holderOf(user.id);
      const accepting: Accepting = { by, user: { ...user, mfa }, newcomer: { account: user, write } };
      const { org, member } = await withFreeEmail(() =>
        changeOrganization(
          realm,
          id,
          async (read) => {
            // Meanwhile another token may have been mailed, or shown.
            await proved(realm, token);
            return acceptance(realm, exchange, accepting, token, read);
          },
          invalidInvitation,
        ),
      );
      const joined = { org: ownOrganizationView(realm.settings, org, member, mfa) };
      return sessionAnswer(realm, user, session, cookie, joined);
    };
  }),
);

/**
 * The organization that an invitation is to, and the address that its token proves.
 * @throws ApiError `invalid_invitation`; `invitation_not_for_you` for a token that proves none, since others have seen it
 */
async function proved(
  realm: OrganizationRealm,
  token: string,
): Promise<{ readonly org: string; readonly email: string }> {
  const { record, isMailed } = await findByToken(realm, token);
  const org = await findOrganization(realm, record.org);
  if (org === undefined) throw invalidInvitation();
  if (!isMailed || record.email === null) {
    throw new ApiError(
      "invitation_not_for_you",
      "Only the link in the mail of an invitation makes an account; with another one, sign in and accept it.",
    );
  }
  const { email } = record;
  offered(realm, org.record, record, { id: "", email, email_verified: true });
  return { org: org.record.id, email };
}
