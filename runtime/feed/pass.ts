import { setImmediate as turn } from "node:timers/promises";
import { HistoryExpired } from "../store/contract/errors.ts";
import type { ChangeFeed } from "../store/contract/feed.ts";
import type { Stretch } from "../store/ring.ts";
import { Pace } from "../turns.ts";
import type { FeedChange } from "./change.ts";
import type { Catching, Follower } from "./follower.ts";
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
  readonly #telling = new Telling();
  /** Each entered before any change with a higher number. */
  readonly #active = new Map<Follower, number>();
  /** Not met yet, the next one last; by the changes at which they are. */
  #ahead: Follower[] = [];
  readonly #after = new Map<string, Set<Follower>>();
  readonly #before = new Map<string, Set<Follower>>();
  /** Changes that were told. */
  #met = 0;
  #farthest = Number.POSITIVE_INFINITY;
  #position = "";
  #order = "";
  /** The change that was told, or passed, last. */
  #last: string | undefined;
  /** The end of the newest commit, and the number of its last change. */
  #whole = { position: "", at: 0 };
  readonly #pace = new Pace(MILLISECONDS);

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
      for (const follower of this.#ahead.splice(0))
        if (this.#isAhead(follower)) this.#ways.later(follower, "waiting");
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
    this.#unmeet(follower);
  }

  /** Whether somebody is in it; begins anew further on where nobody is but some are ahead. */
  #find(): boolean {
    this.#takeUp();
    if (this.#active.size > 0) return true;
    for (let next = this.#ahead.pop(); next !== undefined; next = this.#ahead.pop()) {
      const { catching } = next;
      if (catching === undefined || !this.#isAhead(next)) continue;
      this.#position = catching.position;
      this.#order = catching.order ?? "";
      this.#enter(next, catching);
      this.#meet(this.#after, catching.position);
      return true;
    }
    return false;
  }

  /** Those who have come meanwhile. */
  #takeUp(): void {
    const followers = this.#ways.come(this.#order, this.#position);
    if (followers.length === 0) return;
    for (const follower of followers) {
      const { position, next } = follower.catching ?? {};
      if (position === undefined) continue;
      const [at, key] = next === undefined ? [this.#after, position] : [this.#before, next];
      const those = at.get(key);
      if (those === undefined) at.set(key, new Set([follower]));
      else those.add(follower);
      this.#ahead.push(follower);
    }
    const orderOf = ({ catching }: Follower) => catching?.order ?? "";
    this.#ahead.sort((a, b) => (orderOf(a) < orderOf(b) ? 1 : orderOf(a) > orderOf(b) ? -1 : 0));
    if (this.#active.size > 0) this.#meet(this.#after, this.#position);
  }

  #isAhead(follower: Follower): boolean {
    const { position, next } = follower.catching ?? {};
    return (
      this.#after.get(position ?? "")?.has(follower) === true ||
      this.#before.get(next ?? "")?.has(follower) === true
    );
  }

  #unmeet(follower: Follower): void {
    const { position = "", next = "" } = follower.catching ?? {};
    for (const [at, key] of [
      [this.#after, position],
      [this.#before, next],
    ] as const) {
      const those = at.get(key);
      if (those?.delete(follower) === true && those.size === 0) at.delete(key);
    }
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
    for (const change of stretch.items) await this.#tell(change);
    this.#position = stretch.position;
    const order = this.#feed.order(stretch.position) ?? "";
    if (order > this.#order) this.#order = order;
    await this.#pace.spend();
  }

  /** What comes next of what is not at hand; undefined where there is nothing to be read now. @throws HistoryExpired */
  async #older(): Promise<Stretch<FeedChange> | undefined> {
    const { ring, position: whole } = this.#history;
    const { items } = await this.#history.after(this.#position, BYTES);
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

  async #tell(change: FeedChange): Promise<void> {
    const order = this.#feed.order(change.position) ?? "";
    if (order > this.#order) this.#pass(order);
    this.#meet(this.#before, change.position);
    if (this.#active.size > 0) {
      this.#met += 1;
      if (this.#met > this.#farthest) this.#leaveBehind();
      await this.#telling.tell(change, this.#offer);
      if (change.isLast) this.#whole = { position: change.position, at: this.#met };
    }
    this.#position = change.position;
    this.#last = change.position;
    this.#order = order;
    this.#meet(this.#after, change.position);
    await this.#pace.spend();
  }

  /** Those whose positions are none of changes and come before this: they are here, unless they are near the last one. */
  #pass(order: string): void {
    for (let next = this.#ahead.at(-1); next !== undefined; next = this.#ahead.at(-1)) {
      const { catching } = next;
      if (catching !== undefined && this.#isAhead(next)) {
        if ((catching.order ?? "") >= order) return;
        if (catching.order === this.#order || catching.next !== undefined) {
          this.#unmeet(next);
          this.#ways.later(next, "unsure");
        } else this.#enter(next, catching);
      }
      this.#ahead.pop();
    }
  }

  #meet(at: Map<string, Set<Follower>>, position: string): void {
    for (const follower of [...(at.get(position) ?? [])])
      if (follower.catching !== undefined) this.#enter(follower, follower.catching);
  }

  #enter(follower: Follower, catching: Catching): void {
    this.#unmeet(follower);
    this.#active.set(follower, this.#met);
    this.#farthest = Math.min(this.#farthest, this.#met + catching.left);
    this.#telling.enter(follower);
  }

  readonly #offer = (follower: Follower, delivery: Delivery): boolean => {
    if (follower.queue.hasRoom(delivery)) {
      follower.queue.offer(delivery);
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
      joined += 1;
      if (joined === JOINING) return;
    }
  }
}
