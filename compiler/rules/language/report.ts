/** What is wrong with rules, and where that stands in their files. */
import type { Parameters } from "../../diagnostics/catalogue.ts";
import type { ruleCodes } from "../../diagnostics/codes/rules.ts";
import type { Span } from "../../diagnostics/diagnostic.ts";
import type { RuleSource } from "../../model/model.ts";
import type { At } from "../form/form.ts";

export type RuleCode = keyof typeof ruleCodes;

/** Says what is wrong at a place in the rule's text. */
export type Report = <C extends RuleCode>(code: C, at: At, parameters: Parameters<C>, hint?: string) => void;

/** Where part of a rule's text stands in its file. */
export function ruleSpan({ span, positions, text }: RuleSource, { start, end }: At): Span {
  const first = positionOf(positions, Math.min(start, text.length));
  // The end is counted from the last character, since the next may stand on another line.
  const last = end > start ? positionOf(positions, end - 1) : undefined;
  const after = last === undefined ? first : { line: last.line, column: last.column + 1 };
  return { file: span.file, ...first, endLine: after.line, endColumn: after.column };
}

function positionOf(positions: RuleSource["positions"], offset: number): { line: number; column: number } {
  const run = positions.findLast((candidate) => candidate.offset <= offset);
  return run === undefined
    ? { line: 1, column: 1 }
    : { line: run.line, column: run.column + offset - run.offset };
}
