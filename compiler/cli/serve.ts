/** Runs a bundle's `server.mjs` as a process of its own. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { constants } from "node:os";
import { dirname, join, resolve } from "node:path";
import { isJsonObject } from "../../runtime/json.ts";
import { UsageError } from "./exit.ts";
import { isInstalled } from "./installed.ts";

/**
 * Runs `node <dist>/server.mjs` with the given words; signals go on to it. Answers its exit code.
 * @param variables beside those of this process
 * @throws UsageError when there is no bundle, or what it needs is not installed.
 */
export async function runServer(
  dist: string,
  words: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<number> {
  const server = join(resolve(dist), "server.mjs");
  if (!existsSync(server)) {
    throw new UsageError(`no bundle in ${dist} (make one: realmc build <config> --bundle ${dist})`);
  }
  const missing = missingPackages(server);
  if (missing.length > 0) {
    throw new UsageError(
      `${dist} needs ${missing.join(" and ")} (install them: npm install --prefix ${dist})`,
    );
  }
  const child = spawn(process.execPath, [server, ...words], {
    stdio: "inherit",
    env: { ...process.env, ...variables },
  });
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

/** The packages that the bundle names and does not hold, as far as they are not installed where it lies. */
function missingPackages(server: string): readonly string[] {
  const settings: unknown = JSON.parse(readFileSync(join(dirname(server), "package.json"), "utf8"));
  const needed = isJsonObject(settings) ? settings["dependencies"] : undefined;
  const folder = dirname(realpathSync(server));
  return Object.keys(isJsonObject(needed) ? needed : {}).filter((name) => !isInstalled(name, folder));
}

function signalNumber(signal: NodeJS.Signals | null): number {
  return signal === null ? 0 : constants.signals[signal];
}
