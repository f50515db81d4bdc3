/**
 * What came of a run of tests, as a file for who started it: `REALMC_OUTCOME` names it. `.ci/run` makes its table of it, and
 * tries red tests again.
 */
import { writeFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import type { Reporter, SerializedError, TestModule } from "vitest/node";
import { busyTime } from "./lengths.ts";

export interface Failure {
  /** Full title of the test, or of the suite whose hook failed; empty for the file itself. */
  readonly name: string;
  /** Every error of it, with stacks and differences. */
  readonly errors: readonly string[];
}

export interface FileOutcome {
  readonly project: string;
  /** From the root of the checkout. */
  readonly path: string;
  /** How long a worker was busy with it, in milliseconds. */
  readonly time: number;
  readonly failures: readonly Failure[];
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
}

export interface Outcome {
  readonly files: readonly FileOutcome[];
  /** Errors outside of any test, or of a worker that crashed. */
  readonly unhandled: readonly string[];
}

export class OutcomeReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const place = process.env["REALMC_OUTCOME"];
    if (!place) return;
    const outcome: Outcome = { files: modules.map(fileOutcome), unhandled: unhandled.map(errorText) };
    writeFileSync(place, JSON.stringify(outcome));
  }
}

function fileOutcome(module: TestModule): FileOutcome {
  const tests = [...module.children.allTests()];
  const failed = [
    { name: "", errors: module.errors() },
    ...[...module.children.allSuites()].map((suite) => ({ name: suite.fullName, errors: suite.errors() })),
    ...tests.map((test) => ({ name: test.fullName, errors: test.result().errors ?? [] })),
  ].filter(({ errors }) => errors.length > 0);
  return {
    project: module.project.name,
    path: module.relativeModuleId,
    time: busyTime(module),
    failures: failed.map(({ name, errors }) => ({ name, errors: errors.map(errorText) })),
    skipped: tests.flatMap((test) => {
      const result = test.result();
      return result.state === "skipped"
        ? [{ name: test.fullName, reason: reasonOf(test.fullName, result.note) }]
        : [];
    }),
  };
}

/** A reason that was not given stands in parentheses at the end of the title, or the title has to do. */
function reasonOf(name: string, note: string | undefined): string {
  return note ?? / \(([^()]+)\)$/.exec(name)?.[1] ?? name;
}

interface Thrown {
  readonly name?: string;
  readonly message: string;
  readonly stack?: string;
  readonly diff?: string;
  readonly cause?: Thrown;
}

/** An error as a person reads it: the message with its stack, the difference, and what caused it. */
export function errorText({ name = "Error", message, stack, diff, cause }: Thrown): string {
  const head = stack?.includes(message) ? stack : [`${name}: ${message}`, stack].filter(Boolean).join("\n");
  const parts = [head, diff, cause && `caused by: ${errorText(cause)}`];
  return stripVTControlCharacters(parts.filter(Boolean).join("\n"));
}
