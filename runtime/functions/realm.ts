import type { Author } from "../documents/access.ts";
import { ApiError, unavailable } from "../errors.ts";
import { kept } from "../kept.ts";
import { assuranceOf, type Caller, type KeyCaller } from "../realm/caller.ts";
import type { RealmInstance } from "../realm/exchange.ts";
import type { FunctionMetrics } from "../realm/function-metrics.ts";
import { type Chain, type FunctionDefinition, functionName } from "../realm/functions.ts";
import { type Memberships, noMemberships } from "../realm/memberships.ts";
import { callerOf, callerView, ownCaller } from "./caller.ts";
import type { BackgroundRun } from "./events/background.ts";
import { chained, chainMarks } from "./events/chains.ts";
import type { HostedRun } from "./host/exchange.ts";
import { type HostParts, hostParts, RunHost } from "./host/host.ts";
import type { HandlerFailed, HandlerLog } from "./host/log.ts";
import { FunctionBusy, type FunctionInput, type Outcome, type Run, type Runner } from "./invocation.ts";
import { InvocationJournal } from "./invocations/journal.ts";
import { recordOf, statusOf } from "./invocations/telling.ts";
import { RealmLimits } from "./limits.ts";
import { judgedOutcome } from "./output.ts";
import { hideSecrets, SecretReader, type Secrets } from "./secrets.ts";

/** What an instance gives the functions of its realms. */
export interface FunctionParts {
  /** Undefined: none run here. */
  readonly runner: Runner | undefined;
  /** Bytes of requests of handlers to documents. */
  readonly bodyBytes: number;
  /** Aborted when requests that are under way have had their time. */
  readonly ending: AbortSignal;
  /** Undefined where nobody measures. */
  readonly metrics: Pick<FunctionMetrics, "invoked"> | undefined;
  /** Default: the server's log. */
  readonly handlerLog?: HandlerLog | undefined;
  /** Hears why handlers fail, with their stacks; default: only who asked for the run, and its invocation. */
  readonly handlerFailed?: HandlerFailed | undefined;
  /** Milliseconds between writes of invocations; default: a second. */
  readonly invocationPeriod?: number | undefined;
  /** Secrets that go before those that administrators have set; default: none. */
  readonly givenSecrets?: (() => Secrets) | undefined;
  /** Default: those that administrators have set. */
  readonly secrets?: Pick<SecretReader, "of">;
}

/** A run that somebody has a reason for. */
export interface AskedRun {
  readonly definition: FunctionDefinition;
  readonly input: FunctionInput;
  readonly requestId: string;
  /** Of the client who called. */
  readonly address?: string;
  /** Who called, if anybody did. */
  readonly caller?: Caller | undefined;
  /** Those that count for them; absent: they are read. */
  readonly memberships?: Memberships | undefined;
  /** What its writes, and the calls that it queues, came of. */
  readonly chain?: Chain | undefined;
  /** From 1, which is the default. */
  readonly attempt?: number;
  /** Ends it; absent: it ends with the requests that are under way. */
  readonly signal?: AbortSignal;
}

/** The functions of a realm as they run: what is around each run, whoever asks for it. */
export class RealmFunctions {
  readonly #realm: RealmInstance;
  readonly #parts: FunctionParts;
  readonly #host: HostParts;
  readonly #secrets: Pick<SecretReader, "of">;
  readonly #journal: InvocationJournal;
  readonly limits: RealmLimits;
  /** Functions as callers. */
  readonly #callers = new Map<FunctionDefinition, KeyCaller>();

  constructor(realm: RealmInstance, parts: FunctionParts) {
    this.#realm = realm;
    this.#parts = parts;
    this.#host = hostParts(realm, parts.bodyBytes, parts.handlerLog);
    this.#journal = new InvocationJournal(realm, parts.invocationPeriod);
    this.#secrets = parts.secrets ?? new SecretReader(realm, parts.givenSecrets);
    this.limits = new RealmLimits(realm.definition.functionLimits ?? {}, realm.clock);
  }

