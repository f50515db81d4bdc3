import { ApiError } from "../../errors.ts";
import type { RealmInstance } from "../../realm/exchange.ts";
import type { Sealed } from "../../sealing.ts";
import type { TotpRecord, UserRecord } from "../records.ts";
import { recoveryHash } from "./recovery.ts";
import { readTotpCode, totpStep } from "./totp.ts";

/** What opens secrets of second factors. */
export type FactorRealm = Pick<RealmInstance, "vault" | "clock" | "log" | "definition">;

/** A code that was right, and the second factor as it is when the code is used up. */
export interface UsedCode {
  readonly totp: TotpRecord;
  /** It was a recovery code. */
  readonly recovery: boolean;
}

/**
 * Looks at a code of a user's second factor: one of the app, or a recovery code. Each is good once.
 * @throws ApiError `unavailable` as `openSecret`
 */
export function useCode(
  realm: FactorRealm,
  user: UserRecord,
  totp: TotpRecord,
  text: string,
): UsedCode | undefined {
  const code = readTotpCode(text);
  if (code !== undefined) {
    const step = totpStep(openSecret(realm, user.id, totp.secret), code, realm.clock.now(), totp.step);
    return step === undefined ? undefined : { totp: { ...totp, step }, recovery: false };
  }
  const hash = recoveryHash(text);
  if (hash === undefined || !totp.recovery.includes(hash)) return undefined;
  const recovery = totp.recovery.filter((left) => left !== hash);
  return { totp: { ...totp, recovery }, recovery: true };
}

export function sealSecret({ vault }: FactorRealm, user: string, secret: string): Sealed {
  return vault.seal(secret, totpContext(user));
}

/** @throws ApiError `unavailable` where the key that it was encrypted with is no longer listed: nobody is let in on it. */
export function openSecret({ vault, log, definition }: FactorRealm, user: string, sealed: Sealed): string {
  const secret = vault.open(sealed, totpContext(user));
  if (secret !== undefined) return secret;
  log.error(
    { realm: definition.name, user, key: sealed.key },
    "a second factor cannot be checked: the key that its secret is encrypted with is not in SVC_KEYS",
  );
  throw new ApiError("unavailable", "The second factor cannot be checked at the moment.");
}

/** What the secret of a second factor is sealed for. */
export function totpContext(user: string): string {
  return `totp:${user}`;
}
