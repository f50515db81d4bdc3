/** The server that answers, and the next one, which has loaded the runtime and waits for its turn. */
import type { Socket } from "node:net";
import type { Front } from "./front.ts";
import { type Loadable, ServerFailed, ServerProcess } from "./server-process.ts";

export interface ServersOptions {
  /** The module that processes start from. */
  readonly script: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly front: Front;
  /** Told when the server that answers ended by itself, and what is done about it. */
  readonly crashed: (how: string, next: "restarting" | "waiting") => void;
  /** Told a line for each request that a rule refuses. */
  readonly refused: (line: string) => void;
}

interface Serving {
  readonly process: ServerProcess;
  module: Loadable;
  /** It was given something to answer. */
  used: boolean;
}

export class Servers {
  readonly #options: ServersOptions;
  #current: Serving | undefined;
  #next: ServerProcess;
  /** What is under way; takeovers and restarts go one after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  /** The server before the current one. */
  #ending: Promise<void> | undefined;
  #closed = false;

  constructor(options: ServersOptions) {
    this.#options = options;
    this.#next = this.#start();
  }

  /** Whether a server answers. */
  get serving(): boolean {
    return this.#current !== undefined;
  }

  /**
   * Has a program take over: it is loaded while the server before answers, which then finishes what is under way and gives
   * up the store. Requests that arrive in between wait. Answers the keys made, by realm.
   * @param key What to call keys to make.
   * @throws ServerFailed; the server before goes on.
   */
  serve(module: Loadable, key?: string): Promise<Readonly<Record<string, string>>> {
    const work = this.#turn.then(() => this.#takeOver(module, key));
    // Starting a process takes a while, in which the caller can know already.
    this.#turn = work
      .catch(() => undefined)
      .then(() => {
        if (!this.#closed) this.#next = this.#start();
      });
    return work;
  }

  /**
   * Has the server that answers take up handlers that were written anew.
   * @throws ServerFailed
   */
  renew(): Promise<void> {
    const work = this.#turn.then(() => this.#current?.process.renew());
    this.#turn = work.catch(() => undefined);
    return work;
  }

  /**
   * Has the server that answers explain refusals by what lies in another folder now.
   * @throws ServerFailed
   */
  explain(module: Loadable): Promise<void> {
    const work = this.#turn.then(async () => {
      const current = this.#current;
      if (current === undefined) return;
      current.module = module;
      await current.process.explain(module.explained);
    });
    this.#turn = work.catch(() => undefined);
    return work;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#turn;
    const current = this.#current;
    this.#current = undefined;
    await current?.process.yield();
    await Promise.all([this.#ending, current?.process.end(), this.#next.end()]);
  }

  async #takeOver(module: Loadable, key: string | undefined): Promise<Readonly<Record<string, string>>> {
    const { front } = this.#options;
    const next = this.#next;
    try {
      if (this.#closed) throw new ServerFailed("stopping");
      await next.load(module);
      front.hold();
      await this.#current?.process.yield();
      const keys = await next.serve(key);
      const before = this.#current;
      this.#answerFrom({ process: next, module, used: false });
      this.#ending = before?.process.end();
      return keys;
    } catch (error) {
      await next.end();
      await this.#resume();
      throw error;
    }
  }

  /** The server before serves again, with its own program. */
  async #resume(): Promise<void> {
    const { front } = this.#options;
    const current = this.#current;
    try {
      if (current === undefined) throw new ServerFailed("nothing was served yet");
      await current.process.yield();
      await current.process.serve(undefined);
      front.open((connection) => this.#give(current, connection));
    } catch {
      this.#current = undefined;
      await current?.process.end();
      front.refuse("No server could be started; realmc dev says why.");
    }
  }

  #answerFrom(serving: Serving): void {
    this.#current = serving;
    this.#options.front.open((connection) => this.#give(serving, connection));
    serving.process.ended.then((how) => {
      if (this.#current === serving) this.#lost(serving, how);
    });
  }

  #give(serving: Serving, connection: Socket): void {
    serving.used = true;
    serving.process.take(connection);
  }

  /** Starts what ended by itself again; not what ended before it was asked anything: it would do so again and again. */
  #lost({ module, used }: Serving, how: string): void {
    const { front, crashed } = this.#options;
    this.#current = undefined;
    if (this.#closed) return;
    crashed(how, used ? "restarting" : "waiting");
    if (used) {
      front.hold();
      this.serve(module).catch((error: unknown) => crashed(String(error), "waiting"));
    } else front.refuse("The server ended; realmc dev says why.");
  }

  #start(): ServerProcess {
    const { script, environment, refused } = this.#options;
    return new ServerProcess(script, environment, refused);
  }
}
