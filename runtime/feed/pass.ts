import { setImmediate as turn } from "node:timers/promises";
import { HistoryExpired } from "../store/contract/errors.ts";
import type { ChangeFeed } from "../store/contract/feed.ts";
import type { Stretch } from "../store/ring.ts";
import { Pace } from "../turns.ts";
import { Ahead, type Met } from "./ahead.ts";
import type { FeedChange } from "./change.ts";
import type { Follower } from "./follower.ts";
import type { History } from "./history.ts";
import type { Delivery, Gap } from "./queue.ts";
import { Telling } from "./telling.ts";

/** What becomes of those who are in a pass no more. */
export interface Ways {
  /** It has met everything. At once it is told of what comes. */
  join(follower: Follower): void;
  /** It was given up: it goes on elsewhere. */
  skip(follower: Follower, why: Gap): void;
  /** It goes on in a later pass: when it has taken more, when its position is known better, or when there is more to read. */
  later(follower: Follower, why: "full" | "unsure" | "waiting"): void;
  /** Those who have come meanwhile and are further than this, or at this position. */
  come(order: string, position: string): readonly Follower[];
}

/** Changes that are looked up at once, and milliseconds of a turn of the event loop that a pass takes. */
const SLICE = 500;
const BYTES = 4 * 2 ** 20;
const MILLISECONDS = 5;
/** Followers that begin to take something in one turn. */
const WOKEN = 250;
/** Followers that join the others in one turn. */
const JOINING = 1_000;

/**
 * One way through the history, from the furthest back of those who catch up, for all of them: each is met at its position
 * and told from there on. Who has no room drops out, so that it holds up nobody.
 */
export class Pass {
  readonly #history: History;
  readonly #feed: Pick<ChangeFeed, "order">;
  readonly #ways: Ways;
  readonly #telling = new Telling(new Pace(MILLISECONDS));
  /** Each entered before any change with a higher number. */
  readonly #active = new Map<Follower, number>();
  readonly #ahead = new Ahead();
  /** Changes that were told. */
  #met = 0;
  #farthest = Number.POSITIVE_INFINITY;
  #position = "";
  #order = "";
  /** The change that was told, or passed, last. */
  #last: string | undefined;
  /** The end of the newest commit, and the number of its last change. */
  #whole = { position: "", at: 0 };
  readonly #pace = new Pace(MILLISECONDS, WOKEN);
  /** Those who have something to take: all that a stretch has for them at once, unless that is a lot. */
  readonly #told = new Set<Follower>();
  /** Some of them have begun to take it. */
  #haveWoken = false;

  constructor(history: History, feed: Pick<ChangeFeed, "order">, ways: Ways) {
    this.#history = history;
    this.#feed = feed;
    this.#ways = ways;
  }

