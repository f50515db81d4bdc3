import type { Clock } from "../../../clock.ts";
import type { Reads } from "../reads.ts";
import type { Writer } from "../write/writer.ts";
import { forgetSome, isSomeDue } from "./feed.ts";

/** Milliseconds between looks for changes that are due where nothing is written. */
const EVERY = 60_000;

/**
 * Forgets the changes of the feed that are due, after commits that recorded some and while nothing happens: a little in
 * each group of writes, so that no other write waits for all of it.
 */
export class Forgetting {
  readonly #reads: Reads;
  readonly #writer: Writer;
  readonly #clock: Clock;
  readonly #most: number;
  readonly #timer: NodeJS.Timeout;
  #underway: Promise<void> | undefined;

  /** @param most bytes that the feed keeps */
  constructor(reads: Reads, writer: Writer, clock: Clock, most: number) {
    this.#reads = reads;
    this.#writer = writer;
    this.#clock = clock;
    this.#most = most;
    this.#timer = setInterval(() => this.all(), EVERY);
    // Only what answers requests keeps the process alive.
    this.#timer.unref();
  }

  /** Resolves when nothing is due, or where it cannot be forgotten now: it is after a later commit, or the next look. */
  all(): Promise<void> {
    this.#underway ??= this.#all().finally(() => {
      this.#underway = undefined;
    });
    return this.#underway;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #all(): Promise<void> {
    const { writing } = this.#reads;
    try {
      // Not as other reads look: they would see what others commit a turn later.
      while (isSomeDue(writing, this.#clock.now(), this.#most))
        await this.#writer.write(() => forgetSome(writing, this.#clock.now(), this.#most));
    } catch {
      // The disk is full, or the store closes.
    }
  }
}
