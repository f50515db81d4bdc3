import { spawnSync } from "node:child_process";
import { join } from "node:path";
// It starts its service in the folder that it was loaded in, which must outlast every test of the worker.
import "esbuild";
import { packageRoot } from "../../package/package.ts";
import { main } from "../main.ts";

/** What starts the command line. */
export const entry = join(packageRoot, "compiler/cli/realmc.mjs");

/** What a command that has ended left behind. */
export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs `realmc` in a folder, within this process: its words, what it says and its exit code are what a process of its own
 * has, which takes a second more to start.
 */
export function commandsIn(
  folder: string,
  environment: Readonly<Record<string, string>> = {},
): (...words: readonly string[]) => Promise<Ended> {
  return async (...words) => {
    const said = { stdout: "", stderr: "" };
    const home = process.cwd();
    process.chdir(folder);
    try {
      const status = await main(words, {
        stdout: { write: (text) => (said.stdout += text) },
        stderr: { write: (text) => (said.stderr += text) },
        environment,
      });
      return { status, ...said };
    } finally {
      process.chdir(home);
    }
  };
}

/** Runs `realmc` in a folder, as a process of its own, until it has ended. */
export function realmcIn(folder: string): (...words: readonly string[]) => Ended {
  return (...words) => ran(process.execPath, [entry, ...words], folder);
}

/** Runs a program in a folder until it has ended. */
export function ran(program: string, words: readonly string[], folder: string): Ended {
  const { status, stdout, stderr } = spawnSync(program, words, { encoding: "utf8", cwd: folder });
  return { status, stdout, stderr };
}
