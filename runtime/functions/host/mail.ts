import { collections } from "../../auth/collections.ts";
import { senderOf } from "../../auth/mails.ts";
import { readUser } from "../../auth/records.ts";
import { ApiError, type Detail } from "../../errors.ts";
import { isId } from "../../ids.ts";
import type { RealmInstance } from "../../realm/exchange.ts";
import { emailKey } from "../../validation/people.ts";
import type { HostReply, HostRequest } from "../invocation.ts";
import type { HostedRun } from "./exchange.ts";

type MailRequest = Extract<HostRequest, { kind: "mail" }>;

/** Characters. */
const longestSubject = 998;
const longestText = 262_144;

/** `ctx.mail.send`: queues it among the realm's mails. */
export async function sendMail(
  realm: RealmInstance,
  { definition }: HostedRun,
  request: MailRequest,
): Promise<HostReply> {
  if (!definition.mail) throw new ApiError("forbidden", "The function does not declare that it sends mail.");
  const { subject, text, html } = request;
  const details = problemsOf(request);
  if (details.length > 0) throw new ApiError("validation_error", "The mail is not valid.", { details });
  const to = typeof request.to === "string" ? request.to : await addressOf(realm, request.to.user);
  await realm.store.transaction((transaction) =>
    realm.mail.queue(transaction, { from: senderOf(realm.definition), to, subject, text, html }),
  );
  realm.wakeJobs();
  return { status: 202 };
}

function problemsOf({ to, subject, text, html = "" }: MailRequest): readonly Detail[] {
  const problems: Detail[] = [];
  const tell = (path: string, reason: string) => problems.push({ path, reason });
  if (typeof to === "string" && emailKey(to) === undefined) tell("to", "must be an e-mail address");
  if (subject.trim() === "" || subject.length > longestSubject)
    tell("subject", `must have 1 to ${longestSubject} characters`);
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(subject)) tell("subject", "must be one line");
  if (text.length > longestText) tell("text", `must have at most ${longestText} characters`);
  if (html.length > longestText) tell("html", `must have at most ${longestText} characters`);
  return problems;
}

/** @throws ApiError `not_found` where there is no such user, or the account is disabled */
async function addressOf({ store, definition }: RealmInstance, id: string): Promise<string> {
  const isPossible = definition.accounts !== undefined && isId(id);
  const document = isPossible ? await store.collection(collections.users).get(id, "live") : undefined;
  const user = document && readUser(document).record;
  if (user === undefined || user.disabled) throw new ApiError("not_found", "There is no such user.");
  return user.email;
}
