import type { Route } from "../../realm/exchange.ts";
import { BodyReader } from "../input.ts";
import type { AccountRealm } from "../realm.ts";
import { findByEmail } from "../users.ts";
import { currentUser } from "./current.ts";
import { afterTheAnswer, mailNobody, mailToken } from "./mailing.ts";
import { readEmail } from "./person.ts";
import { requireProof } from "./proof.ts";
import { sessionRoute } from "./route.ts";

/**
 * POST `/email/change`: mails a token to the new address, which becomes the account's when it is proved. 202 for a taken
 * one too, in the same time and without a mail: nobody learns from it who has an account.
 */
export function changeEmail(realm: AccountRealm): Route {
  const { store } = realm;
  return sessionRoute(realm, async (exchange, caller) => {
    const body = new BodyReader(exchange, "application/json");
    const { email, email_key } = readEmail(body);
    body.finish();
    await requireProof(realm, exchange, caller);
    const { record: user } = await currentUser(store, caller);
    afterTheAnswer(realm, async () => {
      const holder = await findByEmail(store, email_key);
      const from = exchange.address;
      if (holder !== undefined && holder.id !== user.id) await mailNobody(realm, "email", email, from);
      else await mailToken(realm, "email", user, { to: email, from });
    });
    return { status: 202 };
  });
}
