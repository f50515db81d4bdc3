/** The rule tests of what `realmc dev` serves: which of them a change broke, and which it mended. */
import { hasErrors } from "../diagnostics/sort.ts";
import type { TestResult } from "../rule-tests/run/run.ts";
import type { BuiltRealm } from "./compile.ts";

export interface TestChange {
  readonly passed: number;
  readonly failed: number;
  /** Those that fail now and did not before; at first all that fail. */
  readonly broken: readonly TestResult[];
  /** Those that failed before, and pass now. */
  readonly mended: readonly TestResult[];
}

export class WarmTests {
  #known: ReadonlyMap<string, { readonly built: BuiltRealm; readonly results: readonly TestResult[] }> =
    new Map();

  /** Runs the tests of realms that are not as they were; undefined where there is nothing to say. */
  async run(realms: ReadonlyMap<string, BuiltRealm>): Promise<TestChange | undefined> {
    const before = this.#known;
    const known = new Map<string, { readonly built: BuiltRealm; readonly results: readonly TestResult[] }>();
    for (const [name, built] of realms) {
      const old = before.get(name);
      known.set(name, { built, results: old?.built === built ? old.results : await resultsOf(built) });
    }
    this.#known = known;
    return changeBetween(resultsIn(before), resultsIn(known), before.size === 0);
  }
}

function resultsIn(
  known: ReadonlyMap<string, { readonly results: readonly TestResult[] }>,
): readonly TestResult[] {
  return [...known.values()].flatMap(({ results }) => results);
}

async function resultsOf({ analysed, emitted }: BuiltRealm): Promise<readonly TestResult[]> {
  const { tests = [], ofTests = [] } = analysed;
  if (tests.length === 0 || hasErrors(ofTests)) return [];
  // The runtime that they run on takes time to load, and who has no tests needs none.
  const { runRuleTests } = await import("../rule-tests/run/run.ts");
  return (await runRuleTests([{ ...analysed, files: emitted.files }])).tests;
}

/** @param first nothing ran before, so that also tests that pass are spoken of */
export function changeBetween(
  before: readonly TestResult[],
  now: readonly TestResult[],
  first: boolean,
): TestChange | undefined {
  const failing = (results: readonly TestResult[]) => results.filter(({ ok }) => !ok);
  const [failed, passing] = [new Set(failing(before).map(keyOf)), now.filter(({ ok }) => ok)];
  const broken = failing(now).filter((each) => !failed.has(keyOf(each)));
  const mended = passing.filter((each) => failed.has(keyOf(each)));
  const isNews = broken.length + mended.length > 0 || (first && now.length > 0);
  if (!isNews) return undefined;
  return { passed: passing.length, failed: now.length - passing.length, broken, mended };
}

/** The same test, wherever it stands in its file now. */
function keyOf({ file, name }: TestResult): string {
  return `${file} ${name}`;
}
