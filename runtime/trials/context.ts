/** `ctx` of a test: what the threads of a server make, on what answers them there. */
import { callerOf } from "../functions/caller.ts";
import type { LogLine } from "../functions/invocation.ts";
import type { RealmFunctions } from "../functions/realm.ts";
import { RunContext } from "../functions/worker/context.ts";
import { Network } from "../functions/worker/fetch/network.ts";
import { RunLog } from "../functions/worker/log.ts";
import { anonymous, type Caller } from "../realm/caller.ts";
import type { RealmInstance } from "../realm/exchange.ts";
import { type FunctionDefinition, functionName } from "../realm/functions.ts";
import { answeredBy } from "./documents.ts";

/** Who calls: a user of the test, an API key of that name without limits, or nobody in particular. */
export type TestCaller = { readonly user: string } | { readonly key: string } | "anonymous";

interface AnyContextOptions {
  /** Of a call; default: anonymous. */
  readonly caller?: TestCaller;
  /** Answers `ctx.fetch`, which asks for declared hosts alone; absent: nothing is there. */
  readonly fetch?: (request: Request) => Response | Promise<Response>;
  readonly signal?: AbortSignal;
  /** Default: `test`. */
  readonly requestId?: string;
}

/** What a `ctx` is made with; the secrets that the function declares are required. */
export type ContextOptions<Context> = AnyContextOptions &
  (Context extends { readonly secrets: infer Secrets }
    ? [keyof Secrets] extends [never]
      ? unknown
      : { readonly secrets: Secrets }
    : unknown);

/** What of a test realm contexts are made of. */
export interface ContextHost {
  readonly realm: RealmInstance;
  readonly functions: RealmFunctions;
  /** Bytes of a request's body and of an answer's. */
  readonly bodyBytes: number;
  readonly logged: (line: LogLine) => void;
}

/** @throws Error where a secret is missing, or there is no such caller */
export async function contextOf(
  { realm, functions, bodyBytes, logged }: ContextHost,
  definition: FunctionDefinition,
  options: AnyContextOptions & { readonly secrets?: Readonly<Record<string, string>> },
): Promise<RunContext> {
  const { secrets = {}, requestId = "test", signal = new AbortController().signal } = options;
  const missing = definition.secrets.find((name) => secrets[name] === undefined);
  if (missing !== undefined)
    throw new Error(
      `${functionName(definition)} declares the secret ${missing}, which the test does not give`,
    );
  const caller = await callerIn(realm, definition, options.caller);
  const run = await functions.prepare({ definition, requestId, signal, caller }, secrets);
  const { log } = new RunLog((line) => {
    logged(line);
    run.host.log(line);
  });
  const { network, mail } = definition;
  return new RunContext({
    ...{ log, requestId, secrets, caller: run.caller },
    setup: { url: "", network, mail, answerBytes: bodyBytes },
    bounds: { requestBytes: bodyBytes, outputBytes: bodyBytes },
    requests: answeredBy((request) => run.host.answer(request)),
    signal: () => signal,
    fetch: testFetch(definition, options.fetch),
    now: () => new Date(realm.clock.now()),
  });
}

async function callerIn(
  realm: RealmInstance,
  definition: FunctionDefinition,
  caller: TestCaller | undefined,
): Promise<Caller | undefined> {
  if (definition.mode !== "call") {
    if (caller === undefined) return undefined;
    throw new Error(`${functionName(definition)} is no call: nobody calls it`);
  }
  return realmCaller(realm, caller ?? "anonymous");
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
  answer: AnyContextOptions["fetch"],
): (...request: Parameters<typeof fetch>) => Promise<Response> {
  const declared = new Network(network);
  return async (input, init) => {
    const request = new Request(input, init);
    declared.check(new URL(request.url));
    if (answer === undefined) throw new TypeError(`ctx.fetch: the test answers nothing for ${request.url}`);
    return answer(request);
  };
}
