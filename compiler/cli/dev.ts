/** `realmc dev`: builds, serves, watches. */
import { relative, resolve } from "node:path";
import picocolors from "picocolors";
import { listenFailure } from "../../runtime/http/listening.ts";
import { BadSettings, readSettings } from "../../runtime/instance/settings.ts";
import { type Front, openFront } from "../dev/front.ts";
import { portHolder } from "../dev/port-holder.ts";
import { Session, type Teller } from "../dev/session.ts";
import { story } from "../dev/story.ts";
import { counted } from "../diagnostics/render.ts";
import { renderFailure } from "../rule-tests/run/reports/text.ts";
import { type ExitCode, exit, UsageError } from "./exit.ts";
import { requireApart, requireFolder, requireOutput } from "./folders.ts";
import { reportDiagnostics } from "./report.ts";
import type { Terminal } from "./terminal.ts";

export interface DevOptions {
  /** Folder of the emitted code. */
  readonly out: string;
  /** Default: `PORT`, else 8080. */
  readonly port?: number;
  /** Folder of what is stored; default: the one of `SVC_STORE`, else `data`. */
  readonly data?: string;
  readonly key?: true;
  readonly standaloneClient?: true;
}

/** What keys that `--key` makes are called. */
const keyName = "realmc-dev";

/** Milliseconds in which signals are one: Ctrl-C reaches a process directly and once more through `npm`. */
const together = 1_000;

/**
 * `realmc dev`: runs until it is interrupted.
 * @throws UsageError
 */
export async function dev(
  config: string,
  options: DevOptions,
  terminal: Terminal,
  variables: NodeJS.ProcessEnv,
): Promise<ExitCode> {
  requireFolder(config);
  requireOutput("--out", options.out, config);
  const { environment, host, port, data } = surroundings(options, variables);
  requireOutput("--data", data, config);
  requireApart("--out", options.out, "--data", data);
  const front = await listen(host, port);
  const interrupted = interruption();
  terminal.step(`building ${config}`);
  const session = new Session({
    config,
    out: options.out,
    client: { standalone: options.standaloneClient },
    front,
    environment: { ...environment, PORT: String(front.port) },
    key: options.key && keyName,
    teller: teller({ config, data, url: front.url, terminal }),
  });
  await interrupted;
  terminal.step("stopping");
  await Promise.all([session.close(), front.close()]);
  terminal.out("stopped");
  return exit.ok;
}

interface Surroundings {
  /** Of server processes. */
  readonly environment: NodeJS.ProcessEnv;
  readonly host: string;
  readonly port: number;
  readonly data: string;
}

/** What servers are told by their environment, where options do not say otherwise. */
function surroundings({ port, data }: DevOptions, variables: NodeJS.ProcessEnv): Surroundings {
  const environment = {
    // Of servers, what is unusual.
    SVC_LOG: "warn",
    ...variables,
    ...(port === undefined ? {} : { PORT: String(port) }),
    ...(data === undefined ? {} : { SVC_STORE: `sqlite:${resolve(data)}` }),
  };
  const settings = settingsOf(environment);
  const { store } = settings;
  if (store.engine !== "sqlite" || store.folder === ":memory:") {
    throw new UsageError("dev keeps what is stored in a folder, and SVC_STORE names none (give one: --data)");
  }
  return {
    environment,
    host: settings.host,
    port: settings.port,
    data: data ?? (relative("", store.folder) || "."),
  };
}

function settingsOf(environment: NodeJS.ProcessEnv): ReturnType<typeof readSettings> {
  try {
    return readSettings(environment);
  } catch (error) {
    if (error instanceof BadSettings) throw new UsageError(error.message);
    throw error;
  }
}

async function listen(host: string, port: number): Promise<Front> {
  try {
    return await openFront(host, port);
  } catch (error) {
    throw new UsageError(listenFailure(host, port, error, "--port", portHolder(port)));
  }
}

/** Resolves with the first signal to stop; one more that is not the same repeated ends the process at once. */
function interruption(): Promise<void> {
  return new Promise((resolve) => {
    let first: number | undefined;
    const take = (): void => {
      first ??= performance.now();
      if (performance.now() - first >= together) process.exit(1);
      resolve();
    };
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, take);
  });
}

interface Telling {
  readonly config: string;
  readonly data: string;
  readonly url: string;
  readonly terminal: Terminal;
}

function teller({ config, data, url, terminal }: Telling): Teller {
  const { out, err, fail, errLook, outLook } = terminal;
  const colors = picocolors.createColors(outLook.colored);
  const goesOn = (serving: boolean): string =>
    serving ? "the server before goes on" : "nothing is served until they are mended";
  return {
    diagnostics: (found) => reportDiagnostics(config, found, { ...errLook, line: err }),
    broken: (serving) => out(colors.yellow(`${config} has errors; ${goesOn(serving)}`)),
    started(realms, keys, elapsed) {
      out(`${counted(realms.length, "realm")} of ${config} built and served in ${time(elapsed)}`);
      for (const realm of realms) out(`  ${colors.cyan(`${url}/v1/${realm}`)}`);
      for (const [realm, key] of Object.entries(keys)) out(`administrator's key of ${realm}: ${key}`);
      out(`documents are kept in ${data}; watching ${config}, Ctrl-C stops`);
    },
    rebuilt(what, outcome, elapsed) {
      for (const line of story(what, outcome, time(elapsed))) out(line);
    },
    failed(message, serving) {
      fail(message);
      out(colors.yellow(serving ? "the server before goes on" : "nothing is served; a change tries again"));
    },
    crashed(how, next) {
      fail(`the server ended: ${how}`);
      out(colors.yellow(next === "restarting" ? "it is started again" : "a change starts it again"));
    },
    refused: (line) => out(colors.dim(line)),
    tested({ passed, failed, broken, mended }) {
      for (const each of broken) out(renderFailure(each, outLook.colored));
      for (const { file, line, name } of mended) out(`${file}:${line} passes again: ${name}`);
      const count = `rule tests: ${passed} passed, ${failed} failed`;
      out(failed > 0 ? colors.red(count) : count);
    },
    hindered: (error) => fail(error instanceof Error ? error.message : String(error)),
  };
}

function time(milliseconds: number): string {
  return milliseconds < 1_000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1_000).toFixed(1)} s`;
}
