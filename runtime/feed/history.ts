import { setImmediate as turn } from "node:timers/promises";
import { backoff } from "../backoff.ts";
import { kept } from "../kept.ts";
import { HistoryExpired } from "../store/contract/errors.ts";
import type { ChangeFeed } from "../store/contract/feed.ts";
import { Ring, type RingBounds, type Stretch } from "../store/ring.ts";
import { Turns } from "../turns.ts";
import type { Budget } from "./budget.ts";
import { type FeedChange, feedChangeOf } from "./change.ts";
import { Renderings } from "./rendered.ts";
import { Window } from "./window.ts";

/** Who is told of every change while somebody follows. */
export interface Audience {
  /** In order, one at a time; it is in the ring already. Never throws. */
  take(change: FeedChange): Promise<void> | undefined;
  /** What happened between the two positions is not known. */
  lost(from: string, to: string): void;
}

export interface HistoryOptions {
  readonly feed: ChangeFeed;
  readonly audience: Audience;
  /** Of what is kept in memory. */
  readonly ring?: RingBounds;
  /** That what is kept for those who catch up counts for. */
  readonly budget?: Budget | undefined;
  /** Hears of what goes wrong, which is tried again. */
  readonly warn?: (error: unknown, message: string) => void;
  /** Between attempts after so many failures in a row. */
  readonly pause?: (failures: number, signal: AbortSignal) => Promise<unknown>;
}

const RING: RingBounds = { items: 10_000, bytes: 32 * 2 ** 20 };
/** Changes, and bytes of their texts, that are read at once. */
const PAGE = 1_000;
const PAGE_BYTES = 4 * 2 ** 20;
/** Pages for those further back that are read at the same time; others wait. */
const PAGES = 4;

/**
 * A realm's changes: while somebody attends, one reader of the store's feed, which makes each change once and keeps the
 * newest at hand. Without anybody nothing is read and nothing is kept.
 */
export class History {
  readonly ring: Ring<FeedChange>;
  readonly #options: HistoryOptions;
  readonly #renderings = new Renderings();
  readonly #window: Window;
  #attending = 0;
  /** The page that was read last, and how many of it everybody was told of. */
  #page: { readonly items: readonly FeedChange[]; told: number } = { items: [], told: 0 };
  #position: string | undefined;
  #news = 0;
  /** Readings of the store's feed that were begun, and the newest that found nothing. */
  #begun = 0;
  #atEnd = 0;
  /** Has the reader look whether there is more. */
  #look = () => {};
  #reader: AbortController | undefined;
  /** The reader under way, or the one before. */
  #reading: Promise<void> = Promise.resolve();
  readonly #waiting = new Set<() => void>();
  /** Pages that are being read, by where they begin: many who come back at once come from the same places. */
  readonly #pages = new Map<string, Promise<Stretch<FeedChange>>>();
  readonly #turns = new Turns(PAGES, Number.POSITIVE_INFINITY, () => new Error("the queue has no end"));

  constructor(options: HistoryOptions) {
    this.#options = options;
    this.ring = new Ring(options.ring ?? RING, ({ bytes }) => bytes);
    this.#window = new Window((position) => options.feed.order(position), options.budget);
  }

  /** Whether the store's feed is being read. */
  get isReading(): boolean {
    return this.#reader !== undefined;
  }

  /** Up to where everybody has been told of everything, at the end of a commit; undefined where nothing is being read. */
  get position(): string | undefined {
    return this.#position;
  }

  /** What was read and not told yet: how many changes, and since when the first of them waits, in epoch milliseconds. */
  get untold(): { readonly changes: number; readonly since: number | undefined } {
    const { items, told } = this.#page;
    return { changes: items.length - told, since: items[told]?.at };
  }

  /** How often the reader began, came further, or failed. */
  get news(): number {
    return this.#news;
  }

  /** Has the feed read until the function that is answered is called. */
  attend(): () => void {
    this.#attending += 1;
    if (this.#attending === 1) this.#start();
    let attends = true;
    return () => {
      if (!attends) return;
      attends = false;
      this.#attending -= 1;
      if (this.#attending === 0) this.#stop();
    };
  }

  /**
   * Changes after a position, as many as one reading gives: from memory, or from the store.
   * @throws HistoryExpired
   */
  async after(position: string): Promise<Stretch<FeedChange>> {
    return this.ring.after(position, PAGE, PAGE_BYTES) ?? this.#fromStore(position, PAGE_BYTES);
  }

  /**
   * The same for those who catch up: what one of them has come to stays at hand for a while.
   * @throws HistoryExpired
   */
  async past(position: string): Promise<readonly FeedChange[]> {
    const known = this.#window.after(position, PAGE, PAGE_BYTES);
    if (known !== undefined) return known;
    const { items } = await this.after(position);
    // Unless it has ended meanwhile.
    if (this.isReading) this.#window.add(position, items);
    return items;
  }

  /**
   * The change after a position, if there is one.
   * @throws HistoryExpired
   */
  async next(position: string): Promise<FeedChange | undefined> {
    const { items } = this.ring.after(position, 1, 0) ?? (await this.#fromStore(position, 0));
    return items[0];
  }

  /** Resolves when there may be more than there was, when something went wrong, and when the signal is aborted. */
  progress(signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake);
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal?.addEventListener("abort", wake);
    });
  }

