import { setTimeout as sleep } from "node:timers/promises";
import {
  type ChangeStream,
  type ChangeStreamOptions,
  type ClientSession,
  type Document,
  MongoServerError,
  type Timestamp,
} from "mongodb";
import { DocumentTooLarge, HistoryExpired, QueryTimeout, StoreUnavailable } from "../../contract/errors.ts";
import type { Change } from "../../contract/feed.ts";
import { storedDocument } from "../bson/json-text.ts";
import type { Engine } from "../engine.ts";
import { storeError } from "../errors.ts";
import { commitOf, type Event, mayGoOn, pipelineOf, writes } from "./events.ts";
import { positionOf, tokenOf } from "./position.ts";

/** Whose changes are followed, by name, and what is told of them. */
export type Followed = ReadonlyMap<string, "ids" | "documents">;

export interface StreamOptions {
  readonly collections: Followed;
  /** The position before the first change; absent: now. */
  readonly after?: string | undefined;
  /** What happened up to this time must be there, also after an election. */
  readonly since?: Timestamp | undefined;
  /** Changes that are fetched at once. */
  readonly batch: number;
  /** Milliseconds that the server waits for a change. */
  readonly wait: number;
  /** Whether documents come with the changes of those that are followed so; otherwise all are told by ids. */
  readonly images: boolean;
  /** Milliseconds within which the server must answer. */
  readonly patience?: number;
}

export interface Batch {
  readonly changes: readonly Change[];
  /** Where the stream stands after them, also where nothing happened that it follows. */
  readonly position: string;
  /** When the last of them was made. */
  readonly time: Timestamp | undefined;
}

/**
 * Milliseconds in which the server must have found a position in its history and looked for changes after it. Where that
 * takes longer, whoever was there better begins anew.
 */
const OPENING_TIME = 30_000;

/** Milliseconds that the server waits for what comes after a batch, which it has at hand where it is of the same commit. */
const LOOKING_TIME = 10;

/** Milliseconds without any answer after which the connection is taken for lost, whatever the driver thinks of it. */
const PATIENCE = 60_000;

/** Milliseconds that the server has to end a stream. */
const CLOSING_TIME = 1_000;

/**
 * An event holds the document twice and may be larger than MongoDB can answer, which fails each time that it is met. Then
 * events are fetched one by one until the one is met again, and that one without the document as it was before.
 */
type Care = "none" | "one by one" | "without before";

/** Changes from a position on. */
export class FeedStream {
  readonly #engine: Engine;
  readonly #options: StreamOptions;
  readonly #session: ClientSession | undefined;
  /** Collections of which documents come with the changes. */
  readonly #imaged: readonly string[];
  #stream: ChangeStream<Document, Event>;
  #position: string | undefined;
  /** What was fetched beyond the last batch, to know whether a commit goes on: the next one begins with it. */
  #ahead: Ahead | undefined;
  #care: Care = "none";
  #giveUp: () => void = () => {};
  #closed: Promise<void> | undefined;

  constructor(engine: Engine, options: StreamOptions) {
    this.#engine = engine;
    this.#options = options;
    this.#position = options.after;
    const { collections, images } = options;
    this.#imaged = images
      ? [...collections.keys()].filter((name) => collections.get(name) === "documents")
      : [];
    if (options.since !== undefined) {
      this.#session = engine.client.startSession();
      this.#session.advanceOperationTime(options.since);
    }
    this.#stream = this.#open();
  }

  /** Calls back with the position from which a stream that begins now goes on, as soon as the server has told it. */
  onceOpened(listener: (position: string) => void): void {
    this.#stream.once("resumeTokenChanged", (token: unknown) => listener(positionOf(token)));
  }

