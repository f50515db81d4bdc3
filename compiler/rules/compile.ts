/**
 * One rule, from its text to what is emitted: parsed, analysed into the rule form, and judged: facts, and for rules that
 * filter lists whether they can.
 */
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic, Span } from "../diagnostics/diagnostic.ts";
import { lookAlikeIn } from "../diagnostics/look-alikes.ts";
import type { CompiledRule } from "./compiled.ts";
import { ruleFacts, ruleForm } from "./form/facts.ts";
import {
  type At,
  type Condition,
  type Leaf,
  operands,
  type Root,
  type RuleForm,
  valuesIn,
} from "./form/form.ts";
import { checkFilter, lower, withEnds } from "./form/lower.ts";
import { absentNegation, certain, isOfUsers } from "./form/partial.ts";
import type { ValueType } from "./form/types.ts";
import { membershipHelpers } from "./helpers/memberships.ts";
import { analyseRule } from "./language/analyse.ts";
import type { DeclaredRoles } from "./language/environment.ts";
import { start } from "./language/flow.ts";
import { parseRule } from "./language/parse.ts";
import type { Report } from "./language/report.ts";
import type { RuleScope } from "./language/scopes.ts";

/** All that the compilation of a rule goes by, as plain data: equal inputs are compiled to the same. */
export interface RuleInput {
  readonly text: string;
  /** Its file and key. */
  readonly origin: string;
  readonly scope: RuleScope;
  readonly types: Readonly<Record<Root, ValueType>>;
  readonly roles: DeclaredRoles;
}

/** What is said of a rule; where the rule stands is not known to it. */
export interface Finding {
  readonly at: At;
  readonly diagnostic: (span: Span) => Diagnostic;
}

export interface RuleOutcome {
  /** Undefined where findings are errors. */
  readonly rule: CompiledRule | undefined;
  readonly findings: readonly Finding[];
}

export function compileRule({ text, origin, scope, types, roles }: RuleInput): RuleOutcome {
  const findings: Finding[] = [];
  const report: Report = (code, at, parameters, hint) => {
    findings.push({ at, diagnostic: (span) => diagnose(code, span, parameters, { hint }) });
  };
  const condition = analysed();
  const form = condition && findings.length === 0 ? formOf(condition, scope, report) : undefined;
  if (condition !== undefined && form !== undefined && findings.length === 0) {
    warn(form, report);
    return { rule: { text, origin, written: condition, form, facts: ruleFacts(form) }, findings };
  }
  const strange = lookAlikeIn(outsideOfTexts(text));
  if (strange === undefined) return { rule: undefined, findings };
  findings.length = 0;
  const problem = `${strange.words} stands here`;
  report("rule-syntax", { start: strange.at, end: strange.at + 1 }, { problem });
  return { rule: undefined, findings };

  function analysed(): Condition | undefined {
    const rule = parseRule(text);
    if (rule.kind === "parsed")
      return analyseRule(text, rule.expression, { scope, types, roles, flow: start, at: rule.at, report });
    if (rule.kind === "broken") report("rule-syntax", rule.at, { problem: rule.problem }, rule.hint);
    else report("rule-too-large", { start: 0, end: text.length }, { problem: rule.problem });
    return undefined;
  }
}

/** With blanks for what stands in quotes, so that places stay. */
function outsideOfTexts(rule: string): string {
  return rule.replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, (text) => " ".repeat(text.length));
}

function formOf(condition: Condition, scope: RuleScope, report: Report): RuleForm {
  if (scope.certain) {
    const form = ruleForm(condition);
    return { ...form, certain: certain(form.condition) };
  }
  if (!scope.filtered) return ruleForm(condition);
  const form = ruleForm(withEnds(condition));
  const filter = lower(form.condition);
  checkFilter(filter, scope.name, report);
  return { ...form, filter };
}

function warn({ condition }: RuleForm, report: Report): void {
  const leaf = absentNegation(condition);
  if (leaf !== undefined) report("rule-absent-negation", leaf.at, { value: absentValue(leaf) });
}

/** What is absent in the comparison, as written in rules. */
function absentValue(leaf: Leaf): string {
  if (leaf.kind === "membership") return `every ${membershipHelpers[leaf.helper].in}`;
  const values = operands(leaf).flatMap((operand) => [...valuesIn(operand)]);
  const absent = values.find(isOfUsers);
  if (absent?.kind === "claim") return ["orgClaims(…)", ...absent.path].join(".");
  return absent?.kind === "read" ? [absent.root, ...absent.path].join(".") : "every role";
}
