import type { Diagnostic } from "../../../diagnostics/diagnostic.ts";
import { renderGithub } from "../../../diagnostics/github.ts";
import { rebased } from "../../../diagnostics/rebased.ts";
import type { TestResult, TestRun } from "../run.ts";

/** Failures as annotations of a pull request. @param prefix leads from the checkout to the configuration */
export function githubReport({ tests }: TestRun, prefix: string): string {
  const failed = tests.filter(({ ok }) => !ok).map(diagnosticOf);
  return renderGithub(rebased(failed, prefix)).trimEnd();
}

function diagnosticOf({ file, line, column, name, message = "", trace = [] }: TestResult): Diagnostic {
  const related = trace.slice(0, 1).map((rule) => ({
    message: `${rule.rule} is ${rule.value}: ${rule.text}`,
    span: {
      file: rule.file,
      line: rule.line,
      column: rule.column,
      endLine: rule.line,
      endColumn: rule.column,
    },
  }));
  return {
    code: "rule-test-failed",
    severity: "error",
    message: `${name}: ${message}`,
    span: { file, line, column, endLine: line, endColumn: column },
    related,
  };
}
