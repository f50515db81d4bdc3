import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";

/** Characters of a server's output that an error shows: the last ones. */
const SHOWN = 4_000;

export interface Readiness {
  /** Milliseconds: a net against hanging, on a machine that others load. */
  readonly limit?: number;
  /** Milliseconds between two requests. */
  readonly interval?: number;
}

/**
 * Waits until `/readyz` of a server process that was just spawned answers 200. Reads the process's pipes to their end, and
 * passes on what comes from `stderr`.
 * @throws Error with what the process wrote to its pipes, as soon as it ends, or when it is not ready by the limit
 */
export async function ready(
  child: ChildProcess,
  url: string,
  { limit = 120_000, interval = 10 }: Readiness = {},
): Promise<void> {
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-SHOWN);
      if (stream === child.stderr) process.stderr.write(text);
    });
  }
  let ended: string | undefined;
  once(child, "close").then(
    ([code, signal]) => {
      ended = `ended with ${code ?? signal}`;
    },
    (error: unknown) => {
      ended = `could not be started: ${error}`;
    },
  );
  for (const ends = performance.now() + limit; performance.now() < ends; await setTimeout(interval)) {
    if (ended !== undefined) throw new Error(`the server at ${url} ${ended} before it was ready:\n${output}`);
    const signal = AbortSignal.timeout(limit);
    const answer = await fetch(`${url}/readyz`, { signal }).catch(() => undefined);
    if (answer?.status === 200) return;
  }
  throw new Error(`the server at ${url} was not ready within ${limit / 1_000} s:\n${output}`);
}
