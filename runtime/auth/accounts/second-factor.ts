import { ApiError } from "../../errors.ts";
import type { Exchange } from "../../realm/exchange.ts";
import type { Transaction } from "../../store/contract/transaction.ts";
import { appendAudit, holderOf } from "../administration/audit.ts";
import { useCode } from "../credentials/second-factor.ts";
import { wrong } from "../credentials/throttle.ts";
import type { AccountRealm } from "../realm.ts";
import type { Read, UserRecord } from "../records.ts";
import { replaceUser } from "../users.ts";

/**
 * What a user's second factor, where there is one, says to a code; one that is right is used up in the transaction of
 * what it opens. A stored second factor counts also where the realm lets nobody enrol one any more.
 * @returns the user as it is then, or `wrong`, having written nothing
 * @throws ApiError `mfa_required` where the code is missing; `unavailable` where it cannot be checked
 */
export async function passSecondFactor(
  realm: AccountRealm,
  exchange: Exchange,
  transaction: Transaction,
  { record: user, version }: Read<UserRecord>,
  code: string | undefined,
): Promise<UserRecord | typeof wrong> {
  if (user.totp === null) return user;
  if (code === undefined) throw mfaRequired();
  const used = useCode(realm, user, user.totp, code);
  if (used === undefined) return wrong;
  const after = { ...user, totp: used.totp };
  await replaceUser(transaction, version, after);
  if (used.recovery) {
    await appendAudit(realm, transaction, exchange, holderOf(user.id), {
      action: "mfa.recovery",
      target: `user:${user.id}`,
      details: { left: used.totp.recovery.length },
    });
  }
  return after;
}

export function mfaRequired(): ApiError {
  return new ApiError("mfa_required", "This account has a second factor; send its code.");
}
