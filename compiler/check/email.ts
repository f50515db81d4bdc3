/** Checks of `email` of realm.yaml. */
import { emailKey } from "../../runtime/validation/people.ts";
import { diagnose } from "../diagnostics/catalogue.ts";
import { objectOf } from "../model/given.ts";
import type { RealmCheck } from "../settings/subject.ts";
import { locate } from "../source/source.ts";

interface Problem {
  readonly problem: string;
  readonly hint?: string;
}

/** `email.from` is an address, or a name with one. */
export const sender: RealmCheck = ({ realm, settings, faults }) => {
  const { email } = realm;
  if (email === undefined || faults.touch(settings.path, ["email", "from"])) return [];
  const found = senderProblem(email.from);
  if (found === undefined) return [];
  const { problem, hint } = found;
  return [
    diagnose("invalid-sender", locate(settings, ["email", "from"]), { from: email.from, problem }, { hint }),
  ];
};

function senderProblem(from: string): Problem | undefined {
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

/** Links of mails and invitations are web addresses with a place for the token. */
export const links: RealmCheck = ({ realm, settings, faults }) => {
  if (!realm.auth) return [];
  // Not of the model, which has none of `email` without a sender.
  return linkKeys.flatMap(([section, key]) => {
    const path = [section, key];
    const link = objectOf(settings.value[section])[key];
    if (typeof link !== "string" || faults.touch(settings.path, path)) return [];
    const found = linkProblem(link);
    if (found === undefined) return [];
    const { problem, hint } = found;
    return [diagnose("invalid-link", locate(settings, path), { link, problem }, { hint })];
  });
};

const linkKeys = [
  ["email", "reset_link"],
  ["email", "verify_link"],
  ["organizations", "invitation_link"],
] as const;

function linkProblem(link: string): Problem | undefined {
  const addresses = ["a", "b"].map((token) => parseAddress(link.replaceAll("{token}", token)));
  const [one, other] = addresses;
  if (one === undefined || other === undefined) {
    return {
      problem: "it is not an address of the web",
      hint: "write it with its scheme, as in https://app.example.com/reset?token={token}",
    };
  }
  if (/[\s\p{C}]/u.test(link)) return { problem: "spaces would end the link in the mail" };
  if (!link.includes("{token}")) {
    return { problem: "it has no {token}", hint: "put {token} where the token belongs" };
  }
  if (/[{}]/.test(link.replaceAll("{token}", ""))) {
    return { problem: "in braces it takes {token} only" };
  }
  if (one.username !== "" || one.password !== "") return { problem: "it has a user's name in it" };
  if (one.origin !== other.origin) {
    return { problem: "{token} stands in the name of the server", hint: "put it into the path or the query" };
  }
  return undefined;
}

function parseAddress(text: string): URL | undefined {
  if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text);
}
