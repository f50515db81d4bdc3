import * as contract from "../../contract/credentials.ts";
import { ApiError, invalidBody } from "../../errors.ts";
import { appendAudit } from "../administration/audit.ts";
import { sessionRoute } from "../contracted.ts";
import { newRecoveryCodes, recoveryHash } from "../credentials/recovery.ts";
import { openSecret, sealSecret } from "../credentials/second-factor.ts";
import { guessLimits, Throttle, wrong } from "../credentials/throttle.ts";
import { newTotpSecret, readTotpCode, totpStep, totpUri } from "../credentials/totp.ts";
import { inRealm } from "../realm.ts";
import type { UserRecord } from "../records.ts";
import { changeUser, replaceUser, withoutFactor } from "../users.ts";
import { changeSession, currentUser } from "./current.ts";

export const enrollTotp = sessionRoute(
  contract.enrolTotp,
  inRealm((realm) => async (_, caller) => {
    const { store, definition } = realm;
    const secret = newTotpSecret();
    const sealed = sealSecret(realm, caller.user.id, secret);
    const user = await changeUser(store, caller.user.id, (before) => {
      requireVerified(before);
      return { ...before, totp_pending: sealed };
    });
    const uri = totpUri(secret, definition.name, user?.email ?? caller.user.email);
    return { secret, uri };
  }),
);

export const confirmTotp = sessionRoute(
  contract.confirmTotp,
  inRealm((realm) => {
    const { store, clock } = realm;
    const throttle = new Throttle(realm);
    return async ({ exchange, body }, caller) => {
      const code = readTotpCode(body().code);
      const { record: user } = await currentUser(store, caller);
      const limits = guessLimits(user.email_key, exchange.address);
      await throttle.check(limits);
      const { hash: session } = caller.credential;
      const { codes, recovery } = recoveryCodes();
      const told = await throttle.guess(limits, async (transaction) => {
        const { record: before, version } = await currentUser(transaction, caller);
        requireVerified(before);
        const pending = before.totp_pending;
        if (pending === null)
          throw invalidBody([
            { path: "code", reason: "no second factor waits to be confirmed; ask for one first" },
          ]);
        const secret = openSecret(realm, before.id, pending);
        const step = code === undefined ? undefined : totpStep(secret, code, clock.now(), 0);
        if (step === undefined) return wrong;
        const totp = { secret: pending, step, recovery };
        await replaceUser(transaction, version, { ...before, totp, totp_pending: null });
        await changeSession(transaction, session, before, (record) => ({ ...record, mfa: true }));
        await appendAudit(realm, transaction, exchange, caller, {
          action: "mfa.enroll",
          target: caller.actor,
          details: { replaced: before.totp !== null },
        });
        return codes;
      });
      if (told === wrong) throw new ApiError("invalid_credentials", "The code is wrong.");
      return { recovery_codes: told };
    };
  }),
);

/**
 * Nobody enrols at an address that may be somebody else's: its owner would not get in even with a new password.
 * @throws ApiError `forbidden`
 */
function requireVerified({ email_verified }: UserRecord): void {
  if (!email_verified) throw new ApiError("forbidden", "Verify the account's e-mail address first.");
}

function recoveryCodes() {
  const codes = newRecoveryCodes();
  return { codes, recovery: codes.map(recoveryHash).filter((hash) => hash !== undefined) };
}

export const renewRecoveryCodes = sessionRoute(
  contract.renewRecoveryCodes,
  inRealm((realm) => async ({ exchange }, caller) => {
    const { codes, recovery } = recoveryCodes();
    await realm.store.transaction(async (transaction) => {
      const { record: before, version } = await currentUser(transaction, caller);
      if (before.totp === null) throw noFactor();
      await replaceUser(transaction, version, { ...before, totp: { ...before.totp, recovery } });
      const entry = { action: "mfa.recovery_codes", target: caller.actor } as const;
      await appendAudit(realm, transaction, exchange, caller, entry);
    });
    return { recovery_codes: codes };
  }),
);

export const removeTotp = sessionRoute(
  contract.removeTotp,
  inRealm((realm) => async ({ exchange }, caller) => {
    const had = await realm.store.transaction(async (transaction) => {
      const { record: before, version } = await currentUser(transaction, caller);
      const after = withoutFactor(before);
      if (after === before) return false;
      await replaceUser(transaction, version, after);
      if (before.totp === null) return true;
      await appendAudit(realm, transaction, exchange, caller, { action: "mfa.remove", target: caller.actor });
      return true;
    });
    if (!had) throw noFactor();
  }),
);

function noFactor(): ApiError {
  return new ApiError("not_found", "This account has no second factor.");
}
