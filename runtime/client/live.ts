import { ApiError } from "./errors.ts";
import { changeBetween, Held, type LiveChange } from "./held.ts";
import type { Streams } from "./streams.ts";
import {
  type DocumentEvent,
  type Follower,
  guarded,
  isLasting,
  type Subscription,
  type SubscriptionEnd,
  type Versioned,
} from "./subscriptions.ts";

/**
 * `connecting` until documents have been loaded, `live` while they follow every change, `behind` while they may be older
 * than what is stored: the stream is interrupted, or they are being loaded anew.
 */
export type LiveState = "connecting" | "live" | "behind" | "ended";

export interface LiveHandlers<D> {
  /** First with what was loaded, then each time anything changes: with a new array where documents did. */
  change?(documents: readonly D[], change: LiveChange<D>): unknown;
  state?(state: LiveState): unknown;
  /** Nothing more will come. */
  ended?(end: SubscriptionEnd): unknown;
}

/** What iterating brings: the documents as they are, and what became of those of the step before. */
export interface LiveStep<D> extends LiveChange<D> {
  readonly documents: readonly D[];
  readonly has_more: boolean;
}

/** Documents that follow what is stored. Iterating gives the latest state each time; leaving the loop closes it. */
export interface Live<D> extends AsyncIterable<LiveStep<D>> {
  readonly documents: readonly D[];
  /** Whether more documents match than are shown. */
  readonly has_more: boolean;
  readonly state: LiveState;
  /** Nothing is called after it. */
  close(): void;
}

/** What was read, in its order, and whether there is more behind it. */
export interface Loaded<D> {
  readonly documents: readonly D[];
  readonly more: boolean;
}

export interface LiveSource<D> {
  readonly subscription: Subscription;
  readonly limit: number;
  readonly compare: (a: D, b: D) => number;
  /** At least `limit` documents, where there are so many. */
  readonly load: (signal: AbortSignal) => Promise<Loaded<D>>;
  readonly refusal: () => Promise<ApiError | undefined>;
}

/** Events that come while documents are loaded; beyond so many, loading begins again. */
const mostBuffered = 10_000;

/** The specification's client procedure for one subscription. */
export class LiveDocuments<D extends Versioned> implements Follower, Live<D> {
  readonly #streams: Streams;
  readonly #source: LiveSource<D>;
  readonly #handlers: LiveHandlers<D>;
  readonly #held: Held<D>;
  /** Of those that came since loading began. */
  #buffer: DocumentEvent<D>[] = [];
  #loading: AbortController | undefined;
  /** What is held may be other than what was told. */
  #isChanged = false;
  #isOpen = false;
  /** What was told last. */
  #shown: Loaded<D> | undefined;
  #state: LiveState = "connecting";
  #end: SubscriptionEnd | undefined;
  #waiting: (() => void)[] = [];

  constructor(streams: Streams, source: LiveSource<D>, handlers: LiveHandlers<D>) {
    this.#streams = streams;
    this.#source = source;
    this.#handlers = handlers;
    this.#held = new Held(source.compare, source.limit);
    streams.follow(this);
  }

  get subscription(): Subscription {
    return this.#source.subscription;
  }

  get documents(): readonly D[] {
    return this.#shown?.documents ?? [];
  }

  get has_more(): boolean {
    return this.#shown?.more ?? false;
  }

  get state(): LiveState {
    return this.#state;
  }

  close(): void {
    if (this.#state === "ended") return;
    this.#state = "ended";
    this.#loading?.abort();
    this.#streams.leave(this);
    this.#wake();
  }

  started(): void {
    this.#isOpen = true;
    this.#begin();
  }

  resumed(): void {
    this.#isOpen = true;
    if (this.#loading === undefined) this.#enter("live");
  }

  interrupted(): void {
    this.#isOpen = false;
    if (this.#state === "live") this.#enter("behind");
  }

  reset(): void {
    this.#begin();
  }

  event(event: DocumentEvent<D>): void {
    if (this.#loading === undefined) {
      this.#held.apply(event);
      this.#isChanged = true;
    } else if (this.#buffer.push(event) > mostBuffered) this.#begin();
  }

  settled(): void {
    if (!this.#isChanged || this.#state === "ended") return;
    this.#show();
    if (this.#held.isLacking) this.#begin();
  }

  ended(end: SubscriptionEnd): void {
    if (this.#state === "ended") return;
    this.close();
    this.#end = end;
    // What may no longer be read is no longer shown.
    if (end.reason === "refused" && this.#shown !== undefined) {
      this.#held.clear();
      this.#show();
    }
    guarded(() => this.#handlers.state?.("ended"));
    guarded(() => this.#handlers.ended?.(end));
  }

  refusal(): Promise<ApiError | undefined> {
    return this.#source.refusal();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<LiveStep<D>, void, undefined> {
    let before: Loaded<D> | undefined;
    try {
      while (this.#state !== "ended" || this.#end !== undefined) {
        const shown = this.#shown;
        if (shown !== undefined && shown !== before) {
          const change = changeBetween(before?.documents ?? [], shown.documents);
          before = shown;
          yield { documents: shown.documents, has_more: shown.more, ...change };
        } else if (this.#end !== undefined) throw errorOf(this.#end);
        else await new Promise<void>((resolve) => this.#waiting.push(resolve));
      }
    } finally {
      this.close();
    }
  }

  #begin(): void {
    if (this.#state === "ended") return;
    this.#loading?.abort();
    const loading = new AbortController();
    this.#loading = loading;
    this.#buffer = [];
    this.#isChanged = false;
    if (this.#state === "live") this.#enter("behind");
    this.#load(loading.signal);
  }

  async #load(signal: AbortSignal): Promise<void> {
    for (let attempt = 1; !signal.aborted; attempt++) {
      const loaded = await this.#source.load(signal).catch((error: unknown) => ({ error }));
      if (signal.aborted) return;
      if (!("error" in loaded)) return this.#loaded(loaded);
      const { error } = loaded;
      // A credential that was refused may be followed by a fresh one.
      const isFinal =
        error instanceof ApiError && isLasting(error) && !(error.status === 401 && attempt === 1);
      if (isFinal) return this.ended({ reason: "refused", error });
      await this.#pause(Math.min(30_000, this.#streams.delay(attempt)), signal);
    }
  }

  #pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#streams.clock.after(milliseconds, resolve);
      signal.addEventListener("abort", () => {
        cancel();
        resolve();
      });
    });
  }

  #loaded({ documents, more }: Loaded<D>): void {
    this.#held.replace(documents, more);
    for (const event of this.#buffer) this.#held.apply(event);
    this.#buffer = [];
    this.#loading = undefined;
    this.#isChanged = true;
    this.#enter(this.#isOpen ? "live" : "behind");
    this.settled();
  }

  /** Tells of what has changed since it was told last. */
  #show(): void {
    this.#isChanged = false;
    const before = this.#shown;
    const { documents, more } = this.#held.shown();
    const change = changeBetween(before?.documents ?? [], documents);
    const isSame = change.added.length + change.updated.length + change.removed.length === 0;
    if (before !== undefined && isSame && before.more === more) return;
    this.#shown = { documents: isSame && before !== undefined ? before.documents : documents, more };
    guarded(() => this.#handlers.change?.(this.documents, change));
    this.#wake();
  }

  #enter(state: LiveState): void {
    if (this.#state === state || this.#state === "ended") return;
    this.#state = state;
    guarded(() => this.#handlers.state?.(state));
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}

function errorOf(end: SubscriptionEnd): Error {
  return end.reason === "session_ended" ? new Error(`the session has ended: ${end.why}`) : end.error;
}
