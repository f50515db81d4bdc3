import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Known to take longest, in this order; measured by `npx vitest run --reporter=json`. */
const long = [
  "scripts/first-run/first-run.test.ts",
  "scripts/docs-page/docs-page.test.ts",
  "scripts/package/package.test.ts",
  "scripts/dev/dev.test.ts",
  "scripts/realtime/model.test.ts",
  "scripts/security/matrix.test.ts",
  "compiler/check/hostile.test.ts",
  "scripts/security/regexps.test.ts",
  "scripts/security/outsiders.test.ts",
  "runtime/store/contract.test.ts",
  "scripts/conformance/conformance.test.ts",
  "runtime/instance/process.test.ts",
  "scripts/client/compile.test.ts",
  "scripts/organizations/model.test.ts",
];

/**
 * The order of test files: those known to take long first, so that all workers end at about the same time; the others as
 * vitest does, by the time that they took before, or by their size.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project))];
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = long.findIndex((path) => moduleId.endsWith(`/${path}`));
      return at === -1 ? long.length : at;
    };
    return sorted.sort(
      (a, b) => projects.indexOf(a.project) - projects.indexOf(b.project) || rank(a) - rank(b),
    );
  }
}
