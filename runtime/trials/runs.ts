/** Runs of handlers as a server has them: their routes around them, and the schemas. */
import { ApiError } from "../errors.ts";
import { requestDirectly } from "../functions/direct.ts";
import type { Outcome, Run, Runner } from "../functions/invocation.ts";
import { packInput } from "../functions/packing.ts";
import { type FunctionParts, RealmFunctions } from "../functions/realm.ts";
import { inputOf } from "../functions/worker/input.ts";
import { failed } from "../functions/worker/invocation.ts";
import { forwardedResult } from "../functions/worker/replies.ts";
import { resultOf } from "../functions/worker/returned.ts";
import { deliberateResult } from "../functions/worker/thrown.ts";
import { apiError, errorAnswer } from "../http/failures.ts";
import { anonymous } from "../realm/caller.ts";
import type { Answer, RealmInstance } from "../realm/exchange.ts";
import type {
  CallDefinition,
  EventDefinition,
  FunctionDefinition,
  WebhookDefinition,
} from "../realm/functions.ts";
import { type AnyOptions, type ContextMeans, callerIn, contextOf, secretsFor } from "./context.ts";
import { answeredBy } from "./documents.ts";
import type { HappenedEvent } from "./happened.ts";
import type { AnyHandler, TestRequest } from "./test-realm.ts";

/** What runs of a test realm need. */
export interface RunMeans extends ContextMeans {
  readonly realm: RealmInstance;
  readonly ending: AbortSignal;
}

/**
 * A call, as a request makes it.
 * @throws (rejects with) what the handler throws; else ApiError, as the request is answered
 */
export async function runCall(
  means: RunMeans,
  definition: CallDefinition,
  handler: AnyHandler,
  input: unknown,
  options: AnyOptions,
): Promise<unknown> {
  const runner = new HandlerRunner(handler, options, means);
  const body = JSON.stringify(input);
  const answer = await requested(means, definition, runner, options, {
    body: Buffer.from(body ?? ""),
    headers: { "content-type": "application/json" },
  });
  return JSON.parse(String(answer.body));
}

/**
 * A webhook, as a request has it run.
 * @returns what is answered, also where that is a refusal
 * @throws (rejects with) what the handler throws, but by `ctx.error`
 */
export async function runWebhook(
  means: RunMeans,
  definition: WebhookDefinition,
  handler: AnyHandler,
  { body, headers = {}, query = {} }: TestRequest,
  options: AnyOptions,
): Promise<Response> {
  const runner = new HandlerRunner(handler, options, means);
  const names = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const answer = await requested(means, definition, runner, options, {
    body: body === undefined ? "none" : Buffer.from(body),
    headers: Object.fromEntries(names),
    search: new URLSearchParams(query).toString(),
  }).catch((error: unknown) => {
    const refusal = deliberateResult(error);
    const { requestId = "test" } = options;
    if (refusal?.kind === "refused") return errorAnswer(refusal, requestId);
    if (error instanceof ApiError && error.status < 500) return errorAnswer(error, requestId);
    throw error;
  });
  return responseOf(answer);
}

/** @throws (rejects with) what the handler throws */
export async function runEvent(
  means: RunMeans,
  definition: EventDefinition,
  handler: AnyHandler,
  { job, input, chain }: HappenedEvent,
  options: AnyOptions,
): Promise<void> {
  await callerIn(means.realm, definition, options.caller);
  const runner = new HandlerRunner(handler, options, means);
  const functions = new RealmFunctions(means.realm, partsOf(means, definition, runner, options));
  try {
    await functions.run({ definition, input, requestId: options.requestId ?? job, chain });
  } finally {
    await functions.close();
  }
  runner.rethrow();
}

/** @throws (rejects with) what the handler throws; else ApiError */
async function requested(
  means: RunMeans,
  definition: WebhookDefinition | CallDefinition,
  runner: HandlerRunner,
  options: AnyOptions,
  sent: Omit<Parameters<typeof requestDirectly>[3], "requestId" | "caller">,
): Promise<Answer> {
  const { realm } = means;
  const caller = (await callerIn(realm, definition, options.caller)) ?? anonymous;
  const parts = partsOf(means, definition, runner, options);
  const request = { ...sent, caller, requestId: options.requestId ?? "test" };
  const answer = await requestDirectly(realm, parts, definition, request).catch((error: unknown) => {
    runner.rethrow();
    throw explained(error);
  });
  runner.rethrow();
  return answer;
}

/** With the reason that a server tells its log alone. */
function explained(error: unknown): ApiError {
  const seen = apiError(error);
  if (seen.status < 500 || !(seen.cause instanceof Error)) return seen;
  return new ApiError(seen.code, seen.cause.message, { cause: seen.cause });
}

function partsOf(
  { bodyBytes, ending }: RunMeans,
  definition: FunctionDefinition,
  runner: Runner,
  { secrets }: AnyOptions,
): FunctionParts {
  const given = secretsFor(definition, secrets);
  return { runner, bodyBytes, ending, metrics: undefined, secrets: { of: () => given } };
}

function responseOf({ status, headers = {}, body }: Answer): Response {
  const type = status < 400 ? {} : { "content-type": "application/json; charset=utf-8" };
  const bytes = body === undefined || (typeof body === "object" && "kind" in body) ? null : body;
  return new Response(typeof bytes === "string" ? bytes : bytes && new Uint8Array(bytes), {
    status,
    headers: { ...type, ...headers },
  });
}

/** Runs one handler in this process. */
class HandlerRunner implements Runner {
  readonly #handler: AnyHandler;
  readonly #options: AnyOptions;
  readonly #means: ContextMeans;
  readonly figures = { workers: 0, busy: 0, queued: 0 };
  #thrown: { readonly error: unknown } | undefined;

  constructor(handler: AnyHandler, options: AnyOptions, means: ContextMeans) {
    this.#handler = handler;
    this.#options = options;
    this.#means = means;
  }

  async run(run: Run): Promise<Outcome> {
    const requests = answeredBy((request) => run.host.answer(request));
    const ran = { duration: 0, logs: [] };
    try {
      const context = contextOf(run, this.#options, this.#means, requests);
      // Who gave it to the realm's member was asked by its types for all that it is given here.
      const value: unknown = await Reflect.apply(this.#handler, undefined, [
        inputOf(packInput(run.input)),
        context,
      ]);
      return { ...ran, result: resultOf(run.input.kind, value, this.#means.bodyBytes) };
    } catch (error) {
      this.#thrown = { error };
      return { ...ran, result: deliberateResult(error) ?? forwardedResult(error) ?? failed(error) };
    } finally {
      // Nothing that it left behind has an effect any more.
      requests.end();
    }
  }

  /** @throws what the handler threw, if it did */
  rethrow(): void {
    if (this.#thrown !== undefined) throw this.#thrown.error;
  }

  async close(): Promise<void> {}
}
