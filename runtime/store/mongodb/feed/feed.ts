import { isDeepStrictEqual } from "node:util";
import { Turns } from "../../../turns.ts";
import { HistoryExpired, StoreBusy, StoreUnavailable } from "../../contract/errors.ts";
import { type ChangeFeed, type ChangePage, FEED_BYTES } from "../../contract/feed.ts";
import type { CollectionShape } from "../../contract/shape.ts";
import { FeedPage } from "../../feed-page.ts";
import { Listeners } from "../../listeners.ts";
import type { Engine } from "../engine.ts";
import { Follower } from "./follow.ts";
import { timeOf, tokenOf } from "./position.ts";
import { FeedStream, type Followed, type StreamOptions } from "./stream.ts";

/** Changes that the steady stream fetches at once. */
const STEADY_BATCH = 1_000;
/** Milliseconds that the steady stream waits for a change, and others, which only want what there is. */
const STEADY_WAIT = 1_000;
const SHORT_WAIT = 10;

/** Readers at once who are further back than the tail reaches, and how many may wait. */
const CATCHING_UP = 4;
const WAITING = 10_000;

/** Batches in which the newest position is looked for; behind them changes come faster than they can be counted. */
const HEAD_BATCHES = 100;

/** Milliseconds after which the steady stream ends that nobody listens to and nobody has used. */
const LINGER = 60_000;

/** The newest position where nothing is followed. */
const NOWHERE = "00";

/**
 * The change feed on change streams: one steady stream of a realm's followed collections, opened when the feed is first
 * used, whose newest changes are kept at hand. Readers further back are served by streams of their own, one for each page.
 */
export class MongoFeed implements ChangeFeed {
  readonly #engine: Engine;
  readonly #listeners = new Listeners();
  readonly #linger: number;
  #follower: Follower;
  /** The one before has closed its stream. */
  #ended: Promise<unknown> | undefined;
  /** Ends the steady stream, unless somebody needs it again. */
  #rest: NodeJS.Timeout | undefined;
  readonly #streams = new Set<FeedStream>();
  readonly #turns = new Turns(CATCHING_UP, WAITING, () => new StoreBusy());
  #collections: Followed = new Map();
  /** The search for the newest position under way, which never fails, and the one that comes after it. */
  #searching: Promise<unknown> = Promise.resolve();
  #search: Promise<string> | undefined;
  #closed = false;

  /** @param linger milliseconds for which the steady stream goes on where nobody needs it */
  constructor(engine: Engine, linger = LINGER) {
    this.#engine = engine;
    this.#linger = linger;
    this.#follower = this.#newFollower();
  }

