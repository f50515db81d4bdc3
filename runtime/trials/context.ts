/** `ctx` of a test: what the threads of a server make, on what answers them there. */
import { timestamp } from "../clock.ts";
import { callerOf } from "../functions/caller.ts";
import { Network } from "../functions/fetch/network.ts";
import type { LogLine, Run } from "../functions/invocation.ts";
import type { Secrets } from "../functions/secrets.ts";
import { RunContext } from "../functions/worker/context.ts";
import { RunLog } from "../functions/worker/log.ts";
import type { Requests } from "../functions/worker/requests.ts";
import { anonymous, type Caller } from "../realm/caller.ts";
import type { RealmInstance } from "../realm/exchange.ts";
import { type FunctionDefinition, functionName } from "../realm/functions.ts";
import { answeredBy } from "./documents.ts";

/** Who calls: a user of the test, an API key of that name without limits, or nobody in particular. */
export type TestCaller = { readonly user: string } | { readonly key: string } | "anonymous";

/** What a test gives to any run. */
export interface RunOptions {
  /** Of a call; default: anonymous. */
  readonly caller?: TestCaller;
  /** Answers `ctx.fetch`, which asks for declared hosts alone; absent: nothing is there. */
  readonly fetch?: (request: Request) => Response | Promise<Response>;
  readonly signal?: AbortSignal;
  /** Default: `test`. */
  readonly requestId?: string;
}

/** What a `ctx` is made with; the secrets that the function declares are required. */
export type ContextOptions<Context> = RunOptions &
  (Context extends { readonly secrets: infer Secrets }
    ? [keyof Secrets] extends [never]
      ? unknown
      : { readonly secrets: Secrets }
    : unknown);

/** The same, of whatever function. */
export type AnyOptions = RunOptions & { readonly secrets?: Secrets };

/** What contexts of a test realm share. */
export interface ContextMeans {
  readonly clock: RealmInstance["clock"];
  /** Bytes of a request's body and of an answer's. */
  readonly bodyBytes: number;
  readonly logged: (line: LogLine) => void;
}

/**
 * What a handler is given beside its input.
 * @param requests what it asks for, which `run.host` answers
 */
export function contextOf(
  run: Omit<Run, "input">,
  { signal = run.signal, fetch }: RunOptions,
  { clock, bodyBytes, logged }: ContextMeans,
  requests: Requests = answeredBy((request) => run.host.answer(request)),
): RunContext {
  const { definition, requestId, secrets, caller } = run;
  const { network, mail } = definition;
  const { log } = new RunLog((line) => {
    logged({ ...line, at: timestamp(clock.now()) });
    run.host.log(line);
  });
  return new RunContext({
    ...{ log, requestId, secrets, caller, requests },
    setup: { path: "", fetches: network.length > 0, mail },
    bounds: { requestBytes: bodyBytes, outputBytes: bodyBytes },
    signal: () => signal,
    fetch: testFetch(definition, fetch),
    now: () => new Date(clock.now()),
  });
}

/** @throws Error where the test does not give one that the function declares */
export function secretsFor(definition: FunctionDefinition, secrets: Secrets = {}): Secrets {
  const missing = definition.secrets.find((name) => secrets[name] === undefined);
  if (missing === undefined) return secrets;
  throw new Error(`${functionName(definition)} declares the secret ${missing}, which the test does not give`);
}

/** @throws Error for a function that nobody calls, and where there is no such user */
export async function callerIn(
  realm: RealmInstance,
  definition: FunctionDefinition,
  caller: TestCaller | undefined,
): Promise<Caller | undefined> {
  if (definition.mode === "call") return realmCaller(realm, caller ?? "anonymous");
  if (caller === undefined) return undefined;
  throw new Error(`${functionName(definition)} is no call: nobody calls it`);
}

/** @throws Error where there is no such user */
export async function realmCaller(realm: RealmInstance, caller: TestCaller): Promise<Caller> {
  if (caller === "anonymous") return anonymous;
  if ("key" in caller) {
    const { key: name } = caller;
    const rights = { scopes: undefined, administration: undefined, delegates: false };
    return { kind: "key", actor: `key:${name}`, keyId: name, ...rights, expires: Number.POSITIVE_INFINITY };
  }
  const found = await callerOf(realm, { kind: "user", id: caller.user });
  if (found === undefined) throw new Error(`the test has no user '${caller.user}' (make one: realm.addUser)`);
  return found;
}

function testFetch(
  { network }: FunctionDefinition,
  answer: RunOptions["fetch"],
): (...request: Parameters<typeof fetch>) => Promise<Response> {
  const declared = new Network(network);
  return async (input, init) => {
    const request = new Request(input, init);
    declared.check(new URL(request.url));
    if (answer === undefined) throw new TypeError(`ctx.fetch: the test answers nothing for ${request.url}`);
    return answer(request);
  };
}
