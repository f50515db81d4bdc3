import type { TestRun } from "../run.ts";

/** Results for programs; what there is nothing of is null. */
export function jsonReport({ tests, coverage, assertions }: TestRun): string {
  const { clauses, covered, uncovered } = coverage;
  const passed = tests.filter(({ ok }) => ok).length;
  return JSON.stringify(
    {
      passed,
      failed: tests.length - passed,
      tests: tests.map(
        ({ realm, collection = null, file, line, name, ok, message = null, trace = null }) => ({
          ...{ realm, collection, file, line, name, ok, message, trace },
        }),
      ),
      coverage: { clauses, covered, uncovered, unasserted: assertions.unasserted },
    },
    null,
    2,
  );
}
