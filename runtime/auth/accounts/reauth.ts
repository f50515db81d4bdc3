import { timestamp } from "../../clock.ts";
import { reauthenticate as contract } from "../../contract/accounts.ts";
import { ApiError } from "../../errors.ts";
import type { BodyOf, ReadBody } from "../../http/contract-body.ts";
import { sessionRoute } from "../contracted.ts";
import { putToken } from "../credentials/mailed.ts";
import { guessLimits, Throttle, wrong } from "../credentials/throttle.ts";
import { type AccountRealm, inRealm } from "../realm.ts";
import type { UserRecord } from "../records.ts";
import { changeSession, currentUser } from "./current.ts";
import { newProof } from "./proof.ts";
import { mfaRequired, passSecondFactor } from "./second-factor.ts";

/** A code also makes the session one with a second factor. */
export const reauth = sessionRoute(
  contract,
  inRealm((realm) => {
    const { store, clock } = realm;
    const throttle = new Throttle(realm);
    return async ({ exchange, body }, caller) => {
      const given = read(body);
      const { record: user } = await currentUser(store, caller);
      const limits = guessLimits(user.email_key, exchange.address);
      await throttle.check(limits);
      if (user.totp !== null && given.code === undefined) throw mfaRequired();
      if (!(await passwordFits(realm, user, given))) {
        await throttle.fail(limits);
        throw wrongProof();
      }
      const { hash: session } = caller.credential;
      const proof = newProof(realm, user, caller.credential.id);
      const told = await putToken(store, proof.record, (put) =>
        throttle.guess(limits, async (transaction) => {
          const current = await currentUser(transaction, caller);
          if (current.record.password !== user.password) return wrong;
          const after = await passSecondFactor(realm, exchange, transaction, current, given.code);
          if (after === wrong) return wrong;
          const at = timestamp(clock.now());
          await changeSession(transaction, session, after, (record) => ({
            ...record,
            mfa: after.totp !== null,
            proved_at: at,
            administered_at: at,
          }));
          await put(transaction);
          return after;
        }),
      );
      if (told === wrong) throw wrongProof();
      return { proof: proof.token, expires_at: proof.record.expires_at };
    };
  }),
);

interface Given {
  readonly password: string | undefined;
  readonly code: string | undefined;
}

function read(body: ReadBody<BodyOf<typeof contract>>): Given {
  const { password, code } = body((given, tell) => {
    if ((given.password ?? given.code ?? null) === null) tell("password", "is required, or else code");
  });
  return { password: password ?? undefined, code: code ?? undefined };
}

/** A code does instead of the password where the user has a second factor; a password sent all the same must be right. */
async function passwordFits(
  realm: AccountRealm,
  { password: stored, totp }: UserRecord,
  { password }: Given,
): Promise<boolean> {
  if (password === undefined) return totp !== null;
  return realm.passwords.verify(stored ?? undefined, password);
}

function wrongProof(): ApiError {
  return new ApiError("invalid_credentials", "The password or code is wrong.");
}
