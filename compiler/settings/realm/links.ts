/** Links of mails and invitations: web addresses with a place for the token. */
import { type Codes, diagnoser } from "../../diagnostics/diagnose.ts";
import { objectOf } from "../../model/given.ts";
import { locate } from "../../source/source.ts";
import type { RealmCheck } from "../subject.ts";

export const linkCodes = {
  "invalid-link": {
    severity: "error",
    summary: "A link of mails is not an address of the web with a place for the token.",
    message: "'{link}' cannot stand in mails: {problem}",
    explanation:
      "The page that the link leads to takes the token from the address and sends it to the server. `{token}` stands for the token, in the path, the query or the fragment of an `http` or `https` address.",
    wrong: {
      "realm.yaml":
        "auth: enabled\nemail:\n  from: noreply@example.com\n  reset_link: https://app.example.com/reset",
    },
    right: {
      "realm.yaml":
        "auth: enabled\nemail:\n  from: noreply@example.com\n  reset_link: https://app.example.com/reset?token={token}",
    },
  },
} as const satisfies Codes;

const diagnose = diagnoser(linkCodes);

export function link(section: "email" | "organizations", key: string): RealmCheck {
  return ({ realm, settings, faults }) => {
    // Not of the model, which has none of `email` without a sender.
    const given = objectOf(settings.value[section])[key];
    const path = [section, key];
    if (!realm.auth || typeof given !== "string" || faults.touch(settings.path, path)) return [];
    const found = linkProblem(given);
    if (found === undefined) return [];
    const { problem, hint } = found;
    return [diagnose("invalid-link", locate(settings, path), { link: given, problem }, { hint })];
  };
}

function linkProblem(link: string): { readonly problem: string; readonly hint?: string } | undefined {
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
