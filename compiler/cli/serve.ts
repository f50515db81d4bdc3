/** Runs a bundle's `server.mjs` as a process of its own. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { join, resolve } from "node:path";
import { UsageError } from "./exit.ts";

/**
 * Runs `node <dist>/server.mjs` with the given words; signals go on to it. Answers its exit code.
 * @throws UsageError when there is no bundle.
 */
export async function runServer(dist: string, words: readonly string[]): Promise<number> {
  const server = join(resolve(dist), "server.mjs");
  if (!existsSync(server)) {
    throw new UsageError(`no bundle in ${dist} (make one: realmc build <config> --bundle ${dist})`);
  }
  const child = spawn(process.execPath, [server, ...words], { stdio: "inherit" });
  const forward = (signal: NodeJS.Signals): void => {
    child.kill(signal);
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, forward);
  try {
    return await new Promise((done, failed) => {
      child.once("error", failed);
      child.once("exit", (code, signal) => done(code ?? 128 + signalNumber(signal)));
    });
  } finally {
    for (const signal of signals) process.off(signal, forward);
  }
}

function signalNumber(signal: NodeJS.Signals | null): number {
  return signal === null ? 0 : constants.signals[signal];
}