  #newFollower(): Follower {
    const engine = this.#engine;
    return new Follower({
      open: (after) => this.#stream({ after, batch: STEADY_BATCH, wait: STEADY_WAIT, images: true }),
      onNews: () => this.#listeners.tell(),
      onFailure: (error, failures) => {
        // The same failure is said once.
        if (failures === 1) engine.warn(error, "the change feed's stream ended; another one is opened");
      },
      clock: engine.clock,
    });
  }

  /** Follows those of the collections that ask for it. */
  async follow(shapes: readonly CollectionShape[]): Promise<void> {
    const collections = new Map(shapes.flatMap(({ name, feed }) => (feed === false ? [] : [[name, feed]])));
    if (isDeepStrictEqual(collections, this.#collections)) return;
    this.#collections = collections;
    // What is at hand was told of others, or otherwise; the server's history is the same.
    this.#replaceFollower();
    await this.#ended;
    if (this.#listeners.size > 0) this.#start();
  }
  /**
   * The position of the newest change, which the steady stream may not have met yet.
   * @throws StoreUnavailable
   */
  head(): Promise<string> {
    // Whoever comes while another one searches could miss what was written since: they share the search after it.
    this.#search ??= this.#searching.then(() => {
      this.#search = undefined;
      const found = this.#newest();
      this.#searching = found.catch(() => undefined);
      return found;
    });
    return this.#search;
  }

  /** Where the tail begins: how far back the server's history reaches it does not tell. */
  async oldest(): Promise<string> {
    if (this.#collections.size === 0) return NOWHERE;
    const begun = await this.#follower.begun();
    return this.#follower.tail.first ?? begun;
  }

  order(position: string): string | undefined {
    return timeOf(position);
  }

  /** The server keeps its history for as long as it is set to. */
  async hold(): Promise<void> {}

  async read(position: string, limit: number, bytes = FEED_BYTES): Promise<ChangePage> {
    this.#refuseClosed();
    if (tokenOf(position) === undefined) throw new HistoryExpired();
    if (this.#collections.size === 0) return { changes: [], position };
    this.#start();
    return (
      this.#atHand(position, limit, bytes) ?? this.#turns.run(() => this.#catchUp(position, limit, bytes))
    );
  }

  /** Calls back also when the feed begins, and when it begins anew because its history was lost. */
  onCommit(listener: () => void): () => void {
    const stop = this.#listeners.add(listener);
    this.#start();
    return () => {
      stop();
      this.#restSoon();
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#rest);
    await Promise.all([
      this.#ended,
      this.#follower.close(),
      ...Array.from(this.#streams, (stream) => stream.close()),
    ]);
  }

  #start(): void {
    if (this.#collections.size > 0) this.#follower.start();
    this.#restSoon();
  }

  /** Each use begins the wait anew. */
  #restSoon(): void {
    clearTimeout(this.#rest);
    if (this.#listeners.size > 0 || this.#closed) return;
    this.#rest = setTimeout(() => {
      if (this.#listeners.size > 0 || this.#closed) return;
      this.#replaceFollower();
    }, this.#linger).unref();
  }

  #replaceFollower(): void {
    this.#ended = Promise.all([this.#ended, this.#follower.close()]);
    this.#follower = this.#newFollower();
  }

  async #newest(): Promise<string> {
    this.#refuseClosed();
    if (this.#collections.size === 0) return NOWHERE;
    this.#start();
    const { tail } = this.#follower;
    const after = await this.#follower.begun();
    const batch = STEADY_BATCH;
    const found = await this.#reading({ after, batch, wait: SHORT_WAIT, images: false }, async (stream) => {
      let last: string | undefined;
      for (let n = 0; n < HEAD_BATCHES; n++) {
        const { changes } = await stream.next();
        last = changes.at(-1)?.position ?? last;
        if (changes.length < batch) break;
      }
      return last;
    });
    const isKnown = found === undefined || tail.has(found);
    const position = isKnown ? tail.last : found;
    if (position === undefined) throw new StoreUnavailable("the change history was lost meanwhile");
    return position;
  }

  #atHand(position: string, limit: number, bytes: number): ChangePage | undefined {
    const found = this.#follower.tail.after(position, limit, bytes);
    return found && { changes: found.items, position: found.position };
  }

  async #catchUp(position: string, limit: number, bytes: number): Promise<ChangePage> {
    const { time: since } = this.#follower;
    const batch = Math.min(limit, STEADY_BATCH);
    const options = { after: position, since, batch, wait: SHORT_WAIT, images: true };
    return this.#reading(options, async (stream) => {
      const page = new FeedPage(limit, bytes);
      let last = position;
      while (!page.isFull) {
        const rest = this.#atHand(last, limit, bytes);
        const found = rest ?? (await stream.next());
        page.add(found.changes);
        last = found.position;
        if (rest !== undefined || found.changes.length === 0) break;
      }
      return page.isFull ? page.from(position) : { changes: page.changes, position: last };
    });
  }

  async #reading<T>(
    options: Omit<StreamOptions, "collections">,
    read: (stream: FeedStream) => Promise<T>,
  ): Promise<T> {
    this.#refuseClosed();
    const stream = this.#stream(options);
    this.#streams.add(stream);
    try {
      return await read(stream);
    } catch (error) {
      this.#refuseClosed();
      throw error;
    } finally {
      this.#streams.delete(stream);
      await stream.close();
    }
  }

  #stream(options: Omit<StreamOptions, "collections">): FeedStream {
    return new FeedStream(this.#engine, { ...options, collections: this.#collections });
  }

  #refuseClosed(): void {
    if (this.#closed) throw new Error("the store is closed");
  }
}
