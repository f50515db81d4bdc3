import { Pace } from "../turns.ts";
import type { FeedChange, FeedDocumentChange } from "./change.ts";
import type { Follower, Subscription } from "./follower.ts";
import { type Concern, Interests, type Interned } from "./interests.ts";
import type { Delivery } from "./queue.ts";

/** Of a turn of the event loop: milliseconds, and followers that are told, each of whom has something to send then. */
const MILLISECONDS = 5;
const TOLD = 250;
/** Followers between two looks at what there is room for. */
const AT_ONCE = 10;

/** Gives a follower what concerns it; answers whether it has it. */
export type Offer = (follower: Follower, delivery: Delivery) => boolean;

/** Followers that are told of the same changes, each of what concerns it, and nobody waited for. */
export class Telling {
  readonly #index = new Interests<Subscription>();
  readonly #pace: Pace;
  /** Those who were offered something of the commit under way. */
  #open = new Set<Follower>();

  constructor(pace = new Pace(MILLISECONDS, TOLD)) {
    this.#pace = pace;
  }

  /** From here on the follower is told. */
  enter(follower: Follower): void {
    follower.enter(this.#index);
    // The commit under way may have begun before.
    if (follower.queue.isOpen) this.#open.add(follower);
  }

  leave(follower: Follower): void {
    if (follower.isIn(this.#index)) follower.enter(undefined);
    this.#open.delete(follower);
  }

  /** What there was of the commit under way is lost. */
  break(): void {
    this.#open.clear();
  }

  /**
   * At once, where that is little; who enters meanwhile is not told of the change, and who wants to hear of something else
   * meanwhile is told of it as if they did not yet. One change at a time.
   */
  tell(change: FeedChange, offer: Offer): Promise<void> | undefined {
    const candidates = change.recorded === "ids" ? [] : this.#index.candidates(change);
    if (candidates.length === 0 && (!change.isLast || this.#open.size === 0)) return undefined;
    const steps = this.#steps(change, candidates, offer);
    const later = this.#run(steps);
    if (later === undefined) return undefined;
    this.#index.freeze();
    return this.#goOn(steps, later);
  }

  /** As much as this turn of the event loop has room for; answers the next turn where there is more. */
  #run(steps: Iterator<number>): Promise<void> | undefined {
    for (let step = steps.next(); step.done !== true; step = steps.next()) {
      const later = this.#pace.spend(step.value);
      if (later !== undefined) return later;
    }
    return undefined;
  }

  async #goOn(steps: Iterator<number>, turn: Promise<void>): Promise<void> {
    try {
      for (let next: Promise<void> | undefined = turn; next !== undefined; next = this.#run(steps))
        await next;
    } finally {
      this.#index.thaw();
    }
  }

  /** After each piece of it: how many were told. */
  *#steps(change: FeedChange, candidates: readonly Interned[], offer: Offer): Generator<number, void> {
    const deliveries = new Map<Follower, Delivery>();
    if (change.recorded !== "ids") {
      for (const interned of candidates) {
        yield 0;
        const concern = this.#index.concern(interned, change);
        if (concern !== undefined) yield* this.#gather(deliveries, change, concern);
      }
    }
    const { isLast, position } = change;
    let told = 0;
    for (const [follower, delivery] of deliveries) {
      if (!follower.isIn(this.#index) || !offer(follower, delivery)) continue;
      if (!isLast) this.#open.add(follower);
      else if (!this.#open.has(follower)) follower.queue.reach(position);
      told += 1;
      if (told % AT_ONCE === 0) yield AT_ONCE;
    }
    for (const follower of isLast ? this.#ended() : []) {
      follower.queue.reach(position);
      told += 1;
      if (told % AT_ONCE === 0) yield AT_ONCE;
    }
  }

  /** Each follower once, whatever it is about the change that concerns it. */
  *#gather(
    deliveries: Map<Follower, Delivery>,
    change: FeedDocumentChange,
    { holders, before, after }: Concern<Subscription>,
  ): Generator<number, void> {
    // Most call it the same, and nothing else concerns them: they share what they are told.
    let shared: { readonly key: string; readonly delivery: Delivery } | undefined;
    let found = 0;
    for (const { follower, key } of holders) {
      found += 1;
      if (found % AT_ONCE === 0) yield 0;
      if (shared?.key !== key) shared = { key, delivery: { change, concerns: [{ key, before, after }] } };
      const other = deliveries.get(follower);
      const concerns = other && [...other.concerns, ...shared.delivery.concerns];
      deliveries.set(follower, concerns === undefined ? shared.delivery : { change, concerns });
    }
  }

  #ended(): ReadonlySet<Follower> {
    const open = this.#open;
    if (open.size > 0) this.#open = new Set();
    return open;
  }
}
