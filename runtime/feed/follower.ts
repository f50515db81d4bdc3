import type { Interest, Interests, Interned } from "./interests.ts";
import type { Interner } from "./interner.ts";
import { type FeedEvent, Queue, type QueueBounds, type QueueOwner } from "./queue.ts";

/** An interest of a follower, as an index holds it. */
export interface Subscription {
  readonly follower: Follower;
  /** What the follower calls it. */
  readonly key: string;
  readonly interned: Interned;
}

/** What followers have in common. */
export interface Gathering {
  readonly interner: Interner;
  /** Up to where those who catch up no more have been told everything. */
  readonly position: string | undefined;
  /** See `ChangeFeed.order`. */
  order(position: string): string | undefined;
  /** Somebody who catches up has taken something. */
  taken(follower: Follower): void;
  left(follower: Follower): void;
}

export interface FollowerBounds extends QueueBounds {
  /** Changes of the realm's feed that it is given of the past. */
  readonly replay: number;
}

/** How far somebody is who catches up; of whom they do that with. */
export interface Catching {
  /** After which it goes on. */
  position: string;
  /** See `ChangeFeed.order`; undefined for what can be no position. */
  order: string | undefined;
  /** The change with which it goes on, where its position is that of none. */
  next: string | undefined;
  /** Changes that it may yet be given. */
  left: number;
  /** It goes on when it has taken more. */
  isFull: boolean;
  /** Up to where it was told everything, beyond what its queue says. */
  reached(): string | undefined;
}

/** Somebody who follows, at their own pace: first what was before, then what comes. */
export class Follower {
  /** For whoever tells it of changes. */
  readonly queue: Queue;
  readonly bounds: FollowerBounds;
  /** Undefined where it has caught up. */
  catching: Catching | undefined;
  readonly #gathering: Gathering;
  readonly #subscriptions: Subscription[] = [];
  #index: Interests<Subscription> | undefined;
  #isClosed = false;

  constructor(
    gathering: Gathering,
    interests: Iterable<readonly [string, Interest]>,
    from: string,
    bounds: FollowerBounds,
    owner: QueueOwner,
  ) {
    this.#gathering = gathering;
    this.bounds = bounds;
    this.queue = new Queue(from, bounds, owner);
    for (const [key, interest] of interests) this.set(key, interest);
  }

  /** Whether it gets changes as they come. */
  get isLive(): boolean {
    return !this.#isClosed && this.catching === undefined;
  }

  /** Whether it has ended: nothing comes any more. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Of what it has yet to take. */
  get bytes(): number {
    return this.queue.bytes;
  }

  /** From where somebody who follows later misses nothing that was not taken here. */
  get position(): string {
    const { position } = this.queue;
    if (this.#isClosed || !this.queue.isEmpty) return position;
    const { order } = this.#gathering;
    const reached = this.catching === undefined ? this.#gathering.position : this.catching.reached();
    // A change that others are still being told of may have been taken here.
    return reached !== undefined && (order(reached) ?? "") > (order(position) ?? "") ? reached : position;
  }

  poll(): FeedEvent | undefined {
    const event = this.queue.poll();
    if (event !== undefined && this.catching !== undefined) this.#gathering.taken(this);
    return event;
  }

  /** Wants to hear of this from now on, in place of what was called so before. */
  set(key: string, interest: Interest): void {
    this.delete(key);
    if (this.#isClosed) return;
    const interned = this.#gathering.interner.take(interest);
    const subscription = { follower: this, key, interned };
    this.#subscriptions.push(subscription);
    this.#index?.add(interned, subscription);
  }

  /** Wants to hear of it no longer; what is queued may still name it. */
  delete(key: string): void {
    const at = this.#subscriptions.findIndex((subscription) => subscription.key === key);
    for (const subscription of at < 0 ? [] : this.#subscriptions.splice(at, 1)) this.#drop(subscription);
  }

  /** Everything that it holds is let go. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const subscription of this.#subscriptions.splice(0)) this.#drop(subscription);
    this.#gathering.left(this);
    this.queue.end();
  }

  /** Its interests are found in this index, and in no other; in none. */
  enter(index: Interests<Subscription> | undefined): void {
    for (const subscription of this.#subscriptions) {
      this.#index?.delete(subscription.interned, subscription);
      index?.add(subscription.interned, subscription);
    }
    this.#index = this.#isClosed ? undefined : index;
  }

  isIn(index: Interests<Subscription>): boolean {
    return this.#index === index;
  }

  #drop(subscription: Subscription): void {
    this.#index?.delete(subscription.interned, subscription);
    this.#gathering.interner.release(subscription.interned);
  }
}
