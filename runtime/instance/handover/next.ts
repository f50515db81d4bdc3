/** The next server's process, as the one sees it that hands over. */
import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { followed, following } from "./following.ts";
import { type Inheritance, inheritance, type Order, type Tidings } from "./messages.ts";

/** What the descriptor of the listening socket is there. Standard input and outputs come before, and the channel. */
const fd = 4;

export class NextServer {
  readonly #child: ChildProcess;
  /** Resolves with what hinders it, and with how it ended. */
  readonly failed: Promise<string>;
  readonly loaded: Promise<void>;
  readonly ready: Promise<void>;
  #sending = new Set<Promise<void>>();

  /** Starts the program that this process runs, as it is on disk now. */
  constructor(door: { readonly descriptor: number; readonly url: string }) {
    const given: Inheritance = { fd, url: door.url };
    const follower = following();
    this.#child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
      stdio: ["inherit", "inherit", "inherit", "ipc", door.descriptor, follower ?? "ignore"],
      env: { ...process.env, [inheritance]: JSON.stringify(given), ...followed(follower, fd + 1) },
    });
    const told = (kind: Tidings["kind"]) =>
      new Promise<Tidings>((resolve) => {
        this.#child.on("message", (tidings: Tidings) => {
          if (tidings.kind === kind) resolve(tidings);
        });
      });
    this.loaded = told("loaded").then(() => undefined);
    this.ready = told("ready").then(() => undefined);
    this.failed = Promise.race([
      told("failed").then((tidings) => (tidings.kind === "failed" ? tidings.reason : "")),
      new Promise<string>((resolve) => {
        this.#child.once("error", (error) => resolve(error.message));
        this.#child.once("exit", (code, signal) =>
          resolve(`the next server ended (${signal ?? `exit code ${code}`})`),
        );
      }),
    ]);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  take(): void {
    this.#tell({ kind: "take" });
  }

  /** Gives it a connection of which nothing is read any longer. */
  pass(connection: Socket): void {
    const sent = new Promise<void>((resolve) => {
      const order: Order = { kind: "connection" };
      if (connection.destroyed) resolve();
      else
        this.#child.send(order, connection, {}, (error) => {
          if (error !== null) connection.destroy();
          resolve();
        });
    });
    this.#sending.add(sent);
    sent.finally(() => this.#sending.delete(sent));
  }

  /** It has been given all that waited; whatever is given later is served as it comes. */
  serve(): void {
    this.#tell({ kind: "serve" });
  }

  /** Every connection has been passed. */
  async passed(): Promise<void> {
    while (this.#sending.size > 0) await Promise.all(this.#sending);
  }

  /** It goes on without this process; resolves when it has all that it was given. */
  async release(): Promise<void> {
    await this.passed();
    if (!this.#child.connected) return;
    const left = new Promise((resolve) => this.#child.once("disconnect", resolve));
    this.#tell({ kind: "done" });
    await left;
  }

  async kill(): Promise<void> {
    if (this.#child.pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null)
      return;
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGKILL");
    await ended;
  }

  #tell(order: Order): void {
    // One that is gone hears nothing; its end is heard of.
    if (this.#child.connected) this.#child.send(order, undefined, {}, () => undefined);
  }
}
