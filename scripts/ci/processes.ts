/** Programs that `.ci/run` starts. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { root } from "../workspace.ts";

export type Variables = Readonly<Record<string, string>>;

/** What is left of a group that was told to end has this long, in milliseconds. */
const grace = 10_000;

/** Each program runs in a process group of its own with all that it starts, which ends as a whole. */
export class Processes {
  /** Groups whose first process runs, by its id. */
  readonly #running = new Set<number>();
  #ended = false;
  readonly #variables: Variables;

  /** @param variables which every program has, beside those of this process */
  constructor(variables: Variables = {}) {
    this.#variables = variables;
  }

  /**
   * Runs a program in the checkout. Resolves when it has ended, to whether it succeeded; never after `end`.
   * @param said called with what it writes, its errors among the rest as they come
   */
  async succeeds(
    command: readonly string[],
    variables: Variables,
    said: (text: string) => void,
  ): Promise<boolean> {
    if (this.#ended) return new Promise(() => {});
    // One pipe for both, so that errors stand where they were written.
    const child = spawn("bash", ["-c", 'exec "$@" 2>&1', "bash", ...command], {
      cwd: root,
      env: { ...process.env, ...this.#variables, ...variables },
      stdio: ["ignore", "pipe", "inherit"],
      detached: true,
    });
    child.stdout.setEncoding("utf8").on("data", said);
    const closed = once(child, "close");
    const { pid } = child;
    if (pid === undefined) throw new Error("bash cannot be started");
    this.#running.add(pid);
    const [code] = await once(child, "exit");
    if (this.#ended) return new Promise(() => {});
    this.#running.delete(pid);
    // Whatever it left behind would keep the pipe open.
    if (signalled(pid, "SIGTERM")) await Promise.race([closed, delay(grace, undefined, { ref: false })]);
    else await closed;
    return code === 0;
  }

  /** Ends all that run; nothing is started after it. */
  async end(): Promise<void> {
    this.#ended = true;
    await Promise.all([...this.#running].map(ended));
  }
}

/** Tells a group to end; nothing of it is left when it resolves. */
async function ended(pid: number): Promise<void> {
  signalled(pid, "SIGTERM");
  const last = Date.now() + grace;
  // No event tells when the last process of a group is gone.
  while (signalled(pid, 0) && Date.now() < last) await delay(20);
  signalled(pid, "SIGKILL");
}

/** Signals a group; false where none of it is left. */
function signalled(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}