  /**
   * The next changes; none where the server had no more within the time that it waits.
   * @throws HistoryExpired where there is a gap after the position, or the server does not know it
   * @throws StoreUnavailable
   */
  next(): Promise<Batch> {
    return new Promise((resolve, reject) => {
      // The driver may wait for an answer for ever where the stream or its connection was closed meanwhile.
      const silent = () => reject(new StoreUnavailable("the server does not answer a change stream"));
      const timer = setTimeout(silent, this.#options.patience ?? PATIENCE).unref();
      this.#giveUp = () => reject(new Error("the stream is closed"));
      this.#advance()
        .then(resolve, reject)
        .finally(() => clearTimeout(timer));
    });
  }

  close(): Promise<void> {
    // Once: a second time would end the session that the driver needs to end the stream at the server.
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#giveUp();
    await this.#end();
    await this.#session?.endSession();
  }

  async #advance(): Promise<Batch> {
    for (;;) {
      try {
        const batch = await this.#next();
        const isPast =
          this.#care === "without before" ? batch.changes.length > 0 : batch.changes.length === 0;
        if (this.#care !== "none" && isPast) await this.#reopen("none");
        return batch;
      } catch (error) {
        const failure = this.#failureOf(error);
        if (!(failure instanceof DocumentTooLarge)) throw failure;
        if (this.#care === "without before") throw new HistoryExpired();
        await this.#reopen(this.#care === "none" ? "one by one" : "without before");
      }
    }
  }

  async #next(): Promise<Batch> {
    const stream = this.#stream;
    const events: Event[] = [];
    let next = (await this.#ahead?.event()) ?? (await stream.tryNext());
    this.#ahead = undefined;
    while (next !== null) {
      events.push(next);
      if (stream.bufferedCount() === 0) break;
      next = await stream.tryNext();
    }
    if (events.length === 0 && stream.closed) throw new StoreUnavailable("the server ended a change stream");
    const isFull = events.length >= this.#batchSize;
    if (isFull) this.#ahead = await lookAhead(stream);
    const following = await this.#following(events.at(-1), isFull);
    const changes = events.map((event, at) => this.#changeOf(event, events[at + 1] ?? following));
    const last = changes.at(-1)?.position;
    this.#position = (this.#ahead && last) ?? positionOf(stream.resumeToken);
    return { changes, position: this.#position, time: events.at(-1)?.clusterTime };
  }

  get #batchSize(): number {
    return this.#care === "none" ? this.#options.batch : 1;
  }

  /** What comes after a batch; where nothing does, or nothing that could be of the same commit, undefined. */
  async #following(last: Event | undefined, isFull: boolean): Promise<Event | undefined> {
    if (last === undefined) return undefined;
    if (isFull ? this.#ahead === undefined : !mayGoOn(last, this.#stream.resumeToken)) return undefined;
    return this.#ahead?.following ?? (await this.#after(last)) ?? undefined;
  }

  /** The next event that there is, without its documents: another stream asks, so that this one need not wait for news. */
  async #after({ _id }: Event): Promise<Event | null> {
    const stream = this.#engine.database.watch<Document, Event>(
      pipelineOf([...this.#options.collections.keys()], []),
      { ...this.#common(), batchSize: 1, maxAwaitTimeMS: LOOKING_TIME, startAfter: _id },
    );
    try {
      // The first answer may be that there is a stream, the second is what it has.
      return (await stream.tryNext()) ?? (await stream.tryNext());
    } finally {
      await stream.close();
    }
  }

  #common(): ChangeStreamOptions {
    return { maxTimeMS: OPENING_TIME, ...(this.#session !== undefined && { session: this.#session }) };
  }

  #changeOf(event: Event, next: Event | undefined): Change {
    const { _id, operationType, collection, id, at, images = [] } = event;
    const commit = commitOf(event);
    // Documents went or came without an event of their own.
    if (!writes.includes(operationType)) throw new HistoryExpired();
    const told = {
      position: positionOf(_id),
      commit,
      isLast: next === undefined || commitOf(next) !== commit,
      at: at instanceof Date ? at.getTime() : this.#engine.clock.now(),
      collection: String(collection),
      id: String(id),
    };
    if (!this.#imaged.includes(told.collection)) return { ...told, recorded: "ids" };
    const [before, after] = images;
    return {
      ...told,
      recorded: "documents",
      ...(operationType !== "insert" && {
        before: before instanceof Uint8Array ? storedDocument(before) : "unknown",
      }),
      ...(after instanceof Uint8Array && { after: storedDocument(after) }),
    };
  }

  #open(): ChangeStream<Document, Event> {
    const { collections, wait } = this.#options;
    const hasImages = this.#imaged.length > 0;
    const options: ChangeStreamOptions = {
      fullDocumentBeforeChange: hasImages && this.#care !== "without before" ? "whenAvailable" : "off",
      batchSize: this.#batchSize,
      maxAwaitTimeMS: wait,
      fieldsAsRaw: { images: true },
      ...(this.#position !== undefined && { startAfter: tokenOf(this.#position) }),
      ...this.#common(),
    };
    const pipeline = pipelineOf([...collections.keys()], this.#imaged);
    return this.#engine.database.watch<Document, Event>(pipeline, options);
  }

  async #reopen(care: Care): Promise<void> {
    await this.#end();
    if (this.#closed !== undefined) throw new Error("the stream is closed");
    this.#care = care;
    this.#ahead = undefined;
    this.#stream = this.#open();
  }

  /** Whatever is left of it at a server that does not answer ends there. */
  async #end(): Promise<void> {
    const closed = this.#stream.close().catch(() => undefined);
    await Promise.race([closed, sleep(CLOSING_TIME, undefined, { ref: false })]);
  }

  #failureOf(error: unknown): Error {
    const failure = storeError(error);
    // All but the position is the same in every stream.
    const isRefused = failure instanceof QueryTimeout || isRefusal(failure);
    return isRefused && this.#position !== undefined ? new HistoryExpired() : failure;
  }
}

/** One event more than a batch, or why there is none. */
interface Ahead {
  readonly following: Event | undefined;
  /** @throws what fetching it failed for */
  event(): Promise<Event | undefined>;
}

/** A batch that is full may end within a commit. */
async function lookAhead(stream: ChangeStream<Document, Event>): Promise<Ahead | undefined> {
  try {
    const following = await stream.tryNext();
    return following === null ? undefined : { following, event: async () => following };
  } catch (error) {
    return { following: undefined, event: () => Promise.reject(error) };
  }
}

/** BadValue, FailedToParse, TypeMismatch, InvalidResumeToken; what has no name is a finding about what was sent. */
const refusals = new Set([2, 9, 14, 260]);
const FIRST_UNNAMED = 15_000;

function isRefusal(error: Error): boolean {
  if (!(error instanceof MongoServerError)) return false;
  const code = Number(error.code);
  return refusals.has(code) || code >= FIRST_UNNAMED || error.hasErrorLabel("NonResumableChangeStreamError");
}
