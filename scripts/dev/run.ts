/** `realmc dev` as a process, and what it prints. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { realmc } from "../command-line.ts";

export class DevRun {
  readonly child: ChildProcess;
  /** Everything printed, on either stream. */
  printed = "";
  /** Where {@link until} looks from. */
  #from = 0;
  #heard: () => void = () => undefined;

  /** Starts in a folder that holds `config`; on a port of the system's choice. */
  constructor(folder: string, options: readonly string[] = [], settings: Record<string, string> = {}) {
    const { MONGODB_URI: _, ...environment } = process.env;
    this.child = spawn(process.execPath, [realmc, "dev", "config", "--port", "0", ...options], {
      cwd: folder,
      env: { ...environment, ...settings, TMPDIR: folder },
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.printed += text;
        this.#heard();
      });
    }
    this.child.once("close", () => {
      this.printed += "\n(it ended)\n";
      this.#heard();
    });
  }

  /** Resolves with what matches of what was not yet waited for. */
  async until(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.printed.slice(this.#from));
      if (match !== null) {
        this.#from += match.index + match[0].length;
        return match;
      }
      if (/\(it ended\)/.test(this.printed)) throw new Error(`dev did not say ${pattern}:\n${this.printed}`);
      await new Promise<void>((resolve) => {
        this.#heard = resolve;
      });
    }
  }

  /** Where it serves, once it does. */
  async url(): Promise<string> {
    const [, url = ""] = await this.until(/(http:\/\/[\d.:]+)\/v1\//);
    await this.until(/Ctrl-C stops\n/);
    return url;
  }

  /** Answers its exit code. */
  async stop(signal: NodeJS.Signals = "SIGINT"): Promise<number | null> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return this.child.exitCode;
    const closed = once(this.child, "close");
    this.child.kill(signal);
    await closed;
    return this.child.exitCode;
  }
}

/** Writes a file and the folders that it needs. */
export function write(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
