/** Regular expressions of the configuration: that they compile, and that none can hold up the server. */
import type { Diagnostics } from "recheck";
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic, Span } from "../diagnostics/diagnostic.ts";

export interface PlacedPattern {
  readonly pattern: string;
  readonly span: Span;
  /** Matched against ids only, whose length is bounded: then only exponential time matters. */
  readonly short?: boolean;
}

/** What the engine says of a pattern under the `u` flag; `undefined` when it compiles. */
export function patternProblem(pattern: string): string | undefined {
  try {
    new RegExp(pattern, "u");
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return message
      .replace(/^Invalid regular expression: \/.*\/u?: /s, "")
      .replace(/^./, (first) => first.toLowerCase());
  }
}

/** By pattern: what recheck found in this process. */
const known = new Map<string, Promise<Diagnostics>>();

/** Milliseconds that the analysis of one pattern may take; an undecided pattern passes. */
const ANALYSIS_TIME = 5000;

/** Warns of patterns with super-linear backtracking. Patterns that do not compile are passed over. */
export async function slowPatterns(patterns: readonly PlacedPattern[]): Promise<Diagnostic[]> {
  const candidates = patterns.filter(
    ({ pattern }) => mayBacktrack(pattern) && patternProblem(pattern) === undefined,
  );
  if (candidates.length === 0) return [];
  const { check } = await import("recheck");
  const found = await Promise.all(
    candidates.map(async ({ pattern, span, short }) => {
      const result = known.get(pattern) ?? check(pattern, "u", { timeout: ANALYSIS_TIME });
      known.set(pattern, result);
      return warning(await result, span, short === true);
    }),
  );
  return found.flatMap((each) => each ?? []);
}

/**
 * False for what clearly is linear, which spares most configurations loading the analyser: patterns without a repetition,
 * and anchored ones without groups and alternatives that hold a single unbounded repetition.
 */
function mayBacktrack(pattern: string): boolean {
  const bare = pattern.replace(/\\./gs, "x").replace(/\[[^\]]*\]/g, "x");
  const unbounded = bare.match(/[*+]|\{\d+,\}/g)?.length ?? 0;
  return /[*+{]/.test(bare) && !(unbounded <= 1 && bare.startsWith("^") && !/[(|]/.test(bare));
}

function warning(result: Diagnostics, span: Span, short: boolean): Diagnostic | undefined {
  if (result.status !== "vulnerable") return undefined;
  const { complexity, attack } = result;
  if (short && complexity.type === "polynomial") return undefined;
  const degree =
    complexity.type === "exponential" ? "exponential" : complexity.degree === 2 ? "quadratic" : "polynomial";
  const example = attack.pattern.length <= 60 ? attack.pattern : `${attack.pattern.slice(0, 57)}…`;
  return diagnose("pattern-slow", span, { complexity: degree, attack: example });
}
