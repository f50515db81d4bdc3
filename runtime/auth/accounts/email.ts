import { changeEmail as contract } from "../../contract/credentials.ts";
import { emailKey } from "../../validation/people.ts";
import { sessionRoute } from "../contracted.ts";
import { inRealm } from "../realm.ts";
import { findByEmail } from "../users.ts";
import { currentUser } from "./current.ts";
import { afterTheAnswer, mailNobody, mailToken } from "./mailing.ts";
import { requireProof } from "./proof.ts";

/** 202 for a taken address too, in the same time and without a mail: nobody learns from it who has an account. */
export const changeEmail = sessionRoute(
  contract,
  inRealm((realm) => async ({ exchange, body }, caller) => {
    const { store } = realm;
    const { email } = body();
    await requireProof(realm, exchange, caller);
    const { record: user } = await currentUser(store, caller);
    afterTheAnswer(realm, async () => {
      const holder = await findByEmail(store, emailKey(email) ?? email);
      const from = exchange.address;
      if (holder !== undefined && holder.id !== user.id) await mailNobody(realm, "email", email, from);
      else await mailToken(realm, "email", user, { to: email, from });
    });
  }),
);
