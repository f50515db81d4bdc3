import type { Timestamp } from "mongodb";
import { backoff } from "../../../backoff.ts";
import type { Clock } from "../../../clock.ts";
import { HistoryExpired } from "../../contract/errors.ts";
import type { Change } from "../../contract/feed.ts";
import { bytesOf } from "../../feed-page.ts";
import { Ring, type RingBounds } from "../../ring.ts";
import type { Batch, FeedStream } from "./stream.ts";

export type Stream = Pick<FeedStream, "onceOpened" | "next" | "close">;

export interface FollowOptions {
  /** Opens a stream from a position on, or from now on. */
  open(after: string | undefined): Stream;
  /** There may be something new to read. */
  onNews(): void;
  /** The stream ended; so many did in a row. */
  onFailure?(error: Error, failures: number): void;
  readonly clock: Clock;
  readonly bounds?: RingBounds;
  /** Between attempts after so many failures in a row. */
  pause?(failures: number, signal: AbortSignal): Promise<unknown>;
}

/**
 * Milliseconds after which a position at which nothing happens is replaced by a later one, so that those that readers
 * hold stay within the server's history.
 */
const MARK_EVERY = 3_600_000;

const BOUNDS: RingBounds = { items: 10_000, bytes: 16 * 1024 * 1024 };

/** The steady stream: keeps the newest changes at hand, survives whatever happens to the connection or the server. */
export class Follower {
  /** The newest changes. */
  readonly tail: Ring<Change>;
  readonly #options: FollowOptions;
  readonly #stop = new AbortController();
  readonly #waiting = new Set<(failure?: Error) => void>();
  #running: Promise<void> | undefined;
  #stream: Stream | undefined;
  #position: string | undefined;
  #time: Timestamp | undefined;
  /** Epoch milliseconds of the newest position kept. */
  #marked = 0;
  /** Why there is no beginning yet. */
  #failure: Error | undefined;

  constructor(options: FollowOptions) {
    this.#options = options;
    this.tail = new Ring(options.bounds ?? BOUNDS, bytesOf);
  }

  /** Begins, if it has not yet. */
  start(): void {
    if (!this.#stop.signal.aborted) this.#running ??= this.#run();
  }

  /**
   * Resolves with where the stream stands, once it has begun.
   * @throws what it cannot begin for
   */
  async begun(): Promise<string> {
    this.start();
    while (this.#position === undefined) {
      if (this.#stop.signal.aborted) throw new Error("the store is closed");
      if (this.#failure !== undefined) throw this.#failure;
      const failure = await new Promise<Error | undefined>((resolve) => this.#waiting.add(resolve));
      if (failure !== undefined) throw failure;
    }
    return this.#position;
  }

  /** When the newest change was made. */
  get time(): Timestamp | undefined {
    return this.#time;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#tell(new Error("the store is closed"));
    await this.#stream?.close();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    for (let failures = 0; !signal.aborted; ) {
      try {
        await this.#follow(() => {
          failures = 0;
        });
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        this.#failed(error instanceof Error ? error : new Error(String(error)), failures);
        await (this.#options.pause ?? backoff)(failures, signal).catch(() => undefined);
        this.#failure = undefined;
      }
    }
  }

  /** One stream from beginning to end. */
  async #follow(onAnswer: () => void): Promise<never> {
    const stream = this.#options.open(this.#position);
    this.#stream = stream;
    if (this.#position === undefined) stream.onceOpened((position) => this.#begin(position));
    try {
      for (;;) {
        const batch = await stream.next();
        onAnswer();
        this.#take(batch);
      }
    } finally {
      this.#stream = undefined;
      await stream.close();
    }
  }

  /** Readers may wait for what happened before. */
  #begin(position: string): void {
    this.#position = position;
    this.#marked = this.#options.clock.now();
    this.tail.begin(position);
    this.#tell();
    this.#options.onNews();
  }

  #take({ changes, position, time }: Batch): void {
    const now = this.#options.clock.now();
    this.#position = position;
    this.#time = time ?? this.#time;
    if (changes.length > 0) {
      this.tail.add(changes);
      this.#marked = now;
      this.#options.onNews();
    } else if (now - this.#marked >= MARK_EVERY) {
      this.tail.mark(position);
      this.#marked = now;
    }
  }

  #failed(error: Error, failures: number): void {
    this.#options.onFailure?.(error, failures);
    if (error instanceof HistoryExpired) {
      // What happened in between is not known: whoever was there finds that out by reading.
      this.#position = undefined;
      this.tail.clear();
    } else {
      this.#failure = error;
      this.#tell(error);
    }
  }

  #tell(failure?: Error): void {
    for (const told of this.#waiting) told(failure);
    this.#waiting.clear();
  }
}
