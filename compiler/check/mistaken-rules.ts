/** Rules that cannot be meant as they are written: constant ones, clauses without effect, ids of another kind. */
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Collection, RuleSource } from "../model/model.ts";
import { oneLine } from "../model/rule-source.ts";
import { canonicalText } from "../proofs/atoms.ts";
import { relationOf } from "../proofs/relation.ts";
import type { CompiledRule, CompiledRules } from "../rules/compiled.ts";
import { type At, type Condition, leavesIn, type Value, valuesIn } from "../rules/form/form.ts";
import { constant, simplify } from "../rules/form/simplify.ts";
import { withArticle } from "../rules/helpers/arguments.ts";
import { membershipHelpers } from "../rules/helpers/memberships.ts";
import { ruleSpan } from "../rules/language/report.ts";

export function surelyMistaken(collection: Collection, compiled: CompiledRules): Diagnostic[] {
  return rulesOf(collection, compiled).flatMap(([source, rule]) => mistakenRule(source, rule));
}

/** Every rule of a collection that compiled, with its text. */
function rulesOf({ rules, fieldRules }: Collection, compiled: CompiledRules): [RuleSource, CompiledRule][] {
  const pairs = [
    ...Object.entries(compiled.rules).map(
      ([name, rule]) => [Object.entries(rules).find(([key]) => key === name)?.[1], rule] as const,
    ),
    ...compiled.fieldRules.flatMap(({ path, read, write }) => {
      const own = fieldRules.find((each) => each.path === path);
      return [[own?.read, read] as const, [own?.write, write] as const];
    }),
  ];
  return pairs.flatMap(([source, rule]) =>
    source === undefined || rule === undefined ? [] : [[source, rule]],
  );
}

export function mistakenRule(source: RuleSource, { written, form }: CompiledRule): Diagnostic[] {
  const tell = (at: At, problem: string): Diagnostic =>
    diagnose("rule-clause", ruleSpan(source, at), { problem });
  const ids = wrongIds(written, source);
  if (written.kind === "constant") return ids;
  const outcome = form.condition.kind === "constant" ? form.condition.holds : outcomeOf(written);
  // What comes of an id of the wrong kind is not told as well.
  if (ids.length > 0) return ids;
  if (outcome !== undefined) return [diagnose("rule-constant", source.span, { outcome: `${outcome}` })];
  return clauseFaults(written, source.text, tell);
}

/** What a condition is for every caller and document; undefined where that depends, or is not known. */
export function outcomeOf(condition: Condition): boolean | undefined {
  const simple = simplify(condition);
  if (simple.kind === "constant") return simple.holds;
  if (relationOf(simple, constant(false, condition.at)).forward) return false;
  return relationOf(constant(true, condition.at), simple).forward ? true : undefined;
}

type Tell = (at: At, problem: string) => Diagnostic;

/** Clauses beside each other that are compared: each with each other takes time. */
const MAX_CLAUSES = 10;

function clauseFaults(condition: Condition, text: string, tell: Tell): Diagnostic[] {
  switch (condition.kind) {
    case "not":
      return clauseFaults(condition.of, text, tell);
    case "choice":
      return [condition.when, condition.yes, condition.no].flatMap((part) => partFaults(part, text, tell));
    case "and":
    case "or": {
      const parts = clausesOf(condition, condition.kind).slice(0, MAX_CLAUSES);
      const told = parts.map((part) => partFaults(part, text, tell));
      const sound = parts.filter((_, at) => told[at]?.length === 0);
      return [...told.flat(), ...needless(sound, condition.kind, text, tell)];
    }
    default:
      return [];
  }
}

/** `a && (b && c)` has three. */
function clausesOf(condition: Condition, kind: "and" | "or"): readonly Condition[] {
  if (condition.kind !== "and" && condition.kind !== "or") return [condition];
  return condition.kind === kind ? condition.of.flatMap((part) => clausesOf(part, kind)) : [condition];
}

function partFaults(part: Condition, text: string, tell: Tell): Diagnostic[] {
  if (part.kind === "constant")
    return [tell(part.at, `\`${part.holds}\` has no place beside other conditions`)];
  const outcome = outcomeOf(part);
  if (outcome === undefined) return clauseFaults(part, text, tell);
  return [tell(part.at, `\`${oneLine(text, part.at)}\` is always ${outcome}`)];
}

/** Clauses that others say already. */
function needless(parts: readonly Condition[], kind: "and" | "or", text: string, tell: Tell): Diagnostic[] {
  const gone = new Set<Condition>();
  // Later ones first, so that of two that say the same the first stays.
  for (const part of parts.toReversed()) {
    const others = parts.filter((other) => other !== part && !gone.has(other));
    if (others.some((other) => isSaidBy(part, other, kind))) gone.add(part);
  }
  return [...gone].flatMap((part) => {
    const other = parts.find((each) => each !== part && isSaidBy(part, each, kind));
    if (other === undefined) return [];
    const [own, beside] = [oneLine(text, part.at), oneLine(text, other.at)];
    const reason = kind === "and" ? "from which it follows" : "which holds wherever it does";
    const same = canonicalText(part) === canonicalText(other);
    return [
      tell(
        part.at,
        same
          ? `\`${own}\` stands here twice`
          : `\`${own}\` makes no difference beside \`${beside}\`, ${reason}`,
      ),
    ];
  });
}

function isSaidBy(part: Condition, other: Condition, kind: "and" | "or"): boolean {
  if (canonicalText(part) === canonicalText(other)) return true;
  // That something is there or not, and who is a member, is said for the reader, and to be safe, beside what needs it.
  if (part.kind === "absent" || (part.kind === "not" && part.of.kind === "absent")) return false;
  if (kind === "and" && part.kind === "membership" && part.roles.length === 0) return false;
  return kind === "and" ? relationOf(other, part).forward : relationOf(part, other).forward;
}

/** What ids are of; undefined for values of which that is not known. */
function kindOf(value: Value): string | undefined {
  if (value.kind !== "read") return undefined;
  const path = value.path.join(".");
  if (value.root === "user") return { id: "the id of a user", email: "an e-mail address" }[path];
  if (value.root === "appConfig") return undefined;
  return Object.hasOwn(serverIds, path) ? serverIds[path] : undefined;
}

const serverIds: Readonly<Record<string, string>> = {
  "_meta.owner": "the id of a user",
  "_meta.created_by": "the id of a user",
  "_meta.updated_by": "the id of a user",
  "_meta.deleted_by": "the id of a user",
  "_meta.org": "the id of an organization",
  "_meta.team": "the id of a team",
};

function wrongIds(condition: Condition, source: RuleSource): Diagnostic[] {
  const check = (value: Value, wanted: string | undefined): Diagnostic[] => {
    const found = kindOf(value);
    if (found === undefined || wanted === undefined || found === wanted) return [];
    return [diagnose("rule-id-kind", ruleSpan(source, value.at), { found, wanted })];
  };
  const ofLeaves = [...leavesIn(condition)].flatMap((leaf) => {
    if (leaf.kind === "membership")
      return check(leaf.id, `the id of ${withArticle(membershipHelpers[leaf.helper].in)}`);
    return leaf.kind === "equal" ? check(leaf.right, kindOf(leaf.left)) : [];
  });
  const ofClaims = [...valuesIn(condition)].flatMap((value) =>
    value.kind === "claim" ? check(value.org, "the id of an organization") : [],
  );
  return [...ofLeaves, ...ofClaims];
}