  /**
   * Runs one, with its secrets, answering what it asks for; its output is judged, and what came of it recorded.
   * @throws (rejects with) FunctionBusy where the function, or the realm, has as many runs as may be; ApiError
   *   `unavailable` | `secret_missing`
   */
  async run(asked: AskedRun): Promise<Outcome> {
    const { definition } = asked;
    try {
      return await this.limits.running(() => this.#run(asked));
    } catch (error) {
      if (error instanceof FunctionBusy || (error instanceof ApiError && error.code === "unavailable"))
        this.#parts.metrics?.invoked(definition.realm, functionName(definition), "busy");
      throw error;
    }
  }

  /** Runs one that no request waits for; who had it queued is who they are now. */
  async background(run: BackgroundRun): Promise<Outcome> {
    const { caller: queued, ...asked } = run;
    if (queued === undefined) return this.run(asked);
    const caller = await callerOf(this.#realm, queued);
    if (caller !== undefined) return this.run({ ...asked, caller });
    this.#tell(asked, this.#realm.clock.now(), callerGone);
    return callerGone;
  }

  /** What a runner is given beside the input: who called, as the handler sees them, and who answers what it asks for. */
  async prepare(asked: Omit<AskedRun, "input">, secrets: Secrets): Promise<Omit<Run, "input">> {
    const { definition, requestId, caller, signal = this.#parts.ending } = asked;
    const isSeen = definition.mode === "call" && caller !== undefined;
    return {
      definition,
      requestId,
      caller: isSeen ? callerView(caller, await this.#membershipsOf(asked)) : undefined,
      secrets,
      host: new RunHost(this.#host, () => this.#hosted(asked, secrets)),
      signal,
    };
  }

  /** Writes what is not yet recorded of runs. */
  close(): Promise<void> {
    return this.#journal.close();
  }

  async #run(asked: AskedRun): Promise<Outcome> {
    const { runner } = this.#parts;
    if (runner === undefined) throw unavailable("Functions do not run here.");
    const { definition, input } = asked;
    const started = this.#realm.clock.now();
    const secrets = await this.#secretsOf(asked, started);
    const outcome = await runner.run({ ...(await this.prepare(asked, secrets)), input });
    const judged = judgedOutcome(definition, outcome);
    this.#tell(asked, started, judged, secrets);
    return judged;
  }

  /** That one is missing is told of it as of a run. */
  async #secretsOf(asked: AskedRun, started: number): Promise<Secrets> {
    try {
      return await this.#secrets.of(asked.definition);
    } catch (error) {
      if (error instanceof ApiError && error.code === "secret_missing") {
        const message = error.cause instanceof Error ? error.cause.message : error.message;
        const result = { kind: "ended", code: error.code, message } as const;
        this.#tell(asked, started, { result, duration: 0, logs: [] });
      }
      throw error;
    }
  }

  #tell(asked: AskedRun, started: number, outcome: Outcome, secrets: Secrets = {}): void {
    const { definition, input, requestId, caller, attempt = 1 } = asked;
    const told = { definition, input, requestId, caller, attempt, started };
    this.#journal.note(recordOf(this.#realm, told, outcome, secrets));
    const { result } = outcome;
    if (result.kind === "failed") {
      const of = { realm: definition.realm, function: functionName(definition), request_id: requestId };
      this.#parts.handlerFailed?.(hideSecrets(result.reason, secrets), of);
    }
    const seconds = outcome.duration / 1_000;
    const status = statusOf(result);
    this.#parts.metrics?.invoked(definition.realm, functionName(definition), status, seconds);
  }

  #hosted(
    { definition, requestId, address = "", caller, chain }: Omit<AskedRun, "input">,
    secrets: HostedRun["secrets"],
  ): HostedRun {
    const own = kept(this.#callers, definition, () => ownCaller(definition));
    const hasAccounts = this.#realm.definition.accounts !== undefined;
    return {
      ...{ definition, requestId, address, caller, chain, secrets },
      own: {
        caller: own,
        context: undefined,
        scopes: definition.scopes,
        withheld: undefined,
        author: chained(hasAccounts ? authorOf(own.actor, caller) : undefined, chain),
        audit: chainMarks(this.#realm, chain),
      },
    };
  }

  async #membershipsOf({
    caller,
    memberships,
  }: Pick<AskedRun, "caller" | "memberships">): Promise<Memberships> {
    if (memberships !== undefined) return memberships;
    if (caller?.kind !== "user") return noMemberships;
    return (
      (await this.#realm.organizations?.membershipsOf(caller.user.id, assuranceOf(caller))) ?? noMemberships
    );
  }
}

const callerGone: Outcome = {
  result: { kind: "ended", code: "caller_gone", message: "Who had it queued may call nothing any more." },
  duration: 0,
  logs: [],
};

/** What a user calls is done by them; all else by the function. */
function authorOf(own: string, caller: Caller | undefined): Author {
  return caller?.kind === "user"
    ? { actor: caller.actor, owner: caller.user.id }
    : { actor: own, owner: null };
}

const opened = new WeakMap<object, RealmFunctions>();

/** To be called when a realm that has functions starts, before its routes are made. */
export function openFunctions(realm: RealmInstance, parts: FunctionParts): RealmFunctions {
  const functions = new RealmFunctions(realm, parts);
  opened.set(realm, functions);
  return functions;
}

/** @throws Error for a realm that was not opened */
export function functionsOf(realm: Pick<RealmInstance, "definition">): RealmFunctions {
  const functions = opened.get(realm);
  if (functions === undefined) throw new Error(`realm ${realm.definition.name} has no functions`);
  return functions;
}
