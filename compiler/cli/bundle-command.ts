/** Runs commands of a bundle whose results are read, and not shown. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";

/** A command of a bundle ended without results; what it said has been passed on. */
export class CommandFailed extends Error {
  readonly code: number;
  constructor(words: readonly string[], code: number, said: string) {
    super(said || `${words[0]} ended with exit code ${code}`);
    this.name = "CommandFailed";
    this.code = code;
  }
}

export interface BundleCommand {
  readonly folder: string;
  /** Ends the command, and what waits for it, with what it is aborted with. */
  readonly signal: AbortSignal;
  /** Hears what the command says beside its results, a line at a time. */
  readonly err: (line: string) => void;
}

/**
 * Runs a command with `--format=json` and returns what it printed.
 * @throws CommandFailed where it printed nothing, with the last line that it said
 */
export async function bundleResults(
  { folder, signal, err }: BundleCommand,
  words: readonly string[],
): Promise<string> {
  signal.throwIfAborted();
  const child = spawn(process.execPath, [join(folder, "server.mjs"), ...words, "--format=json"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const kill = () => child.kill("SIGKILL");
  signal.addEventListener("abort", kill);
  let last = "";
  createInterface({ input: child.stderr }).on("line", (line) => {
    last = line;
    err(line);
  });
  try {
    const [results, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
    signal.throwIfAborted();
    if (results.trim() === "") throw new CommandFailed(words, typeof code === "number" ? code : 1, last);
    return results;
  } finally {
    signal.removeEventListener("abort", kill);
  }
}
