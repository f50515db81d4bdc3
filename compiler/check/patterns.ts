/** Regular expressions of the configuration: that they compile, and that none can hold up the server. */

import type { Diagnostics } from "recheck";
import { kept } from "../../runtime/kept.ts";
import { linearPattern, UnsupportedPattern } from "../../runtime/validation/linear-pattern.ts";
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic, Span } from "../diagnostics/diagnostic.ts";
import { patternProblem } from "../model/pattern-problem.ts";
import { MAX_ACCEPTED, slowPatternKeyword } from "../schema/slow-pattern.ts";

export interface PlacedPattern {
  readonly pattern: string;
  readonly span: Span;
  /** What it is asked of: a value, the name of a member, or an id, whose length is bounded, so that quadratic time does not matter. */
  readonly of: "value" | "name" | "id";
  /** Of values: `x-svc-slow-pattern` stands beside it; the length is undefined where no `maxLength` does that is low enough. */
  readonly accepted?: { readonly maxLength: number | undefined };
}

/** Characters of a text that a pattern of the configuration is held against. */
const LONGEST = 1_000;

/** Whether a text may match, in linear time; true also where a pattern is broken or cannot be matched so. */
export function mayMatch(pattern: string, text: string): boolean {
  if (text.length > LONGEST || patternProblem(pattern) !== undefined) return true;
  if (!mayBacktrack(pattern)) return new RegExp(pattern, "u").test(text);
  try {
    return linearPattern(pattern, LONGEST).test(text);
  } catch (error) {
    if (!(error instanceof UnsupportedPattern)) throw error;
    return true;
  }
}

/** By pattern: what recheck found in this process. */
const known = new Map<string, Promise<Diagnostics>>();

/** Milliseconds: far beyond what patterns of people take, so that every machine finds the same in them. */
const limits = { timeout: 30_000, incubationTimeout: 3_000, attackTimeout: 3_000 };

async function analysed(pattern: string): Promise<Diagnostics> {
  const { check } = await import("recheck");
  const found = await check(pattern, "u", limits);
  // Of what matches texts of bounded length only, that time is bounded is all that this says, and not by how much.
  const isBounded =
    found.status === "safe" && found.complexity.type === "safe" && found.checker === "automaton";
  return isBounded ? check(pattern, "u", { ...limits, checker: "fuzz" }) : found;
}

/**
 * Patterns with super-linear backtracking, unless they are accepted: those are matched otherwise. Patterns that do not
 * compile are passed over.
 */
export async function slowPatterns(patterns: readonly PlacedPattern[]): Promise<Diagnostic[]> {
  const sound = patterns.filter(({ pattern }) => patternProblem(pattern) === undefined);
  const candidates = sound.filter(
    (each) => mayBacktrack(each.pattern) && each.accepted?.maxLength === undefined,
  );
  return [...sound.flatMap(unmatchable), ...(await slowAmong(candidates))];
}

async function slowAmong(candidates: readonly PlacedPattern[]): Promise<Diagnostic[]> {
  const found = await Promise.all(
    candidates.map(async (placed) => {
      const { pattern } = placed;
      return slowness(await kept(known, pattern, () => analysed(pattern)), placed);
    }),
  );
  return found.flatMap((each) => each ?? []);
}

/** An accepted pattern that cannot be matched in another way than by backtracking. */
function unmatchable({ pattern, span, accepted }: PlacedPattern): Diagnostic[] {
  if (accepted?.maxLength === undefined) return [];
  try {
    linearPattern(pattern, accepted.maxLength);
    return [];
  } catch (error) {
    if (!(error instanceof UnsupportedPattern)) throw error;
    return [diagnose("pattern-not-accepted", span, { problem: error.message })];
  }
}

/** Optional parts beside each other that may match the same text: each doubles what is tried. */
const FEW = 3;

/**
 * False for what clearly is linear, which spares most configurations loading the analyser: patterns without a repetition,
 * and anchored ones without groups and alternatives that hold a single repetition and few optional parts.
 */
function mayBacktrack(pattern: string): boolean {
  const bare = pattern.replace(/\\./gs, "x").replace(/\[[^\]]*\]/g, "x");
  const repetitions = bare.match(/[*+]|\{\d+,\d*\}/g)?.length ?? 0;
  const optional = bare.match(/\?/g)?.length ?? 0;
  if (repetitions === 0 && optional === 0) return false;
  return !(repetitions <= 1 && optional <= FEW && bare.startsWith("^") && !/[(|]/.test(bare));
}

function slowness(result: Diagnostics, { span, of, accepted }: PlacedPattern): Diagnostic | undefined {
  if (result.status === "safe") return undefined;
  if (result.status === "vulnerable" && of === "id" && isQuadratic(result)) return undefined;
  const acceptance =
    accepted === undefined
      ? `; or write "${slowPatternKeyword}": "accepted" beside a maxLength of at most ${MAX_ACCEPTED}`
      : `; what is accepted as slow needs a maxLength of at most ${MAX_ACCEPTED} beside it`;
  return diagnose("pattern-slow", span, {
    problem: problemOf(result),
    acceptance: of === "value" ? acceptance : "",
  });
}

function isQuadratic({ complexity }: Extract<Diagnostics, { status: "vulnerable" }>): boolean {
  return complexity.type === "polynomial" && complexity.degree === 2;
}

function problemOf(result: Exclude<Diagnostics, { status: "safe" }>): string {
  if (result.status === "unknown") return "could not be shown to take linear time";
  const { complexity, attack } = result;
  const degree = isQuadratic(result) ? "quadratic" : complexity.type;
  const example = attack.pattern.length <= 60 ? attack.pattern : `${attack.pattern.slice(0, 57)}…`;
  return `can take ${degree} time, for example on ${example}`;
}