  /**
   * Resolves when the reader has met all that was there at the call; answers whether it has, rather than being stopped or
   * having lost it.
   */
  async metAll(): Promise<boolean> {
    const reader = this.#reader;
    const since = this.#begun;
    this.#look();
    while (reader !== undefined && reader === this.#reader && this.#atEnd <= since) await this.progress();
    return reader !== undefined && reader === this.#reader && this.#position !== undefined;
  }

  /** Resolves when everybody has been told of all that was there at the call, however much comes; or nothing is read. */
  async toldAll(): Promise<void> {
    const { feed } = this.#options;
    const head = feed.order(await feed.head()) ?? "";
    const reader = this.#reader;
    const since = this.#begun;
    const isThere = () => this.#atEnd > since || (feed.order(this.#position ?? "") ?? "") >= head;
    this.#look();
    while (reader !== undefined && reader === this.#reader && !isThere()) await this.progress();
  }

  /** Resolves when nothing is being read any more. Nobody attends. */
  async close(): Promise<void> {
    this.#stop();
    await this.#reading;
    await Promise.allSettled(this.#pages.values());
  }

  #fromStore(position: string, bytes: number): Promise<Stretch<FeedChange>> {
    const key = `${bytes} ${position}`;
    return kept(this.#pages, key, () =>
      this.#turns.run(() => this.#read(position, bytes)).finally(() => this.#pages.delete(key)),
    );
  }

  async #read(from: string, bytes = PAGE_BYTES): Promise<Stretch<FeedChange>> {
    const { changes, position } = await this.#options.feed.read(from, PAGE, bytes);
    return {
      items: changes.map((change) => feedChangeOf(change, this.#renderings)),
      position,
      isEnd: changes.length === 0,
    };
  }

  #start(): void {
    const reader = new AbortController();
    this.#reader = reader;
    // The one before it may not have noticed yet.
    this.#reading = this.#reading.then(() => this.#run(reader.signal));
  }

  #stop(): void {
    this.#reader?.abort();
    this.#reader = undefined;
    this.#forget();
    this.#wake();
  }

  #forget(): void {
    this.ring.clear();
    this.#window.clear();
    this.#page = { items: [], told: 0 };
    this.#renderings.clear();
    this.#position = undefined;
  }

  /** @param isNews rather than that the reader found nothing */
  #wake(isNews = true): void {
    if (isNews) this.#news += 1;
    for (const wake of [...this.#waiting]) wake();
  }

  async #run(signal: AbortSignal): Promise<void> {
    let failures = 0;
    let position: string | undefined;
    let lost: string | undefined;
    while (!signal.aborted) {
      try {
        if (position === undefined) {
          // Nothing from before is known.
          position = await this.#options.feed.head();
          if (signal.aborted) return;
          this.ring.begin(position);
          this.#position = position;
          if (lost !== undefined) this.#options.audience.lost(lost, position);
          lost = undefined;
        }
        await this.#follow(position, signal, (reached) => {
          position = reached;
          failures = 0;
        });
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        if (error instanceof HistoryExpired && position !== undefined) {
          lost = position;
          position = undefined;
          this.#forget();
        } else if (failures === 1) {
          this.#options.warn?.(error, "the change feed cannot be read; it is tried again");
        }
        this.#wake();
        await (this.#options.pause ?? backoff)(failures, signal).catch(() => undefined);
      }
    }
  }

  async #follow(from: string, signal: AbortSignal, reached: (position: string) => void): Promise<void> {
    const { feed, audience } = this.#options;
    let told = true;
    let wake = () => {};
    this.#look = () => {
      told = true;
      wake();
    };
    const stop = feed.onCommit(this.#look);
    const abort = () => wake();
    signal.addEventListener("abort", abort);
    this.#wake();
    try {
      for (let position = from; !signal.aborted; ) {
        told = false;
        this.#begun += 1;
        const reading = this.#begun;
        const page = await this.#read(position);
        if (signal.aborted) return;
        const progress = { items: page.items, told: 0 };
        this.#page = progress;
        for (const change of page.items) {
          this.ring.add([change]);
          await audience.take(change);
          progress.told += 1;
          if (signal.aborted) return;
          reached(change.position);
          if (change.isLast) this.#position = change.position;
        }
        const before = position;
        position = page.position;
        this.ring.mark(position);
        if (page.items.at(-1)?.isLast !== false) this.#position = position;
        reached(position);
        if (page.isEnd) this.#atEnd = reading;
        this.#wake(!page.isEnd || page.position !== before);
        if (!page.isEnd) await turn();
        else if (!told && !signal.aborted) await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      signal.removeEventListener("abort", abort);
      stop();
    }
  }
}