  /** Resolves when nobody is in it any more. @throws what reading throws; those who were in it go on later */
  async run(): Promise<void> {
    try {
      while (this.#find()) await this.#step();
    } finally {
      for (const follower of [...this.#active.keys()]) this.#out(follower, "waiting");
      for (let next = this.#ahead.first(); next !== undefined; next = this.#ahead.first())
        this.#leave(next[0], "waiting");
    }
  }

  /** Up to where somebody in it was told everything; undefined where that is where it came from. */
  reached(follower: Follower): string | undefined {
    const since = this.#active.get(follower);
    return since !== undefined && this.#whole.at > since ? this.#whole.position : undefined;
  }

  /** It has ended, or catches up no more. */
  remove(follower: Follower): void {
    this.#telling.leave(follower);
    this.#active.delete(follower);
    this.#ahead.delete(follower);
    this.#told.delete(follower);
  }

  /** Whether somebody is in it; begins anew further on where nobody is but some are ahead. */
  #find(): boolean {
    this.#takeUp();
    if (this.#active.size > 0) return true;
    const next = this.#ahead.first();
    if (next === undefined) return false;
    const [, { position, order }] = next;
    this.#position = position;
    this.#order = order ?? "";
    this.#enter(next);
    this.#meet(this.#ahead.after(position));
    return true;
  }

  /** Those who have come meanwhile. */
  #takeUp(): void {
    this.#ahead.add(this.#ways.come(this.#order, this.#position));
    if (this.#active.size > 0) this.#meet(this.#ahead.after(this.#position));
  }

  async #step(): Promise<void> {
    const { ring } = this.#history;
    const atHand = ring.after(this.#position, SLICE, BYTES);
    if (atHand?.isEnd === true && atHand.items.length === 0) {
      // From the look into the ring up to there nobody else runs.
      this.#join();
      if (this.#active.size > 0) await turn();
      return;
    }
    const read = atHand === undefined ? this.#older() : Promise.resolve(atHand);
    const stretch = await read.catch((error: unknown) => {
      if (error instanceof HistoryExpired) return "expired" as const;
      throw error;
    });
    if (stretch === "expired") {
      for (const follower of [...this.#active.keys()]) this.#skip(follower, "expired");
      return;
    }
    if (stretch === undefined) {
      for (const follower of [...this.#active.keys()]) this.#out(follower, "waiting");
      return;
    }
    this.#takeUp();
    for (const change of stretch.items) {
      const order = this.#feed.order(change.position) ?? "";
      if (order > this.#order) this.#pass(order);
      // Most changes concern nobody.
      const telling = this.#tell(change);
      if (telling !== undefined || this.#haveWoken) await telling;
      this.#haveWoken = false;
      this.#passed(change, order);
      const later = this.#pace.spend();
      if (later !== undefined) await later;
    }
    this.#position = stretch.position;
    const order = this.#feed.order(stretch.position) ?? "";
    if (order > this.#order) this.#order = order;
    for (const follower of this.#told) {
      if (!follower.queue.isOpen) this.#told.delete(follower);
      follower.queue.flush();
      await this.#pace.spend(1);
    }
  }

  /** What comes next of what is not at hand; undefined where there is nothing to be read now. @throws HistoryExpired */
  async #older(): Promise<Stretch<FeedChange> | undefined> {
    const { ring, position: whole } = this.#history;
    const items = await this.#history.past(this.#position);
    // Whoever hears of changes first has heard of these then.
    const last = items.at(-1);
    const isBehind = last !== undefined && this.#isBeforeReader(last.position);
    if (!isBehind && !items.some((change) => ring.has(change.position)) && !(await this.#history.metAll()))
      return undefined;
    // It has met where this is meanwhile.
    if (ring.has(this.#position)) return { items: [], position: this.#position, isEnd: false };
    const at = items.findIndex((change) => ring.has(change.position));
    const found = items[at];
    if (found !== undefined) {
      // From there on the ring has them: what everybody shares.
      const before = ring.before(found.position);
      return before === undefined
        ? { items: items.slice(0, at + 1), position: found.position, isEnd: false }
        : { items: items.slice(0, at), position: before, isEnd: false };
    }
    // Where a reading ends may be after all that everybody is told of: there nobody could join them.
    if (last !== undefined) return { items, position: last.position, isEnd: false };
    // There is nothing after the position that the reader had not met when this was read.
    if (whole === undefined || !ring.has(whole)) return undefined;
    const order = this.#feed.order(whole) ?? "";
    // Of changes that are near each other it is not known which comes first.
    const isPast = this.#order < order || (this.#order === order && this.#position !== this.#last);
    return isPast ? { items, position: whole, isEnd: false } : undefined;
  }

  #isBeforeReader(position: string): boolean {
    const { last } = this.#history.ring;
    return last !== undefined && (this.#feed.order(position) ?? "") < (this.#feed.order(last) ?? "");
  }

  /** Those who are in it then, at once where that is little. */
  #tell(change: FeedChange): Promise<void> | undefined {
    this.#meet(this.#ahead.before(change.position));
    if (this.#active.size === 0) return undefined;
    this.#met += 1;
    if (this.#met > this.#farthest) this.#leaveBehind();
    return this.#telling.tell(change, this.#offer);
  }

  #passed({ position, isLast }: FeedChange, order: string): void {
    if (isLast) this.#whole = { position, at: this.#met };
    this.#position = position;
    this.#order = order;
    this.#last = position;
    this.#meet(this.#ahead.after(position));
  }

  /** Those whose positions are none of changes and come before this: they are here, unless they are near the last one. */
  #pass(order: string): void {
    for (let next = this.#ahead.first(order); next !== undefined; next = this.#ahead.first(order)) {
      const [follower, catching] = next;
      if (catching.order === this.#order || catching.next !== undefined) this.#leave(follower, "unsure");
      else this.#enter(next);
    }
  }

  #meet(met: readonly Met[]): void {
    for (const each of met) this.#enter(each);
  }

  #enter([follower, { left }]: Met): void {
    this.#ahead.delete(follower);
    this.#active.set(follower, this.#met);
    this.#farthest = Math.min(this.#farthest, this.#met + left);
    this.#telling.enter(follower);
    follower.queue.hold();
  }

  /** One that was not met. */
  #leave(follower: Follower, why: "unsure" | "waiting"): void {
    this.#ahead.delete(follower);
    this.#ways.later(follower, why);
  }

  readonly #offer = (follower: Follower, delivery: Delivery): boolean => {
    const { queue } = follower;
    if (queue.hasRoom(delivery)) {
      queue.offer(delivery);
      this.#told.add(follower);
      if (!queue.isHalfEmpty) {
        queue.flush();
        this.#haveWoken = true;
      }
      return true;
    }
    // The change under way it has not had.
    this.#met -= 1;
    this.#out(follower, "full");
    this.#met += 1;
    return false;
  };

  #out(follower: Follower, why: "full" | "waiting"): void {
    this.#settle(follower);
    this.#ways.later(follower, why);
    follower.queue.release();
  }

  /** It has come so far. */
  #settle(follower: Follower): void {
    const since = this.#active.get(follower);
    const { catching } = follower;
    this.remove(follower);
    if (since === undefined || catching === undefined || this.#met === since) return;
    catching.left -= this.#met - since;
    catching.position = this.#position;
    catching.order = this.#order;
    catching.next = undefined;
  }

  #skip(follower: Follower, why: Gap): void {
    this.remove(follower);
    this.#ways.skip(follower, why);
    follower.queue.release();
  }

  #leaveBehind(): void {
    this.#farthest = Number.POSITIVE_INFINITY;
    for (const [follower, since] of [...this.#active]) {
      const most = since + (follower.catching?.left ?? 0);
      if (most < this.#met) this.#skip(follower, "far");
      else this.#farthest = Math.min(this.#farthest, most);
    }
  }

  #join(): void {
    let joined = 0;
    for (const follower of this.#active.keys()) {
      this.remove(follower);
      this.#ways.join(follower);
      follower.queue.release();
      joined += 1;
      if (joined === JOINING) return;
    }
  }
}
