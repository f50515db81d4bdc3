import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import type { Dispatcher } from "./dispatcher.ts";
import { startReading, stopReading } from "./door.ts";

/** Milliseconds between two looks at connections that were busy. */
const pause = 10;

/** Milliseconds that connections may go on sending the head of a request once nothing else is under way. */
const heads = 500;

type Answers = (raw: IncomingMessage, response: ServerResponse) => void;

/** The server that leaves, as {@link Leaving} sees it. */
export interface LeavingServer {
  readonly dispatcher: Dispatcher;
  /** Those that are open. */
  readonly sockets: Set<Socket>;
  readonly give: (connection: Socket) => void;
  /** Destroys the connections on which no request is under way. */
  readonly closeIdle: () => void;
  readonly accept: (connection: Socket) => void;
  readonly end: () => Promise<void>;
}

/** A server gives its connections away, unread: the kernel keeps what clients send on them meanwhile. */
export class Leaving {
  readonly #server: LeavingServer;
  /** Given, and known to the HTTP server. */
  readonly #given = new Set<Socket>();
  /** Taken back to be refused. */
  readonly #refused = new Set<Socket>();
  #successor: Answers | undefined;

  constructor(server: LeavingServer) {
    this.#server = server;
    server.dispatcher.drain();
    this.#giveIdle();
  }

  /** A connection that was just accepted. */
  takeNew(connection: Socket): void {
    if (stopReading(connection)) this.#server.give(connection);
    else this.#server.accept(connection);
  }

  /**
   * Resolves when every request that had arrived is answered, and its connection closed or given; after `grace`
   * milliseconds those under way are cut.
   */
  async done(grace: number): Promise<void> {
    const { sockets, dispatcher } = this.#server;
    const until = performance.now() + grace;
    let quiet = until;
    while (sockets.size > 0 && performance.now() < Math.min(until, quiet)) {
      await setTimeout(pause);
      this.#giveIdle();
      if (dispatcher.running > 0) quiet = until;
      else if (quiet === until) quiet = performance.now() + heads;
    }
    // What arrives on these from now on comes too late for the store.
    for (const socket of sockets) {
      if (dispatcher.running > 0) socket.destroy();
      else this.#refuse(socket);
    }
    await dispatcher.idle();
  }

  /** A connection that was given comes back: what it asks is answered 503, until it is given once more. */
  refuse(connection: Socket): void {
    this.#refuse(connection);
    this.#readHere(connection);
  }

  /** Gives those away again that were to be refused and have asked nothing. */
  giveRefused(): void {
    for (const connection of this.#idle(this.#refused)) this.#give(connection);
  }

  /** Requests on the connections that come back are answered by another server. */
  redirectTo(successor: Answers): void {
    this.#successor = successor;
    for (const connection of this.#refused) this.#server.dispatcher.refused.delete(connection);
  }

  /** A connection that was given is served here, by the other server. */
  takeBack(connection: Socket): void {
    this.#readHere(connection);
  }

  /** @returns whether another server answers the request */
  redirect(raw: IncomingMessage, response: ServerResponse): boolean {
    this.#successor?.(raw, response);
    return this.#successor !== undefined;
  }

  /** Nothing of the server is left, once its last connections are. */
  async end(): Promise<void> {
    while (this.#server.sockets.size > 0 || this.#refused.size > 0)
      await setTimeout(1_000, undefined, { ref: false });
    await this.#server.end();
  }

  #readHere(connection: Socket): void {
    if (this.#given.delete(connection)) {
      if (!this.#refused.has(connection)) this.#server.sockets.add(connection);
      startReading(connection);
    } else {
      startReading(connection);
      this.#server.accept(connection);
      if (this.#refused.has(connection)) this.#server.sockets.delete(connection);
    }
  }

  #refuse(connection: Socket): void {
    this.#server.sockets.delete(connection);
    this.#server.dispatcher.refused.add(connection);
    this.#refused.add(connection);
    connection.once("close", () => this.#refused.delete(connection));
  }

  #giveIdle(): void {
    for (const connection of this.#idle(this.#server.sockets)) this.#give(connection);
  }

  #give(connection: Socket): void {
    if (!stopReading(connection)) return;
    this.#server.sockets.delete(connection);
    this.#refused.delete(connection);
    this.#server.dispatcher.refused.delete(connection);
    this.#given.add(connection);
    this.#server.give(connection);
  }

  /** Those on which nothing is under way, in either direction. Node tells which by destroying them. */
  #idle(connections: ReadonlySet<Socket>): readonly Socket[] {
    const idle = new Set<Socket>();
    // Those that are given are on Node's list until they are gone.
    const all = [...this.#server.sockets, ...this.#refused, ...this.#given];
    for (const connection of all) {
      // Node takes a connection that never sent anything for a busy one.
      if (connection.bytesRead === 0) idle.add(connection);
      connection.destroy = () => {
        idle.add(connection);
        return connection;
      };
    }
    this.#server.closeIdle();
    for (const connection of all) Reflect.deleteProperty(connection, "destroy");
    // What is about to be closed goes nowhere.
    const isOpen = (each: Socket) => !each.destroyed && !each.writableEnded && each.writableLength === 0;
    return [...idle].filter((each) => connections.has(each) && isOpen(each));
  }
}
