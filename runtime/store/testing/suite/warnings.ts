import { setImmediate } from "node:timers/promises";
import { onTestFinished } from "vitest";

/**
 * Takes the warnings of one error from the process until the test that calls has finished; others are printed as ever.
 * @param stop ends what warns
 * @returns resolves at the first of them
 */
export function warningOf(own: Error, stop: () => void): Promise<void> {
  const { emitWarning } = process;
  onTestFinished(async () => {
    stop();
    // What was to be told by then is told first.
    await setImmediate();
    process.emitWarning = emitWarning;
  });
  return new Promise((resolve) => {
    process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
      if (warning === own) resolve();
      else Reflect.apply(emitWarning, process, [warning, ...rest]);
    };
  });
}
