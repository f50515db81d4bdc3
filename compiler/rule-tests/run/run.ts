/** Runs the rule tests of realms on their emitted code, realms side by side. */
import type { JsonObject } from "../../../runtime/json.ts";
import { kept } from "../../../runtime/kept.ts";
import type { RealmDefinition } from "../../../runtime/realm/definition.ts";
import type { EmittedFile } from "../../../templates/print/code.ts";
import { whileReadingAll } from "../../diagnostics/internal-error.ts";
import type { AnalysedRealm } from "../../pipeline.ts";
import { holds } from "../../rules/form/evaluate.ts";
import type { RuleTest, RuleTestFile } from "../rule-tests.ts";
import { type Coverage, Covered } from "./coverage.ts";
import { type AskedRule, type Failure, Judge } from "./judge.ts";
import { loadDefinitions } from "./load.ts";
import { type PlacedRule, placedRules, type RuleKey } from "./places.ts";
import { type HeldStore, openRealm, openStore, type StoredFile } from "./realm.ts";
import { type Evaluation, Recorder } from "./recorder.ts";
import { type TracedRule, tracedRule } from "./trace.ts";
import { type Assertions, assertionsOf, together } from "./unasserted.ts";

export interface TestResult {
  readonly realm: string;
  /** `<database>/<collection>`; absent of tests that are about none. */
  readonly collection?: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly name: string;
  readonly ok: boolean;
  /** What is not as expected; absent where all is. */
  readonly message?: string;
  /** Of a failure: the rules that were asked, first the one that decides. */
  readonly trace?: readonly TracedRule[];
}

export interface TestRun {
  readonly tests: readonly TestResult[];
  readonly coverage: Coverage;
  readonly assertions: Assertions;
  /** Milliseconds that the tests themselves took, after the realms were opened. */
  readonly milliseconds: number;
}

/** A realm with its tests, and what is emitted for it. */
export interface TestedRealm extends AnalysedRealm {
  readonly files: readonly EmittedFile[];
}

/** @param filter a part of `<file> <name>` of the tests that run, whatever its case; default: all */
export async function runRuleTests(realms: readonly TestedRealm[], filter = ""): Promise<TestRun> {
  const tested = realms.filter(({ tests = [] }) => tests.length > 0);
  const files = tested.flatMap((each) => each.files);
  const names = tested.map(({ realm }) => realm.name);
  const definitions =
    names.length === 0 ? new Map<string, RealmDefinition>() : await loadDefinitions(names, files);
  const runs = await Promise.all(
    tested.map((each) => {
      const definition = definitions.get(each.realm.name);
      if (definition === undefined) throw new Error(`nothing defines ${each.realm.name}`);
      return whileReadingAll(`${each.realm.name}/realm.yaml`, () =>
        runRealm(each, definition, filter.toLowerCase()),
      );
    }),
  );
  const covered = new Covered(realms);
  for (const { realm, evaluations } of runs) covered.add(realm, evaluations);
  return {
    tests: runs.flatMap((run) => run.results),
    coverage: covered.coverage(),
    assertions: together(runs.map((run) => run.assertions)),
    milliseconds: Math.max(0, ...runs.map((run) => run.milliseconds)),
  };
}

export interface RealmRun {
  readonly realm: string;
  readonly results: readonly TestResult[];
  readonly evaluations: readonly Evaluation[];
  readonly assertions: Assertions;
  readonly milliseconds: number;
}

/** The tests of one realm on what defines it. @param held default: a store of its own */
export async function runRealm(
  realm: TestedRealm,
  definition: RealmDefinition,
  filter: string,
  held?: HeldStore,
): Promise<RealmRun> {
  const { store, clock } = held ?? (await openStore(definition));
  const recorder = new Recorder();
  const rules = placedRules(realm);
  const open = openRealm(recorder.watched(definition), { store, clock });
  const results: TestResult[] = [];
  const evaluations: Evaluation[] = [];
  const assertions: Assertions[] = [];
  const begun = performance.now();
  let stored: StoredFile | undefined;
  try {
    for (const file of realm.tests ?? []) {
      const tests = file.tests.filter(({ name }) => `${file.path} ${name}`.toLowerCase().includes(filter));
      if (tests.length === 0) continue;
      await whileReadingAll(file.path, async () => {
        assertions.push(assertionsOf(file, tests, realm.realm));
        stored = await open.hold(file, stored);
        const judge = new Judge(file, open, stored);
        for (const test of tests) {
          const { failure, asked } = await judge.judge(test);
          const told = withUnasked(recorder.take(), asked, rules);
          evaluations.push(...told);
          results.push(resultOf(file, test, failure, told, rules));
        }
      });
    }
    return {
      realm: realm.realm.name,
      results,
      evaluations,
      assertions: together(assertions),
      milliseconds: performance.now() - begun,
    };
  } finally {
    await open.close(stored);
    if (held === undefined) await store.close();
  }
}

/** A rule that is false for a caller whatever the document is not asked about it: what it would say is added. */
function withUnasked(
  told: readonly Evaluation[],
  asked: readonly AskedRule[],
  rules: ReadonlyMap<RuleKey, PlacedRule>,
): readonly Evaluation[] {
  const known = new Map<RuleKey, Set<string>>();
  for (const { rule, context, document } of told)
    kept(known, rule, () => new Set()).add(aboutKey(context.user?.id, document));
  const added = asked.flatMap(({ rule, access: { context }, document, data }): readonly Evaluation[] => {
    const placed = rules.get(rule);
    if (placed === undefined || context === undefined) return [];
    const about = aboutKey(context.user?.id, document);
    const others = kept(known, rule, () => new Set<string>());
    if (others.has(about)) return [];
    others.add(about);
    const world = { context, document, data };
    return [{ rule, ...world, holds: holds(placed.compiled.written, world) }];
  });
  return [...told, ...added];
}

/** Whom and what a rule is asked about. */
function aboutKey(user: string | undefined, document: JsonObject | undefined): string {
  return JSON.stringify([user, document?.["id"]]);
}

function resultOf(
  file: RuleTestFile,
  { name, span, action }: RuleTest,
  failure: Failure | undefined,
  told: readonly Evaluation[],
  rules: ReadonlyMap<RuleKey, PlacedRule>,
): TestResult {
  const where = {
    realm: file.realm,
    ...("collection" in action && { collection: action.collection }),
    file: file.path,
    line: span.line,
    column: span.column,
    name,
  };
  if (failure === undefined) return { ...where, ok: true };
  return { ...where, ok: false, message: failure.message, trace: traceOf(failure, told, rules) };
}

/** The rules that a failing part asked about its document, the deciding one first; each once. */
function traceOf(
  { rule, access, document }: Failure,
  told: readonly Evaluation[],
  rules: ReadonlyMap<RuleKey, PlacedRule>,
): readonly TracedRule[] {
  const id = document?.["id"];
  const own = told.filter(
    (each) => each.context === access.context && (id === undefined || (each.document?.["id"] ?? id) === id),
  );
  const last = new Map(own.map((each) => [each.rule, each]));
  // Read rules of fields are asked of every document, and say nothing of what was refused.
  const keys = [...last.keys()].filter((key) => key === rule || !/ fields\..*\.read$/.test(key));
  const ordered = [...keys.filter((key) => key === rule), ...keys.filter((key) => key !== rule)];
  return ordered.flatMap((key) => {
    const [placed, evaluation] = [rules.get(key), last.get(key)];
    return placed === undefined || evaluation === undefined ? [] : [tracedRule(placed, evaluation)];
  });
}
