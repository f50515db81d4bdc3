import { setImmediate as turn } from "node:timers/promises";
import { backoff } from "../backoff.ts";
import { HistoryExpired } from "../store/contract/errors.ts";
import type { ChangeFeed } from "../store/contract/feed.ts";
import type { Follower } from "./follower.ts";
import type { History } from "./history.ts";
import { Pass } from "./pass.ts";
import type { Gap } from "./queue.ts";

/**
 * Those who catch up: all go through the history together, in as few passes as there can be, from the furthest back of them.
 * Who comes to be behind a pass goes with the next one.
 */
export class Convoy {
  readonly #history: History;
  readonly #feed: Pick<ChangeFeed, "order">;
  readonly #join: (follower: Follower) => void;
  readonly #stop = new AbortController();
  readonly #waiting = new Set<Follower>();
  /** They wait until there is more to read. */
  readonly #parked = new Set<Follower>();
  #pass: Pass | undefined;
  /** How often there was progress when the pass began. */
  #wakes = 0;
  #isRunning = false;

  /** @param join called where there is nothing more of what was before; from there on somebody else tells what comes */
  constructor(history: History, feed: Pick<ChangeFeed, "order">, join: (follower: Follower) => void) {
    this.#history = history;
    this.#feed = feed;
    this.#join = join;
  }

  /** Begins after a position. */
  add(follower: Follower, from: string): void {
    this.#place(follower, from);
    this.#goOn(follower);
  }

  /** It has ended. */
  remove(follower: Follower): void {
    this.#waiting.delete(follower);
    this.#parked.delete(follower);
    this.#pass?.remove(follower);
    follower.catching = undefined;
  }

  /** It has taken something. */
  taken(follower: Follower): void {
    const { catching, queue } = follower;
    // Not for every event: each time is a pass.
    if (catching?.isFull !== true || !queue.isHalfEmpty) return;
    catching.isFull = false;
    this.#wait(follower);
  }

  close(): void {
    this.#stop.abort();
    for (const follower of [...this.#waiting, ...this.#parked]) this.remove(follower);
  }

  #place(follower: Follower, position: string): void {
    follower.catching = {
      position,
      order: this.#feed.order(position),
      next: undefined,
      left: follower.bounds.replay,
      isFull: false,
      reached: () => this.#pass?.reached(follower),
    };
  }

  /** It may be where everybody else is. */
  #goOn(follower: Follower): void {
    const rest = this.#history.ring.after(follower.catching?.position ?? "", 1, 0);
    if (rest?.isEnd === true && rest.items.length === 0) this.#joined(follower);
    else this.#wait(follower);
  }

  #joined(follower: Follower): void {
    follower.catching = undefined;
    this.#join(follower);
  }

  #wait(follower: Follower): void {
    this.#waiting.add(follower);
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    this.#isRunning = true;
    for (let failures = 0; this.#waiting.size > 0 && !signal.aborted; ) {
      // Those who come together go together.
      await turn();
      this.#wakes = this.#history.wakes;
      this.#pass = new Pass(this.#history, this.#feed, {
        join: (follower) => this.#joined(follower),
        skip: (follower, why) => this.#skip(follower, why),
        later: (follower, why) => this.#later(follower, why),
        come: (order) => this.#come(order),
      });
      try {
        await this.#pass.run();
        failures = 0;
      } catch {
        failures += 1;
        await backoff(failures, signal).catch(() => undefined);
        this.#unpark();
      }
      this.#pass = undefined;
    }
    this.#isRunning = false;
  }

  #come(order: string): readonly Follower[] {
    if (this.#waiting.size === 0) return [];
    const come = [...this.#waiting].filter(({ catching }) => order === "" || (catching?.order ?? "") > order);
    for (const follower of come) this.#waiting.delete(follower);
    return come;
  }

  #later(follower: Follower, why: "full" | "unsure" | "waiting"): void {
    const { catching } = follower;
    if (catching === undefined) return;
    if (why === "full") catching.isFull = true;
    else if (why === "unsure") void this.#locate(follower, catching.position);
    else this.#park(follower);
  }

  #park(follower: Follower): void {
    this.#parked.add(follower);
    if (this.#parked.size > 1) return;
    const come = this.#history.wakes === this.#wakes ? this.#history.progress(this.#stop.signal) : turn();
    void come.then(() => this.#unpark());
  }

  #unpark(): void {
    for (const follower of [...this.#parked]) {
      this.#parked.delete(follower);
      this.#wait(follower);
    }
  }

  /** Which change is the next of a position that is that of none. */
  async #locate(follower: Follower, position: string): Promise<void> {
    const found = await this.#history.after(position, 0).catch((error: unknown) => {
      return error instanceof HistoryExpired ? ("expired" as const) : undefined;
    });
    const { catching } = follower;
    if (catching === undefined) return;
    if (found === "expired") this.#skip(follower, "expired");
    else if (found === undefined) this.#park(follower);
    else {
      const [next] = found.items;
      catching.next = next?.position;
      if (next !== undefined) catching.order = this.#feed.order(next.position);
      this.#wait(follower);
    }
  }

  /** Goes on where everybody else is, if they are anywhere. */
  #skip(follower: Follower, why: Gap): void {
    const { position } = this.#history;
    if (position === undefined) {
      this.#park(follower);
      return;
    }
    follower.queue.gap(why, position);
    // Whoever hears of it may end it at once.
    if (follower.isClosed) return;
    this.#place(follower, position);
    this.#goOn(follower);
  }
}
