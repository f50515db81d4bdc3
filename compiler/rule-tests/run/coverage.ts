/** Which clauses of the rules came to what over all tests. */

import type { Span } from "../../diagnostics/diagnostic.ts";
import { oneLine } from "../../model/rule-source.ts";
import type { AnalysedRealm } from "../../pipeline.ts";
import { holds } from "../../rules/form/evaluate.ts";
import type { Condition } from "../../rules/form/form.ts";
import { clausesIn } from "../../rules/form/trace.ts";
import { ruleSpan } from "../../rules/language/report.ts";
import { type PlacedRule, placedRules, type RuleKey } from "./places.ts";
import type { Evaluation } from "./recorder.ts";
import { worldOf } from "./trace.ts";

/** A comparison or helper of a rule, and how often it came to what. */
export interface ClauseCoverage {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly text: string;
  /** `support/tickets rules.read` */
  readonly rule: string;
  readonly true: number;
  readonly false: number;
}

export interface Uncovered {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly text: string;
  /** What it was in no evaluation. */
  readonly never: "true" | "false";
}

export interface Coverage {
  readonly clauses: number;
  /** Those that were true in one evaluation and false in another. */
  readonly covered: number;
  /** Of both outcomes of every clause; 100 where there are no clauses. */
  readonly percent: number;
  readonly uncovered: readonly Uncovered[];
  /** Sorted by place. */
  readonly all: readonly ClauseCoverage[];
}

interface Counted {
  readonly rule: RuleKey;
  readonly text: string;
  readonly span: Span;
  true: number;
  false: number;
}

/** Counts evaluations of the rules of realms. */
export class Covered {
  readonly #rules = new Map<string, readonly (readonly [Condition, Counted])[]>();
  /** By place: a rule under `write` is three, and stands in its file once. */
  readonly #counted = new Map<string, Counted>();

  constructor(realms: readonly AnalysedRealm[]) {
    for (const realm of realms) {
      for (const [key, placed] of placedRules(realm)) {
        this.#rules.set(`${realm.realm.name} ${key}`, this.#clausesOf(key, placed));
      }
    }
  }

  #clausesOf(rule: RuleKey, { source, compiled }: PlacedRule): readonly (readonly [Condition, Counted])[] {
    return clausesIn(compiled.written).flatMap((clause) => {
      // A constant cannot be otherwise.
      if (clause.kind === "constant") return [];
      const span = ruleSpan(source, clause.at);
      const place = `${span.file}:${span.line}:${span.column}:${span.endLine}:${span.endColumn}`;
      const known = this.#counted.get(place);
      const counted = known ?? { rule, text: oneLine(source.text, clause.at), span, true: 0, false: 0 };
      this.#counted.set(place, counted);
      return [[clause, counted] as const];
    });
  }

  add(realm: string, evaluations: readonly Evaluation[]): void {
    for (const evaluation of evaluations) {
      const world = worldOf(evaluation);
      for (const [clause, counted] of this.#rules.get(`${realm} ${evaluation.rule}`) ?? [])
        counted[holds(clause, world) ? "true" : "false"] += 1;
    }
  }

  coverage(): Coverage {
    const all = [...this.#counted.values()]
      .map(({ rule, text, span: { file, line, column, endLine, endColumn }, ...counts }) => ({
        ...{ file, line, column, endLine, endColumn, text, rule },
        ...counts,
      }))
      .sort(byPlace);
    const uncovered = all.flatMap(({ file, line, column, text, ...counts }) =>
      (["true", "false"] as const).flatMap((never) =>
        counts[never] === 0 ? [{ file, line, column, text, never }] : [],
      ),
    );
    const outcomes = 2 * all.length;
    return {
      clauses: all.length,
      covered: all.filter((each) => each.true > 0 && each.false > 0).length,
      percent: outcomes === 0 ? 100 : (100 * (outcomes - uncovered.length)) / outcomes,
      uncovered,
      all,
    };
  }
}

function byPlace(a: ClauseCoverage, b: ClauseCoverage): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column || a.endColumn - b.endColumn;
}
