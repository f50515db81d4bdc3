import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { freePort, ready } from "../bench/servers.ts";

/** Server processes on one store; each may be killed. */
export class Processes {
  readonly #words: readonly string[];
  readonly #environment: NodeJS.ProcessEnv;
  readonly #running: { child: ChildProcess; url: string }[] = [];

  /** @param words program and arguments, for Node */
  constructor(words: readonly string[], environment: NodeJS.ProcessEnv) {
    this.#words = words;
    this.#environment = environment;
  }

  /** Where one of them listens, whether it lives or not. */
  anyUrl(): string {
    return this.#running[randomInt(this.#running.length)]?.url ?? "";
  }

  async start(count: number): Promise<void> {
    this.#running.push(...(await Promise.all(Array.from({ length: count }, () => this.#launch()))));
  }

  /** Kills one and starts another in its place. */
  async replaceOne(): Promise<void> {
    const at = randomInt(this.#running.length);
    const killed = this.#running[at];
    if (killed === undefined) return;
    const exit = once(killed.child, "exit");
    killed.child.kill("SIGKILL");
    await exit;
    this.#running[at] = await this.#launch();
  }

  async stop(): Promise<void> {
    for (const { child } of this.#running) {
      const exit = once(child, "exit");
      if (child.kill("SIGKILL")) await exit;
    }
  }

  async #launch(): Promise<{ child: ChildProcess; url: string }> {
    const port = await freePort();
    const child = spawn(process.execPath, this.#words, {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...this.#environment, PORT: String(port) },
    });
    const url = `http://127.0.0.1:${port}`;
    await ready(url, child);
    return { child, url };
  }
}
