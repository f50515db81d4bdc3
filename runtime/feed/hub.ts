import { setImmediate as turn } from "node:timers/promises";
import type { ChangeFeed } from "../store/contract/feed.ts";
import type { Budget } from "./budget.ts";
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
  /** Called when something was queued for the follower, and when it ended: at once, so that it is to be brief. Never throws. */
  readonly wake?: (() => void) | undefined;
  /** That what it holds counts for, together with what others hold, perhaps of other hubs. */
  readonly budget?: Budget | undefined;
}

/** Who hears of every change of a realm that is recorded, before anybody else. */
export interface Listener {
  /** In the order of the feed. Never throws. */
  take(change: FeedChange): void;
  /** What happened up to now is not known; changes that are committed from now on are told. Never throws. */
  lost(): void;
}

const BOUNDS: FollowerBounds = { bytes: 2 ** 18, events: 1_000, replay: 10_000 };

/** Followers that are told of a change in one turn of the event loop. */
const SLICE = 1_000;

/**
 * A realm's changes for all who follow them in this instance: one reader of the store, none where nobody follows, and an
 * index by which a change meets only those whom it may concern. Nobody is waited for.
 */
export class Hub {
  readonly history: History;
  readonly #feed: ChangeFeed;
  readonly #listeners = new Set<Listener>();
  #closed = false;
  #order = 0;
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

  /** The number of the newest change that the reader has read: see `FeedChange.order`. */
  get order(): number {
    return this.#order;
  }

  /** Different interests of all followers. */
  get interests(): number {
    return this.#interests.size;
  }

  /**
   * Begins to follow. A position that history does not reach back to is told as a gap.
   * @throws StoreUnavailable where there is no telling what "now" is
   */
  async follow({ interests, from, wake, budget, ...bounds }: FollowOptions): Promise<Follower> {
    const leave = this.history.attend();
    try {
      const start = from ?? (await this.#feed.head());
      const owner = { wake, budget };
      const follower = new Follower(this.#gathering, interests, start, { ...BOUNDS, ...bounds }, owner);
      this.#followers.set(follower, leave);
      return follower;
    } catch (error) {
      leave();
      throw error;
    }
  }

  /**
   * Has the feed read, and somebody told of every change before any follower is offered it, until the function that is
   * answered is called. Resolves when the feed is read: what is committed from then on is told.
   * @throws Error where the hub is closed first
   */
  async tap(listener: Listener): Promise<() => void> {
    const leave = this.history.attend();
    this.#listeners.add(listener);
    const untap = () => {
      this.#listeners.delete(listener);
      leave();
    };
    while (this.history.position === undefined && !this.#closed) await this.history.progress();
    if (!this.#closed) return untap;
    untap();
    throw new Error("the feed is no longer followed");
  }

  /** Ends all who follow. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#listeners.clear();
    for (const follower of [...this.#followers.keys()]) follower.close();
    await this.history.close();
  }

  #take(change: FeedChange): Promise<void> {
    this.#order += 1;
    change.order = this.#order;
    for (const listener of this.#listeners) listener.take(change);
    return this.#tell(change);
  }

  /** Who joins meanwhile has the change from the ring. */
  async #tell(change: FeedChange): Promise<void> {
    let told = 0;
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
    for (const listener of this.#listeners) listener.lost();
    for (const follower of this.#followers.keys()) if (follower.isLive) follower.lose("expired", to);
  }

  #left(follower: Follower): void {
    this.#open.delete(follower);
    this.#followers.get(follower)?.();
    this.#followers.delete(follower);
  }
}
