import type { Clock } from "../clock.ts";
import { tooManyRequests } from "../errors.ts";
import { Frequency } from "../frequency.ts";
import type { RealtimeLimits } from "../realm/definition.ts";
import type { SharedStreams } from "../realm/realtime.ts";

type Limits = Pick<RealtimeLimits, "maxStreams" | "maxStreamsPerCaller" | "streamsPerSecond">;

/** Milliseconds after which somebody may have closed one. */
const AGAIN = 5_000;

/** How many streams callers of a realm have open, and how fast they open them (spec: Limits). */
export class StreamLimits {
  readonly #limits: Limits;
  readonly #shared: Pick<SharedStreams, "most" | "open">;
  readonly #opened: Frequency;
  /** Streams that are open, by caller. */
  readonly #callers = new Map<string, number>();
  #open = 0;

  /** @param shared streams of all realms of the instance */
  constructor(limits: Limits, clock: Clock, shared: Pick<SharedStreams, "most" | "open">) {
    this.#limits = limits;
    this.#shared = shared;
    // Less than one in a second is one in more of them.
    const limit = Math.max(1, Math.floor(limits.streamsPerSecond));
    this.#opened = new Frequency({ limit, period: (limit / limits.streamsPerSecond) * 1_000 }, clock);
  }

  /**
   * Counts a stream until it is released.
   * @throws ApiError `too_many_requests` with `Retry-After`; then nothing was counted
   */
  take(caller: string): void {
    const { maxStreams, maxStreamsPerCaller } = this.#limits;
    const open = this.#callers.get(caller) ?? 0;
    if (open >= maxStreamsPerCaller)
      throw tooManyRequests(`One caller has at most ${maxStreamsPerCaller} streams at a time.`, AGAIN);
    const wait = this.#opened.wait(caller);
    if (wait > 0) throw tooManyRequests("Streams are opened too fast.", wait);
    if (this.#open >= maxStreams || this.#shared.open >= this.#shared.most)
      throw tooManyRequests("There are too many streams.", AGAIN);
    this.#opened.count(caller);
    this.#callers.set(caller, open + 1);
    this.#open += 1;
    this.#shared.open += 1;
  }

  /** A stream of the caller that was counted is open no longer. */
  release(caller: string): void {
    const open = this.#callers.get(caller);
    if (open === undefined) return;
    if (open === 1) this.#callers.delete(caller);
    else this.#callers.set(caller, open - 1);
    this.#open -= 1;
    this.#shared.open -= 1;
  }
}
