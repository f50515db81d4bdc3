import type { Log } from "../../realm/exchange.ts";
import { type FunctionDefinition, functionName } from "../../realm/functions.ts";
import type { LogLine } from "../invocation.ts";
import { withoutSecrets } from "../secrets.ts";

/** Characters of a run's lines that the server's log takes. */
const most = 65_536;

interface LoggedRun {
  readonly definition: FunctionDefinition;
  readonly requestId: string;
  readonly secrets: Readonly<Record<string, string>>;
}

/** Whose line it is; `function` as `<database>/<function>`. */
export interface Logging {
  readonly function: string;
  readonly realm: string;
  readonly request_id: string;
}

/** A line as it may be shown: what is for who debugs a handler stands with its invocation alone. */
export type ShownLine = Omit<LogLine, "level"> & { readonly level: Exclude<LogLine["level"], "debug"> };

/** Where lines of handlers go. */
export type HandlerLog = (line: ShownLine, of: Logging) => void;

/** Where it goes why one failed: the error in the first line, the places in the handler after it. */
export type HandlerFailed = (reason: string, of: Logging) => void;

/** Into the server's own. */
export function loggedBy(log: Log): HandlerLog {
  return ({ level, message, fields }, of) =>
    log[level]({ ...of, ...(Object.keys(fields).length > 0 && { fields }) }, message);
}

/** Brings what a handler logs into a log, without the values of its secrets. */
export class RunLog {
  readonly #log: HandlerLog;
  readonly #run: LoggedRun;
  #left = most;

  constructor(log: HandlerLog, run: LoggedRun) {
    this.#log = log;
    this.#run = run;
  }

  write(line: LogLine): void {
    if (this.#left <= 0) return;
    const { definition, requestId, secrets } = this.#run;
    const { at, level, message, fields } = withoutSecrets(line, secrets);
    const of = { function: functionName(definition), realm: definition.realm, request_id: requestId };
    this.#left -= message.length + JSON.stringify(fields).length;
    if (level !== "debug") this.#log({ at, level, message, fields }, of);
    const flooded = "the function logs too much; the rest of this run is left out";
    if (this.#left <= 0) this.#log({ at, level: "warn", message: flooded, fields: {} }, of);
  }
}
