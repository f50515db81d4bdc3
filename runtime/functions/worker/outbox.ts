import type { MessagePort } from "node:worker_threads";
import type { FromThread } from "../messages.ts";

/** Log lines that leave at once, so that they are not lost with a thread that is ended; more of them wait for their turn. */
const linesAtOnce = 8;
/** As many messages as wait for a turn that may never come. */
const together = 64;

/** What leaves a thread: all of a turn of its event loop in one message. */
export class Outbox {
  readonly #port: MessagePort;
  readonly #later: (flush: () => void) => unknown;
  #waiting: FromThread[] = [];
  #lines = 0;

  /** @param later calls back at the end of the turn */
  constructor(port: MessagePort, later: (flush: () => void) => unknown) {
    this.#port = port;
    this.#later = later;
  }

  /** A run begins. */
  begin(): void {
    this.#lines = 0;
  }

  send(message: FromThread): void {
    if (this.#waiting.push(message) === 1) this.#later(this.#flush);
    const isEarlyLine = message[0] === "log" && ++this.#lines <= linesAtOnce;
    if (isEarlyLine || this.#waiting.length >= together) this.#flush();
  }

  /** With all that waits. */
  sendNow(message: FromThread): void {
    this.#waiting.push(message);
    this.#flush();
  }

  readonly #flush = () => {
    if (this.#waiting.length === 0) return;
    const messages = this.#waiting;
    this.#waiting = [];
    this.#port.postMessage(messages);
  };
}
