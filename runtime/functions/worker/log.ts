import { isJsonObject, type JsonObject } from "../../json.ts";
import type { Log } from "../handler.ts";
import type { LogLine } from "../invocation.ts";

/** Characters of all lines of a run together; what comes after them is dropped. */
const most = 64 * 1024;
/** Of one message. */
const longestMessage = 8 * 1024;
/** What a line takes beside its text. */
const lineOverhead = 64;

const levels = ["debug", "info", "warn", "error"] as const;
type Level = (typeof levels)[number];

/** The lines of a run, bounded: they leave as they come. */
export class RunLog {
  readonly #send: (line: LogLine) => void;
  #room = most;
  #isOver = false;

  constructor(send: (line: LogLine) => void) {
    this.#send = send;
  }

  /** For handlers. */
  readonly log: Log = Object.freeze({
    debug: (message: string, fields?: JsonObject) => this.write("debug", message, fields),
    info: (message: string, fields?: JsonObject) => this.write("info", message, fields),
    warn: (message: string, fields?: JsonObject) => this.write("warn", message, fields),
    error: (message: string, fields?: JsonObject) => this.write("error", message, fields),
  });

  /** @throws what `message` or `fields` throw when they are printed */
  write(level: Level, message: unknown, fields?: unknown): void {
    if (this.#isOver) return;
    const text = String(message).slice(0, longestMessage);
    const printed = fields === undefined ? "{}" : (JSON.stringify(fields) ?? "{}");
    const size = text.length + printed.length + lineOverhead;
    if (size <= this.#room) {
      this.#room -= size;
      const plain: unknown = JSON.parse(printed);
      this.#line(level, text, isJsonObject(plain) ? plain : { value: printed });
      return;
    }
    this.end();
    this.#line("warn", "the log of this run is full: what follows is dropped", {});
  }

  /** Takes no more. */
  end(): void {
    this.#isOver = true;
  }

  #line(level: Level, message: string, fields: JsonObject): void {
    this.#send({ at: new Date().toISOString(), level, message, fields });
  }
}
