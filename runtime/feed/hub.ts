import { setTimeout as sleep } from "node:timers/promises";
import { backoff } from "../backoff.ts";
import type { ChangeFeed } from "../store/contract/feed.ts";
import type { Budget } from "./budget.ts";
import type { FeedChange } from "./change.ts";
import { Convoy } from "./convoy.ts";
import { Follower, type FollowerBounds, type Gathering } from "./follower.ts";
import { History, type HistoryOptions } from "./history.ts";
import type { Interest } from "./interests.ts";
import { Interner } from "./interner.ts";
import type { Delivery } from "./queue.ts";
import { Telling } from "./telling.ts";

export interface HubOptions extends Omit<HistoryOptions, "audience"> {
  /** Waits so many milliseconds for others who may come to catch up. */
  readonly gather?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
}

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

/**
 * A realm's changes for all who follow them in this instance: one reader of the store, none where nobody follows, and an
 * index by which a change meets only those whom it may concern. Nobody is waited for.
 */
export class Hub {
  readonly history: History;
  readonly #feed: ChangeFeed;
  readonly #interner = new Interner();
  /** Those who have caught up. */
  readonly #live = new Telling();
  readonly #convoy: Convoy;
  readonly #followers = new Set<Follower>();
  readonly #listeners = new Set<Listener>();
  readonly #gathering: Gathering;
  #isClosed = false;
  /** Followers, and those that are about to be, for whom the feed is read. */
  #attending = 0;
  #leave = () => {};

  constructor(options: HubOptions) {
    const { feed } = options;
    this.#feed = feed;
    this.history = new History({
      ...options,
      audience: { take: (change) => this.#take(change), lost: (_, to) => this.#lost(to) },
    });
    const { history } = this;
    const join = (follower: Follower) => this.#live.enter(follower);
    const { pause = backoff, gather = sleeping } = options;
    this.#convoy = new Convoy({ history, feed, join, pause, gather });
    this.#gathering = {
      interner: this.#interner,
      get position() {
        return history.position;
      },
      order: (position) => feed.order(position),
      taken: (follower) => this.#convoy.taken(follower),
      left: (follower) => this.#left(follower),
    };
  }

  /** Different interests of all followers. */
  get interests(): number {
    return this.#interner.size;
  }

  /**
   * Begins to follow. A position that history does not reach back to is told as a gap.
   * @throws StoreUnavailable where there is no telling what "now" is
   */
  async follow({ interests, from, wake, budget, ...bounds }: FollowOptions): Promise<Follower> {
    this.#attend();
    try {
      const start = from ?? (await this.#feed.head());
      const own = Object.keys(bounds).length === 0 ? BOUNDS : { ...BOUNDS, ...bounds };
      const follower = new Follower(this.#gathering, interests, start, own, { wake, budget });
      this.#followers.add(follower);
      this.#convoy.add(follower, start);
      return follower;
    } catch (error) {
      this.#attendNoMore();
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
    // Whoever taps again before they have left the first time goes on being told when they do.
    const tapped: Listener = { take: (change) => listener.take(change), lost: () => listener.lost() };
    this.#listeners.add(tapped);
    const untap = () => {
      this.#listeners.delete(tapped);
      leave();
    };
    while (this.history.position === undefined && !this.#isClosed) await this.history.progress();
    if (!this.#isClosed) return untap;
    untap();
    throw new Error("the feed is no longer followed");
  }

  /** Ends all who follow. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#listeners.clear();
    for (const follower of [...this.#followers]) follower.close();
    this.#convoy.close();
    await this.history.close();
  }

  #attend(): void {
    this.#attending += 1;
    if (this.#attending === 1) this.#leave = this.history.attend();
  }

  #attendNoMore(): void {
    this.#attending -= 1;
    if (this.#attending === 0) this.#leave();
  }

  /** Who joins meanwhile has the change from the ring. */
  #take(change: FeedChange): Promise<void> | undefined {
    for (const listener of this.#listeners) listener.take(change);
    return this.#live.tell(change, offer);
  }

  #lost(to: string): void {
    this.#live.break();
    for (const listener of this.#listeners) listener.lost();
    for (const follower of this.#followers) if (follower.isLive) follower.queue.gap("expired", to);
  }

  #left(follower: Follower): void {
    this.#live.leave(follower);
    this.#convoy.remove(follower);
    if (this.#followers.delete(follower)) this.#attendNoMore();
  }
}

const sleeping = (milliseconds: number, signal: AbortSignal) => sleep(milliseconds, undefined, { signal });

function offer(follower: Follower, delivery: Delivery): boolean {
  follower.queue.offer(delivery);
  return true;
}
