import { changesBetween, type Inputs, readInputs } from "../dev/inputs.ts";
import { watchFolders } from "../dev/watch.ts";
import { type ExitCode, exit, UsageError } from "./exit.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Runs at once and after every change of the configuration, one run after another, until the process is interrupted.
 * @param run what it throws for the command line is told, and does not end it: the next change may mend that
 */
export function watchTests(
  config: string,
  run: () => Promise<ExitCode>,
  terminal: Terminal,
): Promise<ExitCode> {
  let seen: Inputs | undefined;
  let last: ExitCode = exit.ok;
  return new Promise((resolve, reject) => {
    let working = Promise.resolve();
    const watch = watchFolders(config, () => again());
    const end = (): void => {
      watch.close();
      resolve(last);
    };
    process.once("SIGINT", end).once("SIGTERM", end);
    again();

    function again(): void {
      working = working.then(work).catch((error: unknown) => {
        watch.close();
        process.off("SIGINT", end).off("SIGTERM", end);
        reject(error);
      });
    }

    async function work(): Promise<void> {
      let inputs = readInputs(config);
      while (watch.follow(inputs.folders)) inputs = readInputs(config);
      if (seen !== undefined && changesBetween(seen, inputs).length === 0) return;
      seen = inputs;
      try {
        last = await run();
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        last = exit.usage;
        terminal.fail(error.message);
      }
    }
  });
}
