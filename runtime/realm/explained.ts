/**
 * Rules taken apart for who develops: each clause compiled by itself, with its text and its place. A bundle has them in files
 * of their own, which a server loads with `SVC_EXPLAIN=on` alone; rules are never evaluated by them.
 */
import type { JsonObject } from "../json.ts";
import type { RefusedRule } from "./refused.ts";
import type { RuleContext } from "./rule.ts";

/** A comparison or a helper of a rule. */
export interface ExplainedClause {
  readonly text: string;
  /** `desk/support/tickets/collection.yaml:7:12`. */
  readonly at: string;
  readonly holds: (context: RuleContext, document: JsonObject, data: JsonObject) => boolean;
}

export type ExplainedRule =
  | ExplainedClause
  | { readonly all: readonly ExplainedRule[] }
  | { readonly any: readonly ExplainedRule[] }
  | { readonly not: ExplainedRule }
  | { readonly when: ExplainedRule; readonly yes: ExplainedRule; readonly no: ExplainedRule };

/** Of a realm: by `<database>/<collection> rules.update`, `<database>/<function> invoke`, `organizations.create`. */
export type ExplainedRules = Readonly<Record<string, ExplainedRule>>;

/** Characters of an explanation: it is a header, too. */
const longest = 1_024;

/**
 * Why a rule refused: `rules.update denies: document._meta.owner == user.id (desk/…/collection.yaml:7:12)`. It has texts of
 * rules and their places, and no value of a document or a user; printable ASCII, at most 1,024 characters.
 * @param rules undefined where the realm's are not at hand
 */
export function explanation(rules: ExplainedRules | undefined, refused: RefusedRule): string {
  const { of, rule: name, context, document, data } = refused;
  if (context === undefined) return shown(`the scopes of the key do not grant this on ${of}`);
  if (rules === undefined) return shown(`${name} denies`);
  const rule = rules[keyOf(of, name)];
  if (rule === undefined) return shown(`${name} denies: there is no such rule, so nobody may`);
  const clauses = deciding(rule, (clause) => clause.holds(context, document, data));
  return shown(`${name} denies: ${clauses.map(({ text, at }) => `${text} (${at})`).join("; ")}`);
}

export function keyOf(of: string, rule: string): string {
  return of === "" ? rule : `${of} ${rule}`;
}

type Ask = (clause: ExplainedClause) => boolean;

function holds(rule: ExplainedRule, ask: Ask): boolean {
  if ("holds" in rule) return ask(rule);
  if ("all" in rule) return rule.all.every((part) => holds(part, ask));
  if ("any" in rule) return rule.any.some((part) => holds(part, ask));
  if ("not" in rule) return !holds(rule.not, ask);
  return holds(holds(rule.when, ask) ? rule.yes : rule.no, ask);
}

/** The first clause that is enough for the outcome, else each that is needed for it. */
function deciding(rule: ExplainedRule, ask: Ask): readonly ExplainedClause[] {
  if ("holds" in rule) return [rule];
  if ("not" in rule) return deciding(rule.not, ask);
  if ("when" in rule)
    return [...deciding(rule.when, ask), ...deciding(holds(rule.when, ask) ? rule.yes : rule.no, ask)];
  const parts = "all" in rule ? rule.all : rule.any;
  const first = parts.find((part) => holds(part, ask) === "any" in rule);
  return (first === undefined ? parts : [first]).flatMap((part) => deciding(part, ask));
}

/** On one line, as header values may be. */
function shown(text: string): string {
  const ascii = text
    .replace(/\s+/g, " ")
    .replace(/[^\x20-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return ascii.length > longest ? `${ascii.slice(0, longest - 3)}...` : ascii;
}
