import type { Clock } from "../clock.ts";
import { ApiError } from "../errors.ts";
import type { RealtimeLimits } from "../realm/definition.ts";
import type { SharedStreams } from "../realm/realtime.ts";

type Limits = Pick<RealtimeLimits, "maxStreams" | "maxStreamsPerCaller" | "streamsPerSecond">;

const second = 1_000;

/** What is counted of a caller. */
interface Counted {
  open: number;
  /** When the newest were opened, oldest first. */
  opened: readonly number[];
}

/** How many streams callers of a realm have open, and how fast they open them (spec: Limits). */
export class StreamLimits {
  readonly #limits: Limits;
  readonly #clock: Clock;
  readonly #shared: Pick<SharedStreams, "most" | "open">;
  /** How many may be opened in so many milliseconds. */
  readonly #rate: { readonly streams: number; readonly milliseconds: number };
  readonly #callers = new Map<string, Counted>();
  #open = 0;
  #sweptAt = 0;

  /** @param shared streams of all realms of the instance */
  constructor(limits: Limits, clock: Clock, shared: Pick<SharedStreams, "most" | "open">) {
    this.#limits = limits;
    this.#clock = clock;
    this.#shared = shared;
    // Less than one in a second is one in more of them.
    const streams = Math.max(1, Math.floor(limits.streamsPerSecond));
    this.#rate = { streams, milliseconds: (streams / limits.streamsPerSecond) * second };
  }

  /**
   * Counts a stream until it is released.
   * @throws ApiError `too_many_requests` with `Retry-After`; then nothing was counted
   */
  take(caller: string): void {
    const { maxStreams, maxStreamsPerCaller } = this.#limits;
    const now = this.#clock.now();
    this.#sweep(now);
    const counted = this.#callers.get(caller) ?? { open: 0, opened: [] };
    const recent = this.#recent(counted, now);
    if (counted.open >= maxStreamsPerCaller) {
      throw refused(`One caller has at most ${maxStreamsPerCaller} streams at a time.`, 5);
    }
    const [oldest = now] = recent;
    if (recent.length >= this.#rate.streams) {
      throw refused("Streams are opened too fast.", (oldest + this.#rate.milliseconds - now) / second);
    }
    if (this.#open >= maxStreams || this.#shared.open >= this.#shared.most) {
      throw refused("There are too many streams.", 5);
    }
    counted.open += 1;
    counted.opened = [...recent, now];
    this.#callers.set(caller, counted);
    this.#open += 1;
    this.#shared.open += 1;
  }

  /** A stream of the caller that was counted is open no longer. */
  release(caller: string): void {
    const counted = this.#callers.get(caller);
    if (counted === undefined) return;
    counted.open -= 1;
    this.#open -= 1;
    this.#shared.open -= 1;
    if (this.#isOver(counted, this.#clock.now())) this.#callers.delete(caller);
  }

  /** Forgets those who have nothing open and opened nothing just now. */
  #sweep(now: number): void {
    if (Math.abs(now - this.#sweptAt) < second) return;
    this.#sweptAt = now;
    for (const [caller, counted] of this.#callers) {
      if (this.#isOver(counted, now)) this.#callers.delete(caller);
    }
  }

  #isOver(counted: Counted, now: number): boolean {
    return counted.open === 0 && this.#recent(counted, now).length === 0;
  }

  #recent({ opened }: Counted, now: number): readonly number[] {
    return opened.filter((at) => at > now - this.#rate.milliseconds && at <= now);
  }
}

function refused(message: string, seconds: number): ApiError {
  const after = String(Math.max(1, Math.ceil(seconds)));
  return new ApiError("too_many_requests", message, { headers: { "retry-after": after } });
}
