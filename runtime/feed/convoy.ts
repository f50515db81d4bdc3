import { setImmediate as turn } from "node:timers/promises";
import { HistoryExpired } from "../store/contract/errors.ts";
import type { ChangeFeed } from "../store/contract/feed.ts";
import type { Follower } from "./follower.ts";
import type { History } from "./history.ts";
import { Pass } from "./pass.ts";
import type { Gap } from "./queue.ts";
import { Rush } from "./rush.ts";

export interface ConvoyOptions {
  readonly history: History;
  readonly feed: Pick<ChangeFeed, "order">;
  /** Called where there is nothing more of what was before; from there on somebody else tells what comes. */
  join(follower: Follower): void;
  /** Between attempts after so many failures in a row. */
  pause(failures: number, signal: AbortSignal): Promise<unknown>;
  /** Waits so many milliseconds for others who may come. */
  gather(milliseconds: number, signal: AbortSignal): Promise<unknown>;
}

/** Milliseconds for which a pass waits at most for those who keep coming. */
const GATHERING = 50;

/**
 * Those who catch up: all go through the history together, in as few passes as there can be, from the furthest back of them.
 * Who comes to be behind a pass goes with the next one.
 */
export class Convoy {
  readonly #options: ConvoyOptions;
  readonly #stop = new AbortController();
  readonly #rush = new Rush();
  /** They have come, and wait for others to do so. */
  readonly #coming = new Set<Follower>();
  #isGathering = false;
  /** Some of them go with the next pass. */
  #haveCome = false;
  readonly #waiting = new Set<Follower>();
  /** They wait until there is more to read. */
  readonly #parked = new Set<Follower>();
  #pass: Pass | undefined;
  /** How much news there was when the pass began. */
  #news = 0;
  /** Somebody waits for more for those who are parked. */
  #isWatching = false;
  #isRunning = false;

  constructor(options: ConvoyOptions) {
    this.#options = options;
  }

  /** Begins after a position. */
  add(follower: Follower, from: string): void {
    this.#place(follower, from);
    if (this.#isAtEnd(follower)) {
      this.#joined(follower);
      return;
    }
    this.#coming.add(follower);
    if (!this.#isGathering) void this.#gather();
  }

  /** It has ended. */
  remove(follower: Follower): void {
    this.#coming.delete(follower);
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
    for (const follower of [...this.#coming, ...this.#waiting, ...this.#parked]) this.remove(follower);
  }

  #place(follower: Follower, position: string): void {
    follower.catching = {
      position,
      order: this.#options.feed.order(position),
      next: undefined,
      left: follower.bounds.replay,
      isFull: false,
      reached: () => this.#pass?.reached(follower),
    };
  }

  /** Whether it is where everybody else is. */
  #isAtEnd({ catching }: Follower): boolean {
    const rest = this.#options.history.ring.after(catching?.position ?? "", 1, 0);
    return rest?.isEnd === true && rest.items.length === 0;
  }

  #joined(follower: Follower): void {
    follower.catching = undefined;
    this.#options.join(follower);
  }

  /** Those who come go together. */
  async #gather(): Promise<void> {
    const { signal } = this.#stop;
    this.#isGathering = true;
    const wait = this.#rush.wait(performance.now());
    if (wait > 0) await this.#options.gather(wait, signal).catch(() => undefined);
    this.#isGathering = false;
    this.#haveCome = this.#coming.size > 0;
    const come = [...this.#coming];
    this.#coming.clear();
    for (const follower of come) this.#wait(follower);
  }

  #wait(follower: Follower): void {
    this.#waiting.add(follower);
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    const { history, feed, pause } = this.#options;
    const { signal } = this.#stop;
    this.#isRunning = true;
    for (let failures = 0; this.#waiting.size > 0 && !signal.aborted; ) {
      await this.#gathered();
      const began = performance.now();
      const haveCome = this.#haveCome;
      this.#haveCome = false;
      this.#news = history.news;
      this.#pass = new Pass(history, feed, {
        join: (follower) => this.#joined(follower),
        skip: (follower, why) => this.#skip(follower, why),
        later: (follower, why) => this.#later(follower, why),
        come: (order, position) => this.#come(order, position),
      });
      try {
        await this.#pass.run();
        failures = 0;
      } catch {
        failures += 1;
        await pause(failures, signal).catch(() => undefined);
        this.#unpark();
      }
      if (haveCome) this.#rush.passed(began, performance.now());
      this.#pass = undefined;
    }
    this.#isRunning = false;
  }

  /** Those who come together go together: nobody came for a turn of the event loop, or some have waited for long enough. */
  async #gathered(): Promise<void> {
    const began = performance.now();
    for (let before = -1; this.#waiting.size > before && performance.now() - began < GATHERING; ) {
      before = this.#waiting.size;
      await turn();
    }
  }

  #come(order: string, position: string): readonly Follower[] {
    const come: Follower[] = [];
    for (const those of order === "" ? [this.#waiting] : [this.#waiting, this.#coming]) {
      for (const follower of those) {
        const { catching } = follower;
        const isAhead = order === "" || (catching?.order ?? "") > order;
        if (!isAhead && (catching?.position !== position || catching.next !== undefined)) continue;
        those.delete(follower);
        come.push(follower);
      }
    }
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
    if (!this.#isWatching) void this.#watch();
  }

  /** The reader looks for more whenever a pass asks it to: only what it finds is a reason for another pass. */
  async #watch(): Promise<void> {
    const { history } = this.#options;
    const { signal } = this.#stop;
    // Of the pass that somebody was in who is parked; others begin meanwhile.
    const known = this.#news;
    this.#isWatching = true;
    if (history.news !== known) await turn();
    while (history.news === known && !signal.aborted) await history.progress(signal);
    this.#isWatching = false;
    this.#unpark();
  }

  #unpark(): void {
    for (const follower of [...this.#parked]) {
      this.#parked.delete(follower);
      this.#wait(follower);
    }
  }

  /** Which change is the next of a position that is that of none. */
  async #locate(follower: Follower, position: string): Promise<void> {
    const { history, pause } = this.#options;
    const { signal } = this.#stop;
    const next = await history.next(position).catch((error: unknown) => {
      return error instanceof HistoryExpired ? ("expired" as const) : ("unknown" as const);
    });
    // The next pass finds that it is not known, and asks again.
    if (next === "unknown") await pause(1, signal).catch(() => undefined);
    const { catching } = follower;
    if (catching === undefined || signal.aborted) return;
    if (next === "expired") {
      this.#skip(follower, "expired");
      return;
    }
    if (next !== "unknown") {
      catching.next = next?.position;
      if (next !== undefined) catching.order = this.#options.feed.order(next.position);
    }
    this.#wait(follower);
  }

  /** Goes on where everybody else is, if they are anywhere. */
  #skip(follower: Follower, why: Gap): void {
    const { position } = this.#options.history;
    if (position === undefined) {
      this.#park(follower);
      return;
    }
    follower.queue.gap(why, position);
    // Whoever hears of it may end it at once.
    if (follower.isClosed) return;
    this.#place(follower, position);
    if (this.#isAtEnd(follower)) this.#joined(follower);
    else this.#wait(follower);
  }
}
