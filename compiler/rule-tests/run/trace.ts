/** Evaluations of rules as failures show them: the rule, and what each of its clauses came to. */

import { oneLine } from "../../model/rule-source.ts";
import { holds, valueIn, type World } from "../../rules/form/evaluate.ts";
import { type Condition, isCondition, partsOf, type Value } from "../../rules/form/form.ts";
import { clausesIn, decidingIn } from "../../rules/form/trace.ts";
import { ruleSpan } from "../../rules/language/report.ts";
import type { PlacedRule } from "./places.ts";
import type { Evaluation } from "./recorder.ts";

export interface TracedRule {
  /** `rules.read` */
  readonly rule: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly text: string;
  readonly value: boolean;
  readonly clauses: readonly TracedClause[];
}

export interface TracedClause {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly text: string;
  readonly value: boolean;
  /** It decided what the rule came to. */
  readonly deciding: boolean;
  /** What it read, in the order of its text: `document._meta.owner` and what that was; null: absent. */
  readonly values: readonly { readonly text: string; readonly value: unknown }[];
}

export function worldOf({ context, document, data }: Evaluation): World {
  return { context, document, data };
}

export function tracedRule({ place, source, compiled }: PlacedRule, evaluation: Evaluation): TracedRule {
  const world = worldOf(evaluation);
  const { written } = compiled;
  const deciding = new Set(decidingIn(written, world));
  const { file, line, column } = source.span;
  const clauses = clausesIn(written).map((clause): TracedClause => {
    const at = ruleSpan(source, clause.at);
    return {
      file: at.file,
      line: at.line,
      column: at.column,
      text: oneLine(source.text, clause.at),
      value: holds(clause, world),
      deciding: deciding.has(clause),
      values: [
        ...readsIn(clause).map((value) => ({
          text: oneLine(source.text, value.at),
          value: shown(valueIn(value, world)),
        })),
        ...heldFor(clause, world),
      ],
    };
  });
  const text = oneLine(source.text);
  return { rule: place, file, line, column, text, value: evaluation.holds, clauses };
}

/** What of a clause is read of the caller or the document; conditions within are clauses of their own. */
function readsIn(clause: Condition): readonly Value[] {
  const inner = (part: Condition | Value): readonly Value[] => {
    if (isCondition(part)) return [];
    if (part.kind === "read" || part.kind === "claim" || part.kind === "now" || part.kind === "moment")
      return [part];
    return partsOf(part).flatMap(inner);
  };
  return partsOf(clause).flatMap(inner);
}

/** What the caller holds that a helper asks of them. */
function heldFor(clause: Condition, { context }: World): TracedClause["values"] {
  if (clause.kind === "hasRole") return [{ text: "user.roles", value: shown(context.user?.roles) }];
  const asksClaims = partsOf(clause).some((part) => part.kind === "claim");
  if (clause.kind !== "membership" && !asksClaims) return [];
  const held = [...context.memberships].map(([org, { roles, teams, teamRoles, claims }]) => {
    const ofTeams = [...teams].map((team) => [team, [...(teamRoles.get(team) ?? [])]] as const);
    const own = { roles: [...roles], teams: Object.fromEntries(ofTeams), ...(asksClaims && { claims }) };
    return [org, own] as const;
  });
  return [{ text: "memberships", value: Object.fromEntries(held) }];
}

function shown(value: unknown): unknown {
  return value === undefined ? null : value;
}
