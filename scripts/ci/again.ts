/** Red tests, tried once more. */
import { join } from "node:path";
import type { FileOutcome } from "../testing/outcome.ts";
import { root } from "../workspace.ts";
import { isRedByTests, type Ran, type Runner, redFiles } from "./parts.ts";
import type { Variables } from "./processes.ts";

/** Where more files are red than this, something is broken, and none of them is tried again. */
export const most = 10;

/** A test file that was red at first, and whether it was green alone. */
export interface Retried {
  readonly file: FileOutcome;
  readonly isFlaky: boolean;
}

/** The name of the part that tries a file again. */
export function againName({ project, path }: FileOutcome): string {
  return `again: ${project} ${path}`;
}

/** Files whose tests could still be green: those of parts that only their tests made red. */
export function doubtful(parts: readonly Ran[]): readonly FileOutcome[] {
  return parts.filter(isRedByTests).flatMap(redFiles);
}

/**
 * Runs each file by itself, in a process of its own.
 * @param variables those that the tests of a project are run with
 */
export async function triedAgain(
  files: readonly FileOutcome[],
  runner: Runner,
  variables: (project: string) => Variables,
): Promise<readonly Retried[]> {
  const retried: Retried[] = [];
  for (const file of files) {
    const { project, path } = file;
    const command = ["npx", "vitest", "run", "--project", project, join(root, path)];
    const ran = await runner.run({ name: againName(file), command, variables: variables(project) });
    retried.push({ file, isFlaky: ran.succeeded && wasTried(file, ran) });
  }
  return retried;
}

/** Whether what was red has run again: a test that is skipped the second time proves nothing. */
function wasTried(first: FileOutcome, { outcome }: Ran): boolean {
  const second = outcome?.files.find(({ project, path }) => project === first.project && path === first.path);
  const skipped = second?.skipped.map(({ name }) => name);
  return skipped !== undefined && !first.failures.some(({ name }) => skipped.includes(name));
}
