import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { parseArgs } from "node:util";
import type { Clock } from "../clock.ts";
import { beginTriggers } from "../functions/events/following.ts";
import type { HandlerLog } from "../functions/host/log.ts";
import type { Log } from "../realm/exchange.ts";
import { type FunctionDefinition, functionName } from "../realm/functions.ts";
import { recordConfiguration } from "../realm/recorded.ts";
import { openStores, type Stores } from "../store/engines.ts";
import { FolderLocked } from "../store/sqlite/lock.ts";
import { didYouMean } from "../suggest.ts";
import { type Program, realmsCalled, type Surroundings, UsageError } from "./command.ts";
import { DataFolder } from "./data.ts";
import { startThreads } from "./function-threads.ts";
import { lineText } from "./handler-log.ts";
import { keysOf } from "./instance-keys.ts";
import { invoked, NobodyThere } from "./invoking.ts";
import { LoneRealm } from "./lone-realm.ts";
import { provisionStore } from "./provisioning.ts";
import { realmCollections } from "./realm.ts";
import { readSettings, type Settings } from "./settings.ts";

export const invokeUsage = "invoke <realm>/<database>/<function> [--input <file>|-] [--as <user id>]";

/**
 * `invoke` runs a function once, as a server of this store would, and prints what it answers: to stdout and 0, or an error's
 * envelope to stderr and 1. What it leaves to be done later waits for a server.
 * @throws UsageError | BadSettings, Error where another process has the store
 */
export async function invokeCommand(
  program: Program,
  words: readonly string[],
  surroundings: Surroundings,
  clock: Clock,
): Promise<number> {
  const { environment, out, err } = surroundings;
  const { name, input, as } = parseWords(words);
  const definition = functionCalled(name, program);
  const [{ definition: realm }] = realmsCalled(definition.realm, program.realms);
  if (as !== undefined && (definition.mode !== "call" || realm.accounts === undefined))
    throw new UsageError(`--as: ${name} is called by no user`);
  const settings = readSettings(environment);
  const body = input === undefined ? undefined : bytesOf(input, settings.maxBodyBytes);
  const log = logTo(err);
  const stores = await storesOf(settings, clock, definition);
  const folder = new DataFolder(settings);
  const runner = startThreads(settings, undefined);
  try {
    const store = await stores.open(realm.name);
    const { signal } = new AbortController();
    await provisionStore(store, realmCollections(realm), realm.name, log, signal, async () => {
      await beginTriggers({ definition: realm, store, clock });
      await recordConfiguration({ ...program, store, realm: realm.name, clock, log });
    });
    const lone = new LoneRealm({
      ...{ definition: realm, store, clock, log, settings },
      ...{ keys: keysOf(settings, folder), fingerprint: program.fingerprint },
    });
    const { instance, ending } = lone;
    const { maxBodyBytes: bodyBytes } = settings;
    // Beside the answer, which is alone on stdout.
    const handlerLog: HandlerLog = (line) => err(lineText(line));
    const parts = { runner, bodyBytes, ending, metrics: undefined, handlerLog };
    try {
      const { answer, reason } = await invoked(instance, parts, definition, { body, as });
      const succeeded = answer.status < 400;
      if (reason !== undefined) err(`error: ${reason}`);
      const text = answer.body?.toString() ?? "";
      if (text !== "") (succeeded ? out : err)(text);
      else if (!succeeded) err(`error: it answered ${answer.status}`);
      return succeeded ? 0 : 1;
    } catch (error) {
      if (!(error instanceof NobodyThere)) throw error;
      err(error.message);
      return 2;
    } finally {
      await lone.close();
    }
  } finally {
    await runner?.close();
    await stores.close();
    folder.release();
  }
}

/** @throws Error where another process has the folder */
async function storesOf(
  { store: location, queryTime, searchTime, feedBytes }: Settings,
  clock: Clock,
  { realm, database, name, mode }: FunctionDefinition,
): Promise<Stores> {
  const holder = `process ${process.pid} on ${hostname()}, running invoke`;
  const limits = { queryTime, searchTime, feedBytes };
  try {
    return await openStores({ location, setting: "SVC_STORE", clock, ...limits, holder });
  } catch (error) {
    if (!(error instanceof FolderLocked)) throw error;
    const path = mode === "event" ? `_admin/functions/${database}/${name}/run` : `${database}/_func/${name}`;
    const instead = `stop it, or have it run the function: POST /v1/${realm}/${path}`;
    throw new Error(`${error.message}; ${instead}`, { cause: error });
  }
}

function parseWords(words: readonly string[]) {
  try {
    const options = { input: { type: "string" }, as: { type: "string" } } as const;
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true });
    const [name, ...others] = positionals;
    if (name === undefined || others.length > 0) throw new UsageError("invoke takes one function");
    return { ...values, name };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** @throws UsageError for one that there is not */
function functionCalled(name: string, { realms }: Program): FunctionDefinition {
  const [realm] = name.split("/");
  const [{ definition }] = realmsCalled(realm, realms);
  const all = definition.functions ?? [];
  const names = all.map((each) => `${each.realm}/${functionName(each)}`);
  const found = all[names.indexOf(name)];
  if (found !== undefined) return found;
  const hint = didYouMean(name, names) ?? `there are: ${names.join(", ") || "none"}`;
  throw new UsageError(`there is no function '${name}' (${hint})`);
}

/** @throws UsageError */
function bytesOf(input: string, most: number): Buffer {
  try {
    const bytes = readFileSync(input === "-" ? 0 : input);
    if (bytes.length > most) throw new UsageError(`--input: ${input} has more than ${most} bytes`);
    return bytes;
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(`--input: ${input} cannot be read`);
  }
}

/** What goes wrong beside the run. */
function logTo(err: (line: string) => void): Log {
  const line = (level: string) => (fields: object, message: string) => {
    const { err: cause, reason = cause }: { err?: unknown; reason?: unknown } = fields;
    err(`${level}: ${message}${reason === undefined ? "" : `: ${String(reason)}`}`);
  };
  return { info: () => undefined, warn: line("warn"), error: line("error") };
}
