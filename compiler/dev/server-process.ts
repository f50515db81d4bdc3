/** One server process of `realmc dev`, as the process that started it sees it. */
import { type ChildProcess, fork } from "node:child_process";
import type { Socket } from "node:net";
import type { Answer, Order, Refusal } from "../../runtime/instance/development.ts";

/** The process has ended, or a server could not start; the message is for people. */
export class ServerFailed extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ServerFailed";
  }
}

/** URLs: of a program, and of the folder of what explains its refusals. */
export interface Loadable {
  readonly module: string;
  readonly explained: string;
}

type Keys = Readonly<Record<string, string>>;

/** What is under way in it. */
interface Question {
  readonly resolve: (keys: Keys) => void;
  readonly reject: (error: ServerFailed) => void;
}

export class ServerProcess {
  readonly #child: ChildProcess;
  /** Resolves when the process can be told something. */
  readonly waiting: Promise<unknown>;
  /** Resolves with a description of how it ended. */
  readonly ended: Promise<string>;
  #question: Question | undefined;

  /**
   * Starts a process from the module at `path`.
   * @param refused hears a line for each request that a rule refuses
   */
  constructor(path: string, environment: NodeJS.ProcessEnv, refused: (line: string) => void) {
    this.#child = fork(path, [], {
      execArgv: [],
      env: environment,
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    this.ended = new Promise((resolve) => {
      this.#child.once("error", (error) => resolve(error.message));
      this.#child.once("exit", (code, signal) => resolve(signal ?? `exit code ${code}`));
    });
    this.#child.on("message", (told: Answer | Refusal) => {
      if (told.kind === "refused") refused(told.line);
      else this.#hear(told);
    });
    this.waiting = this.#answered();
    // Whoever needs it hears of its end.
    this.waiting.catch(() => undefined);
  }

  /**
   * Loads a program.
   * @throws ServerFailed
   */
  async load({ module, explained }: Loadable): Promise<void> {
    await this.waiting;
    await this.#ask({ kind: "load", module, explained });
  }

  /**
   * Has refusals explained by what lies in a folder.
   * @throws ServerFailed
   */
  async explain(explained: string): Promise<void> {
    await this.#ask({ kind: "explain", explained });
  }

  /**
   * Serves what was loaded; answers the keys made, by realm.
   * @param key What to call keys to make.
   * @throws ServerFailed
   */
  serve(key: string | undefined): Promise<Keys> {
    return this.#ask({ kind: "serve", key });
  }

  /**
   * Has what begins from now on run by the handlers that lie in the folder now; what is under way ends with those before.
   * @throws ServerFailed
   */
  async renew(): Promise<void> {
    await this.#ask({ kind: "renew" });
  }

  /** Finishes requests under way and gives up the store; `serve` may follow. */
  async yield(): Promise<void> {
    // One that has ended holds nothing.
    await this.#ask({ kind: "yield" }).catch(() => undefined);
  }

  /** Hands over a connection. */
  take(connection: Socket): void {
    const order: Order = { kind: "connection" };
    if (!this.#child.connected) connection.destroy();
    else this.#child.send(order, connection, {}, (error) => void (error === null || connection.destroy()));
  }

  /** Ends the process; requests under way have been finished by {@link yield}. */
  async end(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.ended;
  }

  #ask(order: Order): Promise<Keys> {
    const answered = this.#answered();
    // One that hears nothing has ended, which answers, too.
    this.#child.send(order, () => undefined);
    return answered;
  }

  #answered(): Promise<Keys> {
    return new Promise((resolve, reject) => {
      this.#question = { resolve, reject };
      this.ended.then((how) => reject(new ServerFailed(`the server process ended (${how})`)));
    });
  }

  #hear(answer: Answer): void {
    const question = this.#question;
    this.#question = undefined;
    if (answer.kind === "failed") question?.reject(new ServerFailed(answer.message));
    else question?.resolve(answer.kind === "done" ? answer.keys : {});
  }
}
