import { setImmediate as turn } from "node:timers/promises";
import { backoff } from "../backoff.ts";
import { HistoryExpired } from "../store/contract/errors.ts";
import type { Stretch } from "../store/ring.ts";
import type { FeedChange } from "./change.ts";
import type { History } from "./history.ts";
import type { Interest } from "./interests.ts";
import {
  type Delivery,
  deliveryOf,
  type FeedEvent,
  type Gap,
  Queue,
  type QueueBounds,
  type QueueOwner,
} from "./queue.ts";

/** An interest of a follower, as the index holds it. */
export interface Subscription {
  readonly follower: Follower;
  /** What the follower calls it. */
  readonly key: string;
}

/** What followers have in common. */
export interface Gathering {
  readonly history: History;
  /** Answers how to take it back. */
  register(interest: Interest, subscription: Subscription): () => void;
  /** From here on the follower is offered what concerns it. */
  joined(follower: Follower): void;
  left(follower: Follower): void;
}

export interface FollowerBounds extends QueueBounds {
  /** Changes of the realm's feed that it is given of the past. */
  readonly replay: number;
}

/** Changes that are looked at in one turn of the event loop for somebody who catches up. */
const SLICE = 500;

/** Somebody who follows, at their own pace: first what was before, then what comes. */
export class Follower {
  readonly #gathering: Gathering;
  readonly #bounds: FollowerBounds;
  readonly #queue: Queue;
  readonly #interests = new Map<string, Interest>();
  /** How each of them is taken back. */
  readonly #registrations = new Map<string, () => void>();
  readonly #stop = new AbortController();
  #isLive = false;
  #onRoom: (() => void) | undefined;

  constructor(
    gathering: Gathering,
    interests: Iterable<readonly [string, Interest]>,
    from: string,
    bounds: FollowerBounds,
    owner: QueueOwner,
  ) {
    this.#gathering = gathering;
    this.#bounds = bounds;
    this.#queue = new Queue(from, bounds, owner);
    for (const [key, interest] of interests) this.set(key, interest);
    void this.#catchUp(from);
  }

  /** Whether it gets changes as they come. */
  get isLive(): boolean {
    return this.#isLive;
  }

  /** Of what it has yet to take. */
  get bytes(): number {
    return this.#queue.bytes;
  }

  /** From where somebody who follows later misses nothing that was not taken here. */
  get position(): string {
    const position = this.#isLive && this.#queue.isEmpty ? this.#gathering.history.position : undefined;
    return position ?? this.#queue.position;
  }

  /** Whether it has ended: nothing comes any more. */
  get isClosed(): boolean {
    return this.#stop.signal.aborted;
  }

  /** The next event, if there is one. */
  poll(): FeedEvent | undefined {
    const event = this.#queue.poll();
    if (event !== undefined) this.#onRoom?.();
    return event;
  }

  /** Wants to hear of this from now on, in place of what was called so before. */
  set(key: string, interest: Interest): void {
    this.delete(key);
    if (this.#stop.signal.aborted) return;
    this.#interests.set(key, interest);
    this.#registrations.set(key, this.#gathering.register(interest, { follower: this, key }));
  }

  /** Wants to hear of it no longer; what is queued may still name it. */
  delete(key: string): void {
    this.#registrations.get(key)?.();
    this.#registrations.delete(key);
    this.#interests.delete(key);
  }

  /** Everything that it holds is let go. */
  close(): void {
    if (this.#stop.signal.aborted) return;
    this.#stop.abort();
    this.#isLive = false;
    for (const key of [...this.#interests.keys()]) this.delete(key);
    this.#queue.end();
    this.#onRoom?.();
    this.#gathering.left(this);
  }

  /** For whoever tells it of changes. */
  offer(delivery: Delivery): void {
    this.#queue.offer(delivery);
  }

  /** The same, at the end of a commit of which something was offered. */
  reach(position: string): void {
    this.#queue.reach(position);
  }

  /** The same, where what was before `to` is lost. */
  lose(why: Gap, to: string): void {
    this.#queue.gap(why, to);
  }

  async #catchUp(from: string): Promise<void> {
    const { signal } = this.#stop;
    let position = from;
    let left = this.#bounds.replay;
    let failures = 0;
    while (!signal.aborted && !this.#isLive) {
      try {
        const { items, position: reached } = await this.#step(position);
        position = reached;
        left -= items.length;
        failures = 0;
        if (left >= 0) continue;
        position = await this.#skip(position, "far");
        left = this.#bounds.replay;
      } catch (error) {
        failures += 1;
        if (error instanceof HistoryExpired) position = await this.#skip(position, "expired");
        else await backoff(failures, signal).catch(() => undefined);
      }
    }
  }

  /** Goes on where everybody else is, if they are anywhere. */
  async #skip(position: string, why: Gap): Promise<string> {
    const { history } = this.#gathering;
    const to = history.position;
    if (to === undefined) await history.progress(this.#stop.signal);
    else this.#queue.gap(why, to);
    return to ?? position;
  }

  /** One stretch of what was before; joins the others where there is nothing more of that. */
  async #step(position: string): Promise<Stretch<FeedChange>> {
    const { history } = this.#gathering;
    const { wakes } = history;
    const atHand = history.ring.after(position, SLICE, this.#bounds.bytes);
    if (atHand?.isEnd === true && atHand.items.length <= 1) {
      // From the look into the ring up to here nobody else has run.
      for (const change of atHand.items) this.#tell(change, deliveryOf(this.#interests, change));
      this.#isLive = true;
      this.#gathering.joined(this);
      return atHand;
    }
    const stretch = atHand ?? (await history.after(position));
    for (const change of stretch.items) {
      const delivery = deliveryOf(this.#interests, change);
      while (delivery !== undefined && !this.#queue.hasRoom(delivery) && !this.isClosed)
        await new Promise<void>((resolve) => (this.#onRoom = resolve));
      if (this.isClosed) return stretch;
      this.#tell(change, delivery);
    }
    if (stretch.items.length > 0 || atHand !== undefined) await turn();
    else if (history.wakes === wakes) await history.progress(this.#stop.signal);
    return stretch;
  }

  #tell(change: FeedChange, delivery: Delivery | undefined): void {
    if (delivery !== undefined) this.#queue.offer(delivery);
    if (change.isLast) this.#queue.reach(change.position);
  }
}
