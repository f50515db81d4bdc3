/** Runs a bundle's `server.mjs` as a process of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { Socket } from "node:net";
import { constants } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { followed } from "../../runtime/instance/handover/following.ts";
import { isJsonObject } from "../../runtime/json.ts";
import { UsageError } from "./exit.ts";
import { isInstalled } from "./installed.ts";

/**
 * Runs `node <dist>/server.mjs` with the given words; signals go on to it, and to those that it hands over to. Answers the
 * exit code of the last.
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
    throw new UsageError(`${dist} needs ${missing.join(" and ")} (install them: npm ci --prefix ${dist})`);
  }
  const pipe = 3;
  const child = spawn(process.execPath, [server, ...words], {
    stdio: ["inherit", "inherit", "inherit", "pipe"],
    env: { ...process.env, ...variables, ...followed(pipe, pipe) },
  });
  const followers = follow(child.stdio[pipe]);
  const forward = (signal: NodeJS.Signals): void => {
    followers.signal(child, signal);
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR2"] as const;
  for (const signal of signals) process.on(signal, forward);
  try {
    const code = await new Promise<number>((done, failed) => {
      child.once("error", failed);
      child.once("exit", (code, signal) => done(code ?? 128 + signalNumber(signal)));
    });
    return await followers.ended(code);
  } finally {
    for (const signal of signals) process.off(signal, forward);
  }
}

/** Servers that take over from the one that was started; a pipe that all of them hold tells of them ({@link Followed}). */
interface Followers {
  /** Goes to the one that serves. */
  signal(first: ChildProcess, signal: NodeJS.Signals): void;
  /** Resolves when the last one has ended, with its exit code. @param first of the one that was started */
  ended(first: number): Promise<number>;
}

function follow(pipe: unknown): Followers {
  let serving: number | undefined;
  let code: number | undefined;
  const closed =
    pipe instanceof Socket
      ? new Promise<void>((resolve) => {
          pipe.once("error", () => pipe.destroy());
          createInterface({ input: pipe })
            .on("line", (line) => {
              const told: unknown = JSON.parse(line);
              if (!isJsonObject(told)) return;
              if (typeof told["serving"] === "number") {
                serving = told["serving"];
                code = undefined;
              } else if (typeof told["ended"] === "number") code = told["ended"];
            })
            .once("close", resolve);
        })
      : Promise.resolve();
  return {
    signal(first, signal) {
      if (serving === undefined) first.kill(signal);
      else kill(serving, signal);
    },
    async ended(first) {
      await closed;
      // One that takes over and says nothing of its end was killed.
      return serving === undefined ? first : (code ?? 1);
    },
  };
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended, of which the pipe tells next.
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
