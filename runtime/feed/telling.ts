import { setImmediate as turn } from "node:timers/promises";
import type { FeedChange, FeedDocumentChange } from "./change.ts";
import type { Follower, Subscription } from "./follower.ts";
import { type Concern, Interests } from "./interests.ts";
import type { Concerned, Delivery } from "./queue.ts";

/** Followers that are told of a change in one turn of the event loop. */
const SLICE = 1_000;

/** Gives a follower what concerns it; answers whether it has it. */
export type Offer = (follower: Follower, delivery: Delivery) => boolean;

/** Followers that are told of the same changes, each of what concerns it, and nobody waited for. */
export class Telling {
  readonly #index = new Interests<Subscription>();
  /** Those who were offered something of the commit under way. */
  #open = new Set<Follower>();

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

  /** At once, where there are few; who enters meanwhile is not told of the change. */
  tell(change: FeedChange, offer: Offer): Promise<void> | undefined {
    const deliveries = change.recorded === "ids" ? [] : deliveriesOf(change, this.#index.concerns(change));
    if (deliveries.length + this.#open.size > SLICE) return this.#tellMany(change, deliveries, offer);
    for (const [follower, delivery] of deliveries) this.#offer(change, follower, delivery, offer);
    if (change.isLast) for (const follower of this.#ended()) follower.queue.reach(change.position);
    return undefined;
  }

  async #tellMany(change: FeedChange, deliveries: readonly Told[], offer: Offer): Promise<void> {
    let told = 0;
    for (const [follower, delivery] of deliveries) {
      told += 1;
      if (told % SLICE === 0) await turn();
      this.#offer(change, follower, delivery, offer);
    }
    if (!change.isLast) return;
    for (const follower of this.#ended()) {
      told += 1;
      if (told % SLICE === 0) await turn();
      follower.queue.reach(change.position);
    }
  }

  #offer({ isLast, position }: FeedChange, follower: Follower, delivery: Delivery, offer: Offer): void {
    if (!follower.isIn(this.#index) || !offer(follower, delivery)) return;
    if (!isLast) this.#open.add(follower);
    else if (!this.#open.has(follower)) follower.queue.reach(position);
  }

  #ended(): ReadonlySet<Follower> {
    const open = this.#open;
    if (open.size > 0) this.#open = new Set();
    return open;
  }
}

type Told = readonly [Follower, Delivery];

/** Each follower once, whatever it is about the change that concerns it. */
function deliveriesOf(
  change: FeedDocumentChange,
  concerns: readonly Concern<Subscription>[],
): readonly Told[] {
  const found = new Map<Follower, Concerned[]>();
  for (const { holders, before, after } of concerns) {
    for (const { follower, key } of holders) {
      const own = found.get(follower);
      if (own === undefined) found.set(follower, [{ key, before, after }]);
      else own.push({ key, before, after });
    }
  }
  return Array.from(found, ([follower, own]) => [follower, { change, concerns: own }] as const);
}
