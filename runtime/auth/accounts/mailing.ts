import { ApiError } from "../../errors.ts";
import { Turns } from "../../turns.ts";
import { emailKey } from "../credentials/email.ts";
import { type MailedPurpose, makeMailed } from "../credentials/mailed.ts";
import { mailLimits, Throttle } from "../credentials/throttle.ts";
import { addressChangedMail, tokenMail } from "../mails.ts";
import type { AccountRealm } from "../realm.ts";
import type { UserRecord } from "../records.ts";

/**
 * Mails a new token, which ends the user's older one of this purpose; does nothing where the recipient was sent 3 in the
 * last hour.
 * @param to where it goes; with purpose `email` the address that the user will have
 */
export async function mailToken(
  realm: AccountRealm,
  purpose: MailedPurpose,
  user: UserRecord,
  to: string = user.email,
): Promise<void> {
  if (!(await new Throttle(realm).take(mailLimits(emailKey(to) ?? to)))) return;
  const token = await makeMailed(realm, purpose, user, to);
  realm.mail.send(tokenMail(realm.definition, purpose, to, token));
}

/** Tells the former address of an account that it has another one now; beyond 3 in an hour nothing. */
export async function mailAddressChanged(
  realm: AccountRealm,
  { email, email_key }: Pick<UserRecord, "email" | "email_key">,
): Promise<void> {
  if (!(await new Throttle(realm).take(mailLimits(email_key, "notice")))) return;
  realm.mail.send(addressChangedMail(realm.definition, email));
}

/** Of the process: what is done after an answer, that nobody learns anything from the time it takes. */
const afterwards = new Turns(4, 1_000, busy);

/**
 * Does what depends on an account after the answer.
 * @throws ApiError `unavailable` when too much is under way
 */
export function afterTheAnswer(realm: AccountRealm, work: () => Promise<void>): void {
  if (afterwards.isFull) throw busy();
  realm.background(afterwards.run(work));
}

function busy(): ApiError {
  return new ApiError("unavailable", "Too much mail is under way; try again shortly.", {
    headers: { "retry-after": "1" },
  });
}
