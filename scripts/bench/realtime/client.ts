import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A stream to open. */
export interface Asked {
  readonly token?: string;
  /** JSON. */
  readonly body: string;
  /** The token that it goes on from. */
  readonly resume?: string | undefined;
}

/** What came of changes. */
export interface Delivered {
  /** Milliseconds from when the write was sent. */
  readonly p50: number;
  readonly p99: number;
  /** The last event, as it came. */
  readonly frame: string;
  /** When it came, epoch milliseconds. */
  readonly at: number;
}

/** The process that holds the other ends of streams. */
export class StreamClient {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** @param realm in paths */
  static async start(realm: string): Promise<StreamClient> {
    const child = fork(fileURLToPath(new URL("client.mjs", import.meta.url)), [realm]);
    await once(child, "message");
    return new StreamClient(child);
  }

  /** @returns milliseconds until all are ready */
  async open(url: string, streams: readonly Asked[]): Promise<number> {
    const port = Number(new URL(url).port);
    const { milliseconds } = await this.#call({ call: "open", port, streams });
    return Number(milliseconds);
  }

  /** Resolves when so many events have come since the last call, or since streams were cut. */
  async expect(events: number): Promise<Delivered> {
    const { p50, p99, frame, at } = await this.#call({ call: "expect", events });
    return { p50: Number(p50), p99: Number(p99), frame: String(frame), at: Number(at) };
  }

  /** Answers the newest token of each. */
  async cut(): Promise<readonly string[]> {
    const { ids } = await this.#call({ call: "cut" });
    return Array.isArray(ids) ? ids.map(String) : [];
  }

  async stop(): Promise<void> {
    const exit = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exit;
  }

  async #call(message: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>> {
    const answer = once(this.#child, "message");
    this.#child.send(message);
    const [received]: { answer?: Readonly<Record<string, unknown>>; error?: string }[] = await answer;
    if (received?.answer === undefined) throw new Error(received?.error ?? "the client does not answer");
    return received.answer;
  }
}
