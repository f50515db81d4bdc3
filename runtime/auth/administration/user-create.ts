import * as contract from "../../contract/user-administration.ts";
import { emailKey } from "../../validation/people.ts";
import { askedFrom, firstToken } from "../accounts/mailing.ts";
import { collections } from "../collections.ts";
import { administratorRoute } from "../contracted.ts";
import { inRealm } from "../realm.ts";
import { writeUser } from "../records.ts";
import { emailTaken, findByEmail, newUser, withFreeEmail } from "../users.ts";
import { appendAudit } from "./audit.ts";
import { requireGrantable } from "./grants.ts";
import { administratorView } from "./users.ts";

/**
 * Whatever `signup` says. Without `password` there is none until its owner chooses one by the mail that is sent; without `roles`
 * they are those of a sign-up.
 */
export const createUser = administratorRoute(
  contract.createUser,
  inRealm((realm) => async ({ exchange, body }, administrator) => {
    const {
      email,
      password = null,
      locale = null,
      profile = null,
      email_verified = false,
      ...given
    } = body();
    const { roles = realm.accounts.defaultRoles } = given;
    const email_key = emailKey(email) ?? email;
    requireGrantable(administrator, roles, realm.accounts);
    // Before the costly hash; the unique index decides.
    if ((await findByEmail(realm.store, email_key)) !== undefined) throw emailTaken();
    const hash = password === null ? null : await realm.passwords.hash(password);
    const user = newUser(realm, { email, email_key, email_verified, password: hash, roles, locale, profile });
    const mailed =
      hash === null && (await firstToken(realm, "reset", user, askedFrom(exchange, administrator.caller)));
    await withFreeEmail(() =>
      realm.store.transaction(async (transaction) => {
        await transaction.collection(collections.users).insert(writeUser(user, 1));
        if (mailed !== false) await mailed(transaction);
        await appendAudit(realm, transaction, exchange, administrator.caller, {
          action: "user.create",
          target: `user:${user.id}`,
          details: { roles: user.roles },
        });
      }),
    );
    if (mailed !== false) realm.wakeJobs();
    return administratorView(realm, user);
  }),
);
