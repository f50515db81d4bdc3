import type { JsonObject } from "../../json.ts";
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

/** Brings what a handler logs into the server's log, without the values of its secrets. */
export class RunLog {
  readonly #log: Log;
  readonly #run: LoggedRun;
  #left = most;

  constructor(log: Log, run: LoggedRun) {
    this.#log = log;
    this.#run = run;
  }

  write(line: LogLine): void {
    if (this.#left <= 0) return;
    const { definition, requestId, secrets } = this.#run;
    const { level, message, fields } = withoutSecrets(line, secrets);
    const told = { function: functionName(definition), realm: definition.realm, request_id: requestId };
    this.#left -= message.length + JSON.stringify(fields).length;
    this.#write(level, { ...told, ...(Object.keys(fields).length > 0 && { fields }) }, message);
    if (this.#left <= 0) this.#log.warn(told, "the function logs too much; the rest of this run is left out");
  }

  #write(level: LogLine["level"], fields: JsonObject, message: string): void {
    // What is for who debugs a handler stands with its invocation alone.
    if (level !== "debug") this.#log[level](fields, message);
  }
}
