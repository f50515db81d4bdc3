import type { Author } from "../documents/access.ts";
import type { Caller } from "../realm/caller.ts";
import type { RealmInstance } from "../realm/exchange.ts";
import type { Chain, FunctionDefinition } from "../realm/functions.ts";
import { type Memberships, noMemberships } from "../realm/memberships.ts";
import { callerOf, callerView, ownCaller } from "./caller.ts";
import { unavailable } from "./errors.ts";
import type { BackgroundRun } from "./events/background.ts";
import { chained, chainMarks } from "./events/chains.ts";
import type { HostedRun } from "./host/exchange.ts";
import { type HostParts, hostParts, RunHost } from "./host/host.ts";
import type { FunctionInput, Outcome, Runner } from "./invocation.ts";
import { RealmLimits } from "./limits.ts";
import { judgedResult } from "./output.ts";
import { SecretReader } from "./secrets.ts";

/** What an instance gives the functions of its realms. */
export interface FunctionParts {
  /** Undefined: none run here. */
  readonly runner: Runner | undefined;
  /** Bytes of requests of handlers to documents. */
  readonly bodyBytes: number;
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
  /** Ends it; absent: the requests that wait for it do not. */
  readonly signal?: AbortSignal;
}

const unbounded = new AbortController().signal;

/** The functions of a realm as they run: what is around each run, whoever asks for it. */
export class RealmFunctions {
  readonly #realm: RealmInstance;
  readonly #runner: Runner | undefined;
  readonly #host: HostParts;
  readonly #secrets: SecretReader;
  readonly limits: RealmLimits;

  constructor(realm: RealmInstance, { runner, bodyBytes }: FunctionParts) {
    this.#realm = realm;
    this.#runner = runner;
    this.#host = hostParts(realm, bodyBytes);
    this.#secrets = new SecretReader(realm);
    this.limits = new RealmLimits(realm.definition.functionLimits ?? {}, realm.clock);
  }

  /**
   * Runs one, with its secrets, answering what it asks for; its output is judged.
   * @throws (rejects with) FunctionBusy where the function, or the realm, has as many runs as may be; ApiError
   *   `unavailable` | `secret_missing`
   */
  run(asked: AskedRun): Promise<Outcome> {
    return this.limits.running(() => this.#run(asked));
  }

  /** Runs one that no request waits for; who had it queued is who they are now. */
  async background(run: BackgroundRun): Promise<Outcome> {
    const { caller: queued, ...asked } = run;
    if (queued === undefined) return this.run(asked);
    const caller = await callerOf(this.#realm, queued);
    return caller === undefined ? callerGone : this.run({ ...asked, caller });
  }

  async #run(asked: AskedRun): Promise<Outcome> {
    if (this.#runner === undefined) throw unavailable("Functions do not run here.");
    const { definition, input, requestId, caller, signal = unbounded } = asked;
    const secrets = await this.#secrets.of(definition);
    const isSeen = definition.mode === "call" && caller !== undefined;
    const outcome = await this.#runner.run({
      ...{ definition, input, requestId, secrets, signal },
      ...(isSeen && { caller: callerView(caller, await this.#membershipsOf(asked)) }),
      host: new RunHost(this.#host, this.#hosted(asked, secrets)),
    });
    return { ...outcome, result: judgedResult(definition, outcome.result) };
  }

  #hosted(
    { definition, requestId, address = "", caller, chain }: AskedRun,
    secrets: HostedRun["secrets"],
  ): HostedRun {
    const own = ownCaller(definition);
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

  async #membershipsOf({ caller, memberships }: AskedRun): Promise<Memberships> {
    if (memberships !== undefined) return memberships;
    if (caller?.kind !== "user") return noMemberships;
    return (await this.#realm.organizations?.membershipsOf(caller.user)) ?? noMemberships;
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
