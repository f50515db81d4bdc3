import type { Socket } from "node:net";

/** Milliseconds that a connection waits for the next server. */
const patience = 2_000;

/** Connections that wait, unread, until the next server takes them. */
export class Waiting {
  readonly #since = new Map<Socket, number>();
  readonly #timer: NodeJS.Timeout;
  #pass: ((connection: Socket) => void) | undefined;

  /** @param late takes those that have waited too long */
  constructor(late: (connection: Socket) => void) {
    this.#timer = setInterval(() => {
      const before = performance.now() - patience;
      for (const [connection, since] of this.#since) {
        if (since > before) break;
        this.#since.delete(connection);
        late(connection);
      }
    }, 50);
  }

  readonly add = (connection: Socket): void => {
    if (this.#pass === undefined) this.#since.set(connection, performance.now());
    else this.#pass(connection);
  };

  /** All go there, those that come yet, too. */
  passTo(take: (connection: Socket) => void): void {
    clearInterval(this.#timer);
    this.#pass = take;
    for (const connection of this.#since.keys()) take(connection);
    this.#since.clear();
  }
}
