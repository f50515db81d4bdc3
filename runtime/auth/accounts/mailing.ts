import { unavailable } from "../../errors.ts";
import type { Caller } from "../../realm/caller.ts";
import type { Exchange } from "../../realm/exchange.ts";
import type { Mail } from "../../realm/mail.ts";
import type { Transaction } from "../../store/contract/transaction.ts";
import { Turns } from "../../turns.ts";
import { emailKey } from "../../validation/people.ts";
import { collections } from "../collections.ts";
import { type MailedPurpose, newMailed, putToken } from "../credentials/mailed.ts";
import { mailLimits, noticeLimits, Throttle } from "../credentials/throttle.ts";
import { tokenHash } from "../credentials/tokens.ts";
import { addressChangedMail, tokenMail } from "../mails.ts";
import type { AccountRealm } from "../realm.ts";
import { readUser, type TokenRecord, type UserRecord, writeToken } from "../records.ts";

/** Writes in the transaction of the change that causes it; `realm.wakeJobs()` is to be called then. */
type Along = (transaction: Transaction) => Promise<void>;

const nothing: Along = async () => {};

/**
 * Mails a new token, which ends the user's older one of this purpose; does nothing beyond the limits of mails.
 * @param to where it goes; with purpose `email` the address that the user will have
 * @param from as {@link askedFrom}
 */
export async function mailToken(
  realm: AccountRealm,
  purpose: MailedPurpose,
  user: UserRecord,
  { to = user.email, from }: { readonly to?: string; readonly from?: string | undefined } = {},
): Promise<void> {
  if (!(await mayMail(realm, to, from))) return;
  const { token, record } = newMailed(realm, purpose, user, to);
  await sendToken(realm, record, tokenMail(realm.definition, purpose, to, token));
}

/**
 * For an address that is to be mailed nothing: writes what {@link mailToken} would, a token that nobody learns and a mail
 * that is not sent, so that the server's next answers take as long. Of the address only the hash is stored.
 */
export async function mailNobody(
  realm: AccountRealm,
  purpose: MailedPurpose,
  to: string,
  from: string,
): Promise<void> {
  if (!(await mayMail(realm, to, from))) return;
  const hash = tokenHash(to);
  const nobody = { id: `nobody:${hash}`, email_key: hash, generation: 0 };
  await sendToken(realm, newMailed(realm, purpose, nobody, hash).record, undefined);
}

async function sendToken(realm: AccountRealm, record: TokenRecord, mail: Mail | undefined): Promise<void> {
  await putToken(realm.store, record, (put) =>
    realm.store.transaction(async (transaction) => {
      await put(transaction);
      await realm.mail.queue(transaction, mail);
    }),
  );
  realm.wakeJobs();
}

/** What mails a first token to a new account, as {@link mailToken} does to others. */
export async function firstToken(
  realm: AccountRealm,
  purpose: MailedPurpose,
  user: UserRecord,
  from: string | undefined,
): Promise<Along> {
  const to = user.email;
  if (!(await mayMail(realm, to, from))) return nothing;
  const { token, record } = newMailed(realm, purpose, user, to);
  return async (transaction) => {
    await transaction.collection(collections.tokens).insert(writeToken(record));
    await realm.mail.queue(transaction, tokenMail(realm.definition, purpose, to, token));
  };
}

/** What tells an account's present address that it has another one from now on; beyond 3 in an hour nothing. */
export async function noticeOfChange(realm: AccountRealm, id: string): Promise<Along> {
  const document = await realm.store.collection(collections.users).get(id, "live");
  if (document === undefined) return nothing;
  const { email, email_key } = readUser(document).record;
  if (!(await new Throttle(realm).take(noticeLimits(email_key)))) return nothing;
  return (transaction) => realm.mail.queue(transaction, addressChangedMail(realm.definition, email));
}

/** Where mails are asked for from; undefined for API keys: behind the address of an application there may be anybody. */
export function askedFrom({ address }: Exchange, { kind }: Caller): string | undefined {
  return kind === "key" ? undefined : address;
}

/**
 * Whether an address may be sent another mail, which is counted then.
 * @param from as {@link askedFrom}
 */
export function mayMail(realm: AccountRealm, to: string, from: string | undefined): Promise<boolean> {
  return new Throttle(realm).take(mailLimits(emailKey(to) ?? to, from));
}

const busy = () => unavailable("Too much mail is under way; try again shortly.");

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
