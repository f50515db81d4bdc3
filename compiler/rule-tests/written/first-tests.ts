/** A first file of rule tests for a collection: of each clause of its rules somebody who is let in, and somebody who is kept out. */
import type { Ruled } from "../../matrix/accesses.ts";
import { oneLine } from "../../model/rule-source.ts";
import { type Condition, termsOf } from "../../rules/form/form.ts";
import { ruleSpan } from "../../rules/language/report.ts";
import { misfits } from "../misfits.ts";
import { Cast } from "./cast.ts";
import {
  attemptsAt,
  clausesOf,
  type DecidingRule,
  decidingRules,
  type Side,
  WitnessSearch,
} from "./pivots.ts";
import { type Scene, sceneOf } from "./scenes.ts";
import { fileText, type MissingOutcome, type WrittenTest } from "./text.ts";

export interface FirstTests {
  readonly text: string;
  readonly tests: number;
  /** Clauses of rules, each once however many operations a rule is for. */
  readonly clauses: number;
  /** Outcomes of clauses that nobody was found for, in the order of the files. */
  readonly missing: readonly MissingOutcome[];
}

/** @param modeline the path from the file to the schema, for its first line */
export function firstTestsOf(ruled: Ruled, modeline: string): FirstTests {
  const search = new WitnessSearch(ruled);
  const fit = misfits();
  const cast = new Cast(ruled.collection);
  const tests = new Map<string, WrittenTest>();
  const outcomes = new Map<string, MissingOutcome & { isFound: boolean }>();
  const known = new Set<string>();
  for (const deciding of decidingRules(ruled)) {
    for (const clause of clausesOf(deciding)) {
      for (const holds of [true, false]) {
        const outcome = outcomeAt(deciding, clause, holds);
        const key = JSON.stringify({ ...outcome, isFound: undefined });
        if (!outcomes.has(key)) outcomes.set(key, outcome);
        // A field is set in updates; where that shows an outcome, creates need not.
        const shown = JSON.stringify([deciding.place, key]);
        if (known.has(shown)) continue;
        const found = sceneAt(deciding, clause, holds);
        if (found === undefined) continue;
        known.add(shown);
        const own = outcomes.get(key);
        if (own !== undefined) own.isFound = true;
        const test = cast.test(deciding.place, found.scene, found.side.allowed);
        const reason = reasonOf(deciding, clause, holds);
        const same = tests.get(JSON.stringify(test.action));
        if (same === undefined) tests.set(JSON.stringify(test.action), { ...test, reasons: [reason] });
        else if (!same.reasons.includes(reason)) same.reasons.push(reason);
      }
    }
  }
  const missing = [...outcomes.values()].filter(({ isFound }) => !isFound);
  const places = new Set([...outcomes.values()].map(({ line, column, text }) => `${line}:${column} ${text}`));
  return {
    text: fileText(ruled, modeline, cast, [...tests.values()], missing),
    tests: tests.size,
    clauses: places.size,
    missing: missing.map(({ isFound: _, ...rest }) => rest),
  };

  function sceneAt(
    deciding: DecidingRule,
    clause: Condition,
    holds: boolean,
  ): { readonly scene: Scene; readonly side: Side } | undefined {
    for (const side of attemptsAt(clause, holds)) {
      const witness = search.find(deciding, side);
      const scene = witness && sceneOf(ruled, deciding, side, witness, fit);
      if (scene !== undefined) return { scene, side };
    }
    return undefined;
  }
}

function outcomeAt({ source }: DecidingRule, clause: Condition, holds: boolean) {
  const { file, line, column } = ruleSpan(source, clause.at);
  const never: "true" | "false" = holds ? "true" : "false";
  return { file, line, column, text: oneLine(source.text, clause.at), never, isFound: false };
}

/** The clause as it stands in the rule, or that it is not so. */
function reasonOf({ source, rule }: DecidingRule, clause: Condition, holds: boolean): string {
  const text = oneLine(source.text, clause.at);
  return holds === isNegated(rule.written, clause) ? `not ${text}` : text;
}

/** `a != b` is what `a == b` is not, in the same place. */
function isNegated(whole: Condition, clause: Condition): boolean {
  if (whole.kind === "not" && whole.of === clause)
    return whole.at.start === clause.at.start && whole.at.end === clause.at.end;
  return termsOf(whole).some((term) => isNegated(term, clause));
}
