import { setImmediate as turn } from "node:timers/promises";
import { backoff } from "../backoff.ts";
import type { Clock } from "../clock.ts";
import { oneAtATime } from "../one-at-a-time.ts";
import { HistoryExpired } from "../store/contract/errors.ts";
import type { Lease } from "../store/contract/lease.ts";
import type { Store } from "../store/contract/store.ts";
import type { Transaction } from "../store/contract/transaction.ts";
import type { FeedChange } from "./change.ts";
import { ConsumerMoved, ConsumerPosition } from "./consumer-position.ts";
import type { History } from "./history.ts";
import type { Interest } from "./interests.ts";
import { type Delivery, deliveryOf } from "./queue.ts";

/** What a consumer is to work on: after `from`, up to `to`. */
export type Work = {
  readonly from: string;
  readonly to: string;
  /**
   * Writes what came of it, in one transaction with the position from which the consumer goes on: `to`, or an earlier one
   * of the deliveries. So the writes are done once, however often the work is begun.
   * @throws ConsumerMoved where another instance has gone on meanwhile; nothing is written. And what `write` throws
   */
  commit(write: (transaction: Transaction) => Promise<unknown>, to?: string): Promise<void>;
  /** Aborted where it is to end, because the consumer closes or another instance has it. */
  readonly signal: AbortSignal;
} & (
  | { readonly kind: "changes"; readonly deliveries: readonly Delivery[] }
  /** What happened in between is not known any more. */
  | { readonly kind: "gap" }
);

export interface ConsumerOptions {
  readonly store: Store;
  readonly history: History;
  readonly clock: Clock;
  /** The same in every instance, and of no other consumer. */
  readonly name: string;
  /** What it wants to hear of, by what it calls that. */
  readonly interests: ReadonlyMap<string, Interest>;
  /**
   * Called with whole commits in their order, one call after another; with the same again where it throws, after a pause,
   * or where the process died or ended. Where it did not commit, the position is noted some seconds later: those may come again.
   */
  readonly work: (work: Work) => Promise<void>;
  /** Hears of what goes wrong, which is tried again. */
  readonly warn?: (error: unknown, message: string) => void;
  /** Milliseconds after which another instance takes over from one that died; default: 30 s. */
  readonly takeover?: number;
  /** Between attempts after so many failures in a row. */
  readonly pause?: (failures: number, signal: AbortSignal) => Promise<unknown>;
}

const TAKEOVER = 30_000;
/** Milliseconds between two notes of a position at which there was nothing to do. */
const NOTE_EVERY = 5_000;

/**
 * Works on a realm's changes from a stored position on, in one instance at a time, and in another one where that dies. It
 * begins with what comes after it was first opened. History is held back for it, within bounds; what is beyond these it is
 * told of as a gap.
 */
export class Consumer {
  readonly #options: ConsumerOptions;
  readonly #position: ConsumerPosition;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(options: ConsumerOptions) {
    this.#options = options;
    this.#position = new ConsumerPosition(options.store, options.clock, options.name);
    this.#running = this.#run();
  }

  /** Resolves when the work under way has ended. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { warn, pause = backoff, name } = this.#options;
    const { signal } = this.#stop;
    let failures = 0;
    const worked = () => {
      failures = 0;
    };
    while (!signal.aborted) {
      try {
        await this.#claim(worked);
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        if (!(error instanceof ConsumerMoved) && failures === 1)
          warn?.(error, `consumer ${name} has failed; it is tried again`);
        await pause(failures, signal).catch(() => undefined);
      }
    }
  }

  /** Works as long as nobody else does. */
  async #claim(worked: () => void): Promise<void> {
    const { store, name, takeover = TAKEOVER } = this.#options;
    const lease = await store.lease(`svc.consumer.${name}`, takeover);
    if (lease === undefined) {
      await sleepUnless(this.#stop.signal, takeover / 4);
      return;
    }
    const lost = new AbortController();
    const signal = AbortSignal.any([this.#stop.signal, lost.signal]);
    const renew = oneAtATime(async () => {
      if (!(await lease.renew())) lost.abort();
    });
    // Where the store cannot be reached it may be had by another one soon.
    const renewal = setInterval(() => renew().catch(() => undefined), takeover / 3).unref();
    const leave = this.#options.history.attend();
    try {
      await this.#consume(lease, signal, worked);
    } finally {
      leave();
      clearInterval(renewal);
      await lease.release().catch(() => undefined);
    }
  }

  async #consume(lease: Lease, signal: AbortSignal, worked: () => void): Promise<void> {
    const { history, store, clock } = this.#options;
    const stored = this.#position;
    await stored.load();
    let position = stored.position;
    let noted = clock.now();
    let commit: FeedChange[] = [];
    /** Up to where whole commits were looked at. */
    let whole = position;
    while (!signal.aborted) {
      const { news } = history;
      const page = await history.after(position).catch((error: unknown) => {
        if (error instanceof HistoryExpired) return undefined;
        throw error;
      });
      if (page === undefined) {
        whole = await store.feed.oldest();
        position = whole;
        commit = [];
        await this.#work({ kind: "gap", to: whole }, lease, signal);
        if (!signal.aborted && stored.position !== whole) await stored.advance(whole, lease);
        continue;
      }
      const changes = [...commit, ...page.items];
      const end = changes.findLastIndex(({ isLast }) => isLast) + 1;
      // Of a commit that is larger than a page the parts come by themselves.
      const upTo = end === 0 && commit.length > 0 ? changes.length : end;
      const deliveries = changes
        .slice(0, upTo)
        .flatMap((change) => deliveryOf(this.#options.interests, change) ?? []);
      commit = changes.slice(upTo);
      position = page.position;
      whole = commit.length === 0 ? position : (changes[upTo - 1]?.position ?? whole);
      if (deliveries.length > 0) {
        await this.#work({ kind: "changes", deliveries, to: whole }, lease, signal);
        if (signal.aborted) return;
        if (stored.position === whole) noted = clock.now();
      }
      if (whole !== stored.position && Math.abs(clock.now() - noted) >= NOTE_EVERY) {
        await stored.advance(whole, lease);
        noted = clock.now();
      }
      worked();
      if (page.items.length > 0) await turn();
      else if (history.news === news) await history.progress(signal);
    }
  }

  async #work(
    part: { readonly to: string } & (
      | { readonly kind: "changes"; readonly deliveries: readonly Delivery[] }
      | { readonly kind: "gap" }
    ),
    lease: Lease,
    signal: AbortSignal,
  ): Promise<void> {
    const stored = this.#position;
    await this.#options.work({
      ...part,
      from: stored.position,
      signal,
      commit: (write, to = part.to) => stored.advance(to, lease, write),
    });
  }
}

/** Resolves after so many milliseconds, or when the signal is aborted. */
function sleepUnless(signal: AbortSignal, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener("abort", done);
    if (signal.aborted) done();
  });
}
