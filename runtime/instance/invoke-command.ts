import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { createKey, endKey } from "../auth/keys.ts";
import type { Clock } from "../clock.ts";
import type { Log } from "../realm/exchange.ts";
import { type FunctionDefinition, functionName } from "../realm/functions.ts";
import { FolderLocked } from "../store/sqlite/lock.ts";
import { didYouMean } from "../suggest.ts";
import { type Program, realmsCalled, type Surroundings, UsageError } from "./command.ts";
import { type Instance, startInstance } from "./instance.ts";
import { readSettings } from "./settings.ts";

export const invokeUsage = "invoke <realm>/<database>/<function> [--input <file>|-] [--as <user id>]";

/** Of the key under which it is called: an earlier one, of a process that was killed, is replaced. */
const keyName = "realmc-invoke";
const grace = 5_000;

/**
 * `invoke` calls a function once, as a server of this store would, and prints what it answers: to stdout and 0, or an
 * error's envelope to stderr and 1. Without `--as` the caller is an API key without limits.
 * @throws UsageError | BadSettings, Error where another process has the store
 */
export async function invokeCommand(
  program: Program,
  words: readonly string[],
  { environment, out, err }: Surroundings,
  clock: Clock,
): Promise<number> {
  const { name, input, as } = parseWords(words);
  const definition = functionCalled(name, program);
  const settings = { ...readSettings(environment), metrics: "off" } as const;
  const { maxBodyBytes } = settings;
  const body = input === undefined ? undefined : read(input, maxBodyBytes);
  const address = { host: "127.0.0.1", port: 0 };
  const options = { ...program, settings, clock, log: logTo(err), address };
  const instance = await startInstance(options).catch((error: unknown) => {
    if (!(error instanceof FolderLocked)) throw error;
    const path = `/v1/${definition.realm}/${definition.database}/_func/${definition.name}`;
    throw new Error(`${error.message}; stop it, or call the function there: POST ${path}`, { cause: error });
  });
  try {
    await instance.ready;
    const answer = await called(instance, definition, { body, as, clock, program });
    const text = await answer.text();
    if (answer.ok) out(text);
    else err(text);
    return answer.ok ? 0 : 1;
  } finally {
    await instance.stop(grace);
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

/** @throws UsageError for one that there is not, or that nobody calls */
function functionCalled(name: string, { realms }: Program): FunctionDefinition {
  const [realm] = name.split("/");
  const [{ definition }] = realmsCalled(realm, realms);
  const all = definition.functions ?? [];
  const names = all.map((each) => `${each.realm}/${functionName(each)}`);
  const found = all[names.indexOf(name)];
  if (found === undefined) {
    const hint = didYouMean(name, names) ?? `there are: ${names.join(", ") || "none"}`;
    throw new UsageError(`there is no function '${name}' (${hint})`);
  }
  if (found.mode === "event")
    throw new UsageError(`${name} is run by events (by hand: POST /v1/${realm}/_admin/functions/…/run)`);
  return found;
}

function read(input: string, most: number): Uint8Array<ArrayBuffer> {
  try {
    const bytes = readFileSync(input === "-" ? 0 : input);
    if (bytes.length > most) throw new UsageError(`the input has more than ${most} bytes`);
    return new Uint8Array(bytes);
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(`--input: ${input} cannot be read`);
  }
}

interface Asked {
  readonly body: Uint8Array<ArrayBuffer> | undefined;
  readonly as: string | undefined;
  readonly clock: Clock;
  readonly program: Program;
}

/** By the route that everybody takes, so that nothing holds here that does not hold there. */
async function called(
  instance: Instance,
  { realm, database, name, mode }: FunctionDefinition,
  { body, as, clock, program }: Asked,
): Promise<Response> {
  const [{ definition }] = realmsCalled(realm, program.realms);
  const hasAccounts = definition.accounts !== undefined;
  if (as !== undefined && !hasAccounts) throw new UsageError(`--as: realm ${realm} has no accounts`);
  const isKeyed = mode === "call" && hasAccounts;
  const store = instance.store(realm);
  const headers = new Headers({ "content-type": "application/json" });
  if (isKeyed) {
    const key = { name: keyName, admin: false, onBehalfOf: as !== undefined, replace: true };
    headers.set("authorization", `Bearer ${await createKey(store, clock, key)}`);
    if (as !== undefined) headers.set("x-svc-on-behalf-of", as);
  }
  if (mode === "call") headers.set("idempotency-key", `invoke-${clock.now()}`);
  try {
    const url = `${instance.url}/v1/${realm}/${database}/_func/${name}`;
    return await fetch(url, { method: "POST", headers, body: body ?? (mode === "call" ? "{}" : null) });
  } finally {
    if (isKeyed) await endKey(store, clock, keyName);
  }
}

/** What handlers log, and what goes wrong: beside the answer, which is alone on stdout. */
function logTo(err: (line: string) => void): Log {
  const line = (level: string, fields: object, message: string) => {
    const { fields: told }: { fields?: unknown } = fields;
    err(`${level}: ${message}${told === undefined ? "" : ` ${JSON.stringify(told)}`}`);
  };
  return {
    info: (fields, message) => "function" in fields && line("info", fields, message),
    warn: (fields, message) => line("warn", fields, message),
    error: (fields, message) => line("error", fields, message),
  };
}
