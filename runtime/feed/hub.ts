import { setImmediate as turn } from "node:timers/promises";
import type { ChangeFeed } from "../store/contract/feed.ts";
import type { FeedChange } from "./change.ts";
import { Follower, type FollowerBounds, type Gathering, type Subscription } from "./follower.ts";
import { History, type HistoryOptions } from "./history.ts";
import { type Interest, Interests } from "./interests.ts";
import type { Concerned } from "./queue.ts";

export type HubOptions = Omit<HistoryOptions, "audience">;

export interface FollowOptions extends Partial<FollowerBounds> {
  /** What it wants to hear of, by what it calls that. */
  readonly interests: Iterable<readonly [string, Interest]>;
  /** A position of the feed after which it begins; default: now, after all that was acknowledged before. */
  readonly from?: string | undefined;
  readonly wake?: () => void;
  readonly budget?: unknown;
  readonly events?: number;
}

const BOUNDS: FollowerBounds = { bytes: 2 ** 20, replay: 10_000 };

/** Followers that are told of a change in one turn of the event loop. */
const SLICE = 1_000;

/**
 * A realm's changes for all who follow them in this instance: one reader of the store, none where nobody follows, and an
 * index by which a change meets only those whom it may concern. Nobody is waited for.
 */
export class Hub {
  readonly history: History;
  readonly #feed: ChangeFeed;
  readonly #interests = new Interests<Subscription>();
  readonly #followers = new Map<Follower, () => void>();
  /** Those who were offered something of the commit under way. */
  #open = new Set<Follower>();
  readonly #gathering: Gathering;

  constructor(options: HubOptions) {
    this.#feed = options.feed;
    this.history = new History({
      ...options,
      audience: { take: (change) => this.#take(change), lost: (_, to) => this.#lost(to) },
    });
    this.#gathering = {
      history: this.history,
      register: (interest, subscription) => this.#interests.add(interest, subscription),
      // The commit under way may have begun before.
      joined: (follower) => this.#open.add(follower),
      left: (follower) => this.#left(follower),
    };
  }

  /** Different interests of all followers. */
  get interests(): number {
    return this.#interests.size;
  }

  /**
   * Begins to follow. A position that history does not reach back to is told as a gap.
   * @throws StoreUnavailable where there is no telling what "now" is
   */
  order = 0;
  readonly #taps = new Set<{ take(change: FeedChange): void; lost(): void }>();
  async tap(listener: { take(change: FeedChange): void; lost(): void }): Promise<() => void> {
    this.#taps.add(listener);
    const leave = this.history.attend();
    while (this.history.position === undefined) await this.history.progress();
    return () => {
      this.#taps.delete(listener);
      leave();
    };
  }

  async follow({ interests, from, wake, ...bounds }: FollowOptions): Promise<Follower> {
    const leave = this.history.attend();
    try {
      const start = from ?? (await this.#feed.head());
      const follower = new Follower(this.#gathering, interests, start, { ...BOUNDS, ...bounds });
      if (wake !== undefined) follower.wake = wake;
      this.#followers.set(follower, leave);
      return follower;
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Ends all who follow. */
  async close(): Promise<void> {
    for (const follower of [...this.#followers.keys()]) follower.close();
    await this.history.close();
  }

  /** Who joins meanwhile has the change from the ring. */
  async #take(change: FeedChange): Promise<void> {
    let told = 0;
    this.order += 1;
    change.order = this.order;
    for (const tap of this.#taps) tap.take(change);
    for (const [follower, concerns] of this.#concerned(change)) {
      if (change.recorded === "documents") follower.offer({ change, concerns });
      this.#open.add(follower);
      told += 1;
      if (told % SLICE === 0) await turn();
    }
    if (!change.isLast) return;
    const open = this.#open;
    this.#open = new Set();
    for (const follower of open) {
      follower.reach(change.position);
      told += 1;
      if (told % SLICE === 0) await turn();
    }
  }

  /** Each follower once, whatever it is about the change that concerns it. */
  #concerned(change: FeedChange): ReadonlyMap<Follower, readonly Concerned[]> {
    const found = new Map<Follower, Concerned[]>();
    for (const { holders, before, after } of this.#interests.concerns(change)) {
      for (const { follower, key } of holders) {
        if (!follower.isLive) continue;
        const concerns = found.get(follower);
        if (concerns === undefined) found.set(follower, [{ key, before, after }]);
        else concerns.push({ key, before, after });
      }
    }
    return found;
  }

  #lost(to: string): void {
    this.#open.clear();
    for (const follower of this.#followers.keys()) if (follower.isLive) follower.lose("expired", to);
  }

  #left(follower: Follower): void {
    this.#open.delete(follower);
    this.#followers.get(follower)?.();
    this.#followers.delete(follower);
  }
}
