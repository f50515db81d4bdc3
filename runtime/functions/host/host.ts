import { unavailable } from "../../errors.ts";
import { apiError, errorAnswer } from "../../http/failures.ts";
import type { RealmInstance } from "../../realm/exchange.ts";
import { functionName } from "../../realm/functions.ts";
import { Turns } from "../../turns.ts";
import type { FunctionHost, HostReply, HostRequest, LogLine } from "../invocation.ts";
import { DocumentDoor, replyOf } from "./documents.ts";
import { enqueue } from "./enqueue.ts";
import { callerEntrance, functionEntrance } from "./entrances.ts";
import type { HostedRun } from "./exchange.ts";
import { type HandlerLog, loggedBy, RunLog } from "./log.ts";
import { sendMail } from "./mail.ts";
import { organizationOf, setClaims } from "./organizations.ts";

/** Requests of one run that are answered at a time, and that wait. */
const atOnce = 16;
const waiting = 10_000;

/** What answers the handlers of a realm's functions; made when it starts. */
export interface HostParts {
  readonly realm: RealmInstance;
  /** By the function itself, and by who called it. */
  readonly documents: Readonly<Record<"function" | "caller", DocumentDoor>>;
  readonly log: HandlerLog;
}

/** @param bodyBytes that requests to documents may have; `log`: default: the server's */
export function hostParts(
  realm: RealmInstance,
  bodyBytes: number,
  log: HandlerLog = loggedBy(realm.log),
): HostParts {
  return {
    realm,
    log,
    documents: {
      function: new DocumentDoor(realm, functionEntrance, bodyBytes),
      caller: new DocumentDoor(realm, callerEntrance, bodyBytes),
    },
  };
}

/** Answers one run: refusals are replies, as HTTP would give them. */
export class RunHost implements FunctionHost {
  readonly #parts: HostParts;
  readonly #describe: () => HostedRun;
  #described: HostedRun | undefined;
  #log: RunLog | undefined;
  #turns: Turns | undefined;

  /** @param describe called once, when the run asks for something */
  constructor(parts: HostParts, describe: () => HostedRun) {
    this.#parts = parts;
    this.#describe = describe;
  }

  async answer(request: HostRequest): Promise<HostReply> {
    this.#turns ??= new Turns(atOnce, waiting, full);
    try {
      return await this.#turns.run(() => this.#answer(request));
    } catch (error) {
      return this.#refused(error);
    }
  }

  log(line: LogLine): void {
    this.#log ??= new RunLog(this.#parts.log, this.#run);
    this.#log.write(line);
  }

  get #run(): HostedRun {
    this.#described ??= this.#describe();
    return this.#described;
  }

  async #answer(request: HostRequest): Promise<HostReply> {
    const { realm, documents } = this.#parts;
    const run = this.#run;
    switch (request.kind) {
      case "documents":
        return documents[request.as].answer(run, request);
      case "organization":
        return organizationOf(realm, request.id);
      case "claims":
        return setClaims(realm, run, request);
      case "mail":
        return sendMail(realm, run, request);
      case "enqueue":
        return enqueue(realm, run, request);
    }
  }

  /** As the HTTP layer answers and logs what goes wrong. */
  #refused(error: unknown): HostReply {
    const { log } = this.#parts.realm;
    const { requestId, definition } = this.#run;
    const seen = apiError(error);
    if (seen.status >= 500 && (seen.code === "internal_error" || seen.cause !== undefined)) {
      const fields = { err: seen.cause, request_id: requestId, function: functionName(definition) };
      if (seen.code === "internal_error") log.error(fields, "request of a function failed");
      else log.warn(fields, "request of a function refused");
    }
    return replyOf(errorAnswer(seen, requestId));
  }
}

function full(): Error {
  return unavailable("Too many requests of one run wait.");
}
