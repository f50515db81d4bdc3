import type { Received, Route } from "../../realm/exchange.ts";
import { askedFrom, firstToken } from "../accounts/mailing.ts";
import { newPassword, readEmail, readLocale, readProfile } from "../accounts/person.ts";
import { collections } from "../collections.ts";
import { BodyReader } from "../input.ts";
import type { AccountRealm } from "../realm.ts";
import { writeUser } from "../records.ts";
import { emailTaken, findByEmail, newUser, withFreeEmail } from "../users.ts";
import { administratorRoute } from "./administrator.ts";
import { appendAudit } from "./audit.ts";
import { readRoles, requireGrantable } from "./grants.ts";
import { administratorView } from "./users.ts";

/**
 * POST `/users`: an account, whatever `signup` says. One without `password` has none until its owner chooses one by the
 * mail that is sent; one without `roles` is given those of a sign-up.
 */
export function createUser(realm: AccountRealm): Route {
  return administratorRoute(realm, { area: "users", to: "change" }, async (exchange, administrator) => {
    const { password, ...given } = read(realm, exchange);
    requireGrantable(administrator, given.roles, realm.accounts);
    // Before the costly hash; the unique index decides.
    if ((await findByEmail(realm.store, given.email_key)) !== undefined) throw emailTaken();
    const hash = password === null ? null : await realm.passwords.hash(password);
    const user = newUser(realm, { ...given, password: hash });
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
    return { status: 201, body: JSON.stringify(administratorView(realm, user)) };
  });
}

function read({ accounts }: AccountRealm, exchange: Received) {
  const body = new BodyReader(exchange, "application/json");
  const address = readEmail(body);
  const password = (body.value("password") ?? null) === null ? null : newPassword(body, "password");
  const roles = readRoles(body, accounts) ?? accounts.defaultRoles;
  const locale = readLocale(body) ?? null;
  const profile = readProfile(body, accounts) ?? null;
  const email_verified = body.optionalBoolean("email_verified") ?? false;
  body.finish();
  return { ...address, email_verified, password, roles, locale, profile };
}
