/** `tokens`: API keys that users make for themselves, and how long keys of users and of organizations live. */
import { accesses, coversTargets, meantBy, missingAmong } from "../../../runtime/auth/scopes.ts";
import { adminAreas } from "../../../runtime/realm/administration.ts";
import type { KeyScopes, TokenScopes } from "../../../runtime/realm/caller.ts";
import type { TokenSettings } from "../../../runtime/realm/definition.ts";
import { printDuration } from "../../../runtime/units.ts";
import { type Codes, diagnoser } from "../../diagnostics/diagnose.ts";
import { duration, flag, type Given, type Kind, object, present, someOf, texts } from "../../model/given.ts";
import type { Realm } from "../../model/model.ts";
import { locate } from "../../source/source.ts";
import type { Changes, Report } from "../change.ts";
import type { RealmCheck } from "../subject.ts";
import { turnover } from "../words.ts";
import { accountSetting } from "./auth.ts";

declare module "../../model/model.ts" {
  interface Realm {
    /** `tokens.personal`: users may make personal tokens. */
    readonly tokens: boolean;
    /** The rest of `tokens`. */
    readonly tokenLimits: Omit<TokenSettings, "personal">;
  }
}

const codes = {
  "token-scope": {
    severity: "error",
    summary: "What personal tokens may do at most names what does not exist.",
    message: "there is no {what} '{name}' in this realm",
    explanation:
      "An entry of `tokens.scopes` is the name of a database of the realm, or of what is in it: a collection as `database/collection` under `read` and `write`, a function as `database/function` under `call`.",
    wrong: { "realm.yaml": "auth: enabled\ntokens: { personal: true, scopes: { read: [support/ticket] } }" },
    right: { "realm.yaml": "auth: enabled\ntokens: { personal: true, scopes: { read: [support/tickets] } }" },
  },
} as const satisfies Codes;

const changes = {
  "tokens-disabled": {
    kind: "breaking",
    message: "personal tokens are off",
    why: "Requests with them are answered 401, and the routes under `_auth/tokens` are gone.",
  },
  "tokens-enabled": {
    kind: "additive",
    message: "personal tokens are on",
    why: "Users make them under `_auth/tokens`.",
  },
  "token-lifetime-shortened": {
    kind: "breaking",
    message: "keys lived {old} at most, live {new}",
    why: "Requests that make longer-lived ones are refused, and those made without an end live less long. Those that there are keep their end.",
  },
  "token-lifetime-lengthened": {
    kind: "additive",
    message: "keys lived {old} at most, live {new}",
    why: "Longer-lived ones can be made; those made without an end live longer.",
  },
  "token-ceiling-added": {
    kind: "breaking",
    message: "personal tokens may do no more than {new}",
    why: "They could do all that their users may. Also of those that there are only this is left.",
  },
  "token-ceiling-removed": {
    kind: "additive",
    message: "personal tokens may do all that their users may; it was {old} at most",
    why: "Those with scopes of their own are bound by these alone.",
  },
  "token-scope-narrowed": {
    kind: "breaking",
    message: "personal tokens could {act} {old} at most, can {act} {new}",
    why: "What they do beyond it is refused, also for those that there are.",
  },
  "token-scope-widened": {
    kind: "additive",
    message: "personal tokens could {act} {old} at most, can {act} {new}",
    why: "Tokens whose own scopes have it may do more.",
  },
} as const satisfies Changes;

const diagnose = diagnoser(codes);

/** What the ceiling names is there. */
const knownTargets: RealmCheck = ({ realm, names, settings, faults }) => {
  const { scopes } = realm.tokenLimits;
  if (!realm.auth || scopes === undefined) return [];
  const collections = [...names].flatMap(([database, each]) => each.map((name) => ({ database, name })));
  return missingAmong(scopes, collections, realm.functions).flatMap((missing) => {
    const { access, at, entry } = missing;
    const path = ["tokens", "scopes", access];
    if (faults.touch(settings.path, path)) return [];
    const what = !entry.includes("/") ? "database" : access === "call" ? "function" : "collection";
    const span = locate(settings, [...path, at]);
    return [diagnose("token-scope", span, { what, name: entry }, { hint: meantBy(missing) })];
  });
};

