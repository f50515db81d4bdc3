import * as contract from "../../contract/credentials.ts";
import type { Exchange } from "../../realm/exchange.ts";
import { emailKey } from "../../validation/people.ts";
import { appendAudit, holderOf } from "../administration/audit.ts";
import { openRoute, sessionRoute } from "../contracted.ts";
import { findMailed, type MailedToken, useMailed } from "../credentials/mailed.ts";
import { type AccountRealm, inRealm } from "../realm.ts";
import { withFreeEmail } from "../users.ts";
import { currentUser } from "./current.ts";
import { mailToken, noticeOfChange } from "./mailing.ts";

export const verifyEmail = openRoute(
  contract.verifyEmail,
  inRealm((realm) => async ({ exchange, body }) => {
    const { store } = realm;
    const token = await findMailed(store, body().token, ["verify", "email"]);
    if (token.purpose === "email") await changeAddress(realm, exchange, token);
    else
      await useMailed(store, token, (user) =>
        user.email_verified ? user : { ...user, email_verified: true },
      );
  }),
);

/** @throws ApiError `email_taken` when somebody else has the address by now; the token can still be used. */
async function changeAddress(realm: AccountRealm, exchange: Exchange, token: MailedToken): Promise<void> {
  const { email } = token;
  const email_key = emailKey(email) ?? email;
  const notice = await noticeOfChange(realm, token.user);
  await withFreeEmail(() =>
    useMailed(
      realm.store,
      token,
      (user) => ({ ...user, email, email_key, email_verified: true }),
      async (transaction) => {
        const entry = { action: "user.email", target: `user:${token.user}` } as const;
        await appendAudit(realm, transaction, exchange, holderOf(token.user), entry);
        await notice(transaction);
      },
    ),
  );
  realm.wakeJobs();
}

export const sendVerification = sessionRoute(
  contract.sendVerification,
  inRealm((realm) => async ({ exchange }, caller) => {
    const { record: user } = await currentUser(realm.store, caller);
    if (!user.email_verified) await mailToken(realm, "verify", user, { from: exchange.address });
  }),
);
