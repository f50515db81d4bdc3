/** `email`: who sends mails, and where their links lead. */

import type { EmailSettings } from "../../../runtime/realm/definition.ts";
import { emailKey } from "../../../runtime/validation/people.ts";
import { type Codes, diagnoser } from "../../diagnostics/diagnose.ts";
import { present, text } from "../../model/given.ts";
import type { Realm } from "../../model/model.ts";
import { locate } from "../../source/source.ts";
import type { Changes, Report } from "../change.ts";
import type { RealmCheck } from "../subject.ts";
import { accountSetting } from "./auth.ts";
import { link, linkCodes } from "./links.ts";

declare module "../../model/model.ts" {
  interface Realm {
    readonly email?: EmailSettings;
  }
}

const codes = {
  "invalid-sender": {
    severity: "error",
    summary: "The sender of mails is not an address.",
    message: "'{from}' is no sender: {problem}",
    explanation:
      "An e-mail address, or a name and the address in angle brackets: what mail readers show as the sender.",
    wrong: { "realm.yaml": "auth: enabled\nemail: { from: 'Helpdesk, noreply@example.com' }" },
    right: { "realm.yaml": "auth: enabled\nemail: { from: 'Helpdesk <noreply@example.com>' }" },
  },
} as const satisfies Codes;

const changes = {
  "mail-link-removed": {
    kind: "breaking",
    message: "mails have no {link} any longer",
    why: "Who follows links in mails cannot.",
  },
  "mail-changed": {
    kind: "internal",
    message: "mails are others: {what} was {old} and is {new}",
    why: "The API is the same.",
  },
} as const satisfies Changes;

const diagnose = diagnoser(codes);

/** `email.from` is an address, or a name with one. */
const sender: RealmCheck = ({ realm, settings, faults }) => {
  const { email } = realm;
  if (email === undefined || faults.touch(settings.path, ["email", "from"])) return [];
  const found = senderProblem(email.from);
  if (found === undefined) return [];
  const { problem, hint } = found;
  return [
    diagnose("invalid-sender", locate(settings, ["email", "from"]), { from: email.from, problem }, { hint }),
  ];
};

function senderProblem(from: string): { readonly problem: string; readonly hint?: string } | undefined {
  const [, name = "", bracketed] = /^([^<>]*)<([^<>]*)>$/.exec(from) ?? [];
  const address = bracketed ?? from;
  if (emailKey(address) === undefined) return { problem: `'${address}' is no address` };
  const display = name.trim();
  if (/\p{C}/u.test(display)) return { problem: "the name has control characters" };
  // Mail readers would take these for several addresses, a comment or a group.
  if (/^"[^"\\]*"$/.test(display) || !/[()[\]:;@\\,"]/.test(display)) return undefined;
  const plain = display.replace(/["\\]/g, "");
  return {
    problem: "the name has characters that mean something else in mails",
    hint: `put it in quotes: '"${plain}" <${address}>'`,
  };
}

function compareMail({ email: old }: Realm, { email: now }: Realm, report: Report<typeof changes>): void {
  for (const [key, name] of [
    ["from", "from"],
    ["resetLink", "reset_link"],
    ["verifyLink", "verify_link"],
  ] as const) {
    const [before, after] = [old?.[key], now?.[key]];
    if (before === after) continue;
    if (after === undefined && key !== "from") report("mail-link-removed", `email.${name}`, { link: name });
    else
      report("mail-changed", `email.${name}`, {
        what: name,
        old: before ?? "nothing",
        new: after ?? "nothing",
      });
  }
}

export const email = accountSetting(["email"], {
  codes: { ...codes, ...linkCodes },
  changes,
  checks: [sender, link("email", "reset_link"), link("email", "verify_link")],
  compare: (old, now, report) => compareMail(old.realm, now.realm, report),
  read: ({ given }): Pick<Realm, "email"> => {
    const own = given.in("email");
    const from = own.find("from", text);
    if (from === undefined) return {};
    const links = { resetLink: own.find("reset_link", text), verifyLink: own.find("verify_link", text) };
    return { email: { from, ...present(links) } };
  },
  accounts: ({ realm }) => ({ email: realm.email }),
  effective: ({ realm: { email: own } }) => ({
    email:
      own === undefined
        ? null
        : { from: own.from, reset_link: own.resetLink ?? null, verify_link: own.verifyLink ?? null },
  }),
});