/** How long what lives at most; keys that nobody can make on one side live however long they like. */
function compareLifetimes(old: Realm, now: Realm, report: Report<typeof changes>): void {
  const are = (has: (realm: Realm) => boolean): boolean => has(old) && has(now);
  if (!are(({ tokens }) => tokens) && !are(({ organizations }) => organizations?.keys === true)) return;
  const [before, after] = [old.tokenLimits.maxLifetime, now.tokenLimits.maxLifetime];
  if (before === after) return;
  report(after < before ? "token-lifetime-shortened" : "token-lifetime-lengthened", "tokens.max_lifetime", {
    old: printDuration(before),
    new: printDuration(after),
  });
}

function compareCeilings(
  old: TokenScopes | undefined,
  now: TokenScopes | undefined,
  report: Report<typeof changes>,
): void {
  const where = "tokens.scopes";
  if (old === undefined || now === undefined) {
    if (old !== undefined) report("token-ceiling-removed", where, { old: ceilingText(old) });
    if (now !== undefined) report("token-ceiling-added", where, { new: ceilingText(now) });
    return;
  }
  for (const act of accesses) {
    const covered = coversTargets(now[act], old[act]);
    if (covered && coversTargets(old[act], now[act])) continue;
    const parameters = { act, old: grantedText(old[act]), new: grantedText(now[act]) };
    report(covered ? "token-scope-widened" : "token-scope-narrowed", `${where}.${act}`, parameters);
  }
  const [held, holds] = [old.admin ?? [], now.admin ?? []];
  const { gone, added } = turnover(held, holds);
  if (!gone && !added) return;
  const parameters = { act: "administer", old: grantedText(held), new: grantedText(holds) };
  report(gone ? "token-scope-narrowed" : "token-scope-widened", `${where}.admin`, parameters);
}

function grantedText(granted: "*" | readonly string[] = []): string {
  if (granted === "*") return "everything";
  return granted.length === 0 ? "nothing" : granted.join(", ");
}

/** `read everything, write shop`. */
function ceilingText({ admin = [], ...targets }: TokenScopes): string {
  const acts = [...accesses.map((act) => [act, targets[act] ?? []] as const), ["administer", admin] as const];
  const some = acts.filter(([, granted]) => granted.length > 0);
  return some.length === 0
    ? "nothing"
    : some.map(([act, granted]) => `${act} ${grantedText(granted)}`).join("; ");
}

const granted: Kind<"*" | string[]> = (value) => (value === "*" ? value : texts(value));

function scopesOf(given: Given): TokenScopes {
  const targets: KeyScopes = present({
    read: given.find("read", granted),
    write: given.find("write", granted),
    call: given.find("call", granted),
  });
  return { ...targets, ...present({ admin: given.find("admin", someOf(...adminAreas)) }) };
}

export const tokens = accountSetting(["tokens"], {
  codes,
  changes,
  checks: [knownTargets],
  compare: ({ realm: old }, { realm: now }, report) => {
    if (old.tokens !== now.tokens) {
      report(now.tokens ? "tokens-enabled" : "tokens-disabled", "tokens.personal", {});
    }
    compareLifetimes(old, now, report);
    if (old.tokens && now.tokens) compareCeilings(old.tokenLimits.scopes, now.tokenLimits.scopes, report);
  },
  read: ({ given }): Pick<Realm, "tokens" | "tokenLimits"> => {
    const own = given.in("tokens");
    const isBounded = own.find("scopes", object) !== undefined;
    return {
      tokens: own.read("personal", flag),
      tokenLimits: {
        maxLifetime: own.read("max_lifetime", duration),
        ...(isBounded && { scopes: scopesOf(own.in("scopes")) }),
      },
    };
  },
  accounts: ({ realm: { tokens: personal, tokenLimits, organizations } }) => ({
    tokens: personal || organizations?.keys ? { personal, ...tokenLimits } : undefined,
  }),
  effective: ({ realm: { tokens: personal, tokenLimits } }) => ({
    tokens: {
      personal,
      max_lifetime: printDuration(tokenLimits.maxLifetime),
      scopes: tokenLimits.scopes === undefined ? null : { ...tokenLimits.scopes },
    },
  }),
});
