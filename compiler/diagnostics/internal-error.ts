/** Faults of the compiler itself, told as diagnostics at the file that was being read. */
import { diagnose } from "./catalogue.ts";
import type { Diagnostic } from "./diagnostic.ts";
import { fileSpan } from "./span.ts";

/** An error that nothing expects. `cause` is what was thrown. */
export class InternalError extends Error {
  /** Relative to the configuration folder. */
  readonly file: string;

  constructor(file: string, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = "InternalError";
    this.file = file;
  }
}

/**
 * Does work on a file of the configuration. Where several are nested, the innermost names the file.
 * @throws InternalError
 */
export function whileReading<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw fault(file, error);
  }
}

/**
 * As {@link whileReading}, of work that takes time.
 * @throws InternalError
 */
export async function whileReadingAll<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw fault(file, error);
  }
}

export function internalError({ file, message, cause }: InternalError): Diagnostic {
  return diagnose("internal-error", fileSpan(file), {
    problem: message.split("\n", 1)[0] ?? "",
    place: placeOf(cause),
  });
}

function fault(file: string, error: unknown): InternalError {
  return error instanceof InternalError ? error : new InternalError(file, error);
}

/** Where it was thrown, without the paths of this machine. */
function placeOf(cause: unknown): string {
  const stack = cause instanceof Error ? (cause.stack ?? "") : "";
  const frame = /^\s*at (?:.*[/\\])?([^/\\\n]+:\d+:\d+)\)?$/m.exec(stack);
  return frame?.[1] ?? "an unknown place";
}
