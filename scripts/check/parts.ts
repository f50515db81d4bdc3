/** The parts of a check: commands whose outcome is known when all have ended. */
import { type ChildProcess, spawn } from "node:child_process";

export interface Part {
  readonly name: string;
  readonly command: string;
  readonly words: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

export interface Ended {
  readonly name: string;
  readonly isGreen: boolean;
}

export interface Place {
  readonly folder: string;
  readonly say: (text: string) => void;
  /** Ends what runs. */
  readonly signal: AbortSignal;
}

/**
 * Runs parts one after another, whatever came of those before. Says of each, when it has ended, what it printed; `live` ones
 * print by themselves.
 */
export async function inTurn(
  parts: readonly Part[],
  place: Place,
  { live = false } = {},
): Promise<readonly Ended[]> {
  const ended: Ended[] = [];
  for (const part of parts) {
    if (place.signal.aborted) break;
    const begun = performance.now();
    const { isGreen, printed } = await run(part, place, live);
    const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
    place.say(`${printed}check: ${part.name} ${isGreen ? "green" : "RED"}, ${seconds} s\n`);
    ended.push({ name: part.name, isGreen });
  }
  return ended;
}

async function run(
  { command, words, environment }: Part,
  { folder, signal }: Place,
  live: boolean,
): Promise<{ readonly isGreen: boolean; readonly printed: string }> {
  const child = spawn(command, words, {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdio: live ? "inherit" : ["ignore", "pipe", "pipe"],
    signal,
    killSignal: "SIGTERM",
  });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => chunks.push(chunk));
  const { isGreen, failure } = await outcomeOf(child);
  return { isGreen, printed: Buffer.concat(chunks).toString() + failure };
}

function outcomeOf(child: ChildProcess): Promise<{ readonly isGreen: boolean; readonly failure: string }> {
  return new Promise((resolve) => {
    child.on("error", (error) => resolve({ isGreen: false, failure: `${error.message}\n` }));
    child.on("close", (code) => resolve({ isGreen: code === 0, failure: "" }));
  });
}
