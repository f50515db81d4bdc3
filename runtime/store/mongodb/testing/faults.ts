import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { MongoClient } from "mongodb";
import { type Fault, type Guide, Link } from "./faults-link.ts";
import { Member } from "./faults-member.ts";
import type { Command } from "./faults-wire.ts";

export type { Fault } from "./faults-link.ts";
export type { Command } from "./faults-wire.ts";

/** A fault waiting for its commands. */
export interface Injected {
  /** Commands that it struck. */
  readonly struck: number;
  /** Resolves with the first of them. */
  readonly met: Promise<Command>;
  /** Strikes no more. */
  end(): void;
}

class Injection implements Injected {
  readonly fault: Fault;
  readonly met: Promise<Command>;
  struck = 0;
  readonly #matches: (command: Command) => boolean;
  #left: number;
  #meet: (command: Command) => void = () => undefined;

  constructor(matches: (command: Command) => boolean, fault: Fault, times: number) {
    this.fault = fault;
    this.#matches = matches;
    this.#left = times;
    this.met = new Promise((resolve) => {
      this.#meet = resolve;
    });
  }

  takes(command: Command): boolean {
    if (this.#left === 0 || !this.#matches(command)) return false;
    this.#left -= 1;
    this.struck += 1;
    this.#meet(command);
    return true;
  }

  end(): void {
    this.#left = 0;
  }
}

/** Commands that any member answers. */
const anywhere = new Set([
  "hello",
  "ismaster",
  "isMaster",
  "ping",
  "endSessions",
  "saslStart",
  "saslContinue",
]);
const reads = new Set(["find", "aggregate", "count", "distinct", "listIndexes", "listCollections"]);

/**
 * Stands between the driver and the server of a test, for the driver the only member of a replica set. Commands pass
 * through it unless a fault is put in their way.
 */
export class FaultProxy implements Guide {
  /** Names this proxy in place of the server. */
  readonly uri: string;
  /** What the driver sent, oldest first, but for hellos. */
  readonly commands: Command[] = [];
  readonly #server: Server;
  readonly #port: number;
  readonly #member: Member;
  readonly #upstream: { readonly host: string; readonly port: number };
  readonly #links = new Set<Link>();
  #injections: Injection[] = [];
  /** Transactions under way, and those that the last election ended. */
  readonly #open = new Set<string>();
  readonly #lost = new Set<string>();
  #mute = false;

  private constructor(uri: string, server: Server, upstream: { host: string; port: number }) {
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("the proxy does not listen");
    this.#port = address.port;
    this.#server = server;
    this.#upstream = upstream;
    this.#member = new Member(`127.0.0.1:${address.port}`);
    this.uri = uri.replace(/^(mongodb:\/\/(?:[^@/]*@)?)[^/]*/, `$1127.0.0.1:${address.port}`);
    server.on("connection", (socket: Socket) => {
      const link = new Link(this, socket, this.#upstream);
      this.#links.add(link);
      socket.once("close", () => this.#links.delete(link));
    });
  }

  /** @param uri of a server without TLS */
  static async open(uri: string): Promise<FaultProxy> {
    const client = new MongoClient(uri);
    const { primary } = await client.db("admin").command({ hello: 1 });
    await client.close();
    const [host = "", port = ""] = String(primary).split(":");
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new FaultProxy(uri, server, { host, port: Number(port) });
  }

  /** Puts a fault in the way of the next `times` commands of a name, or that a test chooses. */
  inject(which: string | ((command: Command) => boolean), fault: Fault, times = 1): Injected {
    const matches = typeof which === "string" ? (command: Command) => command.name === which : which;
    const injection = new Injection(matches, fault, times);
    this.#injections.push(injection);
    return injection;
  }

  /** Commands of a name that the driver sent. */
  sent(name: string): readonly Command[] {
    return this.commands.filter((command) => command.name === name);
  }

  /**
   * The member is no primary any longer, and no other is there; transactions under way are gone. A driver must be
   * connected: the change comes when it has begun to follow the member's state.
   */
  async stepDown(): Promise<void> {
    await this.#member.followed();
    for (const transaction of this.#open) this.#lost.add(transaction);
    this.#open.clear();
    this.#member.become("secondary");
  }

  elect(): void {
    this.#member.become("primary");
  }

  /** The server is gone: connections break and new ones are refused. */
  async vanish(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const link of this.#links) link.destroy();
    this.#links.clear();
    await closed;
  }

  async appear(): Promise<void> {
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
  }

  /** The network swallows everything, both ways; nobody is told. Connections swallowed in stay so. */
  mute(): void {
    this.#mute = true;
    for (const link of this.#links) link.mute();
  }

  unmute(): void {
    this.#mute = false;
  }

  /** Connections that are open. */
  get connections(): number {
    return this.#links.size;
  }

  /** Ends all faults; what the driver sent is forgotten. */
  async reset(): Promise<void> {
    this.#injections = [];
    this.commands.length = 0;
    this.#lost.clear();
    this.#mute = false;
    if (this.#member.role === "secondary") this.elect();
    if (!this.#server.listening) await this.appear();
  }

  async close(): Promise<void> {
    if (this.#server.listening) await this.vanish();
  }

  get member(): Member {
    return this.#member;
  }

  get isMute(): boolean {
    return this.#mute;
  }

  faultOf(command: Command): Fault | undefined {
    if (command.name === "hello" || command.legacy) return undefined;
    this.commands.push(command);
    const injected = this.#injections.find((injection) => injection.takes(command));
    return injected?.fault ?? this.#electionFault(command) ?? this.#note(command);
  }

  #electionFault(command: Command): Fault | undefined {
    const transaction = transactionOf(command);
    // The test server knows of no election: it lets go of the transaction when the driver gives it up.
    if (command.name === "abortTransaction") return undefined;
    if (transaction !== undefined && this.#lost.has(transaction)) return { error: "NoSuchTransaction" };
    if (this.#member.role === "primary" || anywhere.has(command.name)) return undefined;
    if (reads.has(command.name)) return { error: "NotPrimaryNoSecondaryOk" };
    return { error: command.name === "getMore" ? "InterruptedDueToReplStateChange" : "NotWritablePrimary" };
  }

  #note(command: Command): undefined {
    const transaction = transactionOf(command);
    if (transaction === undefined) return;
    if (command.body["startTransaction"] === true) this.#open.add(transaction);
    if (command.name === "commitTransaction" || command.name === "abortTransaction")
      this.#open.delete(transaction);
  }
}

function transactionOf({ body }: Command): string | undefined {
  return body["autocommit"] === false ? JSON.stringify([body["lsid"], body["txnNumber"]]) : undefined;
}
