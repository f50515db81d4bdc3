import type { FeedChange, FeedDocumentChange } from "./change.ts";
import { type Interest, type Relation, relationOf } from "./interests.ts";

/** A change, and what it is to those interests of a follower that it concerns, by the names that the follower gave them. */
export interface Delivery {
  readonly change: FeedDocumentChange;
  readonly concerns: readonly Concerned[];
}

export interface Concerned extends Relation {
  readonly key: string;
}

/** Undefined where the change concerns none of the interests. */
export function deliveryOf(
  interests: ReadonlyMap<string, Interest>,
  change: FeedChange,
): Delivery | undefined {
  if (change.recorded === "ids") return undefined;
  const concerns: Concerned[] = [];
  for (const [key, interest] of interests) {
    const relation = relationOf(interest, change);
    if (relation !== undefined) concerns.push({ key, ...relation });
  }
  return concerns.length === 0 ? undefined : { change, concerns };
}

/** What a follower gets, one after another. */
export type FeedEvent =
  /** All changes of one commit that concern it. */
  | { readonly kind: "commit"; readonly deliveries: readonly Delivery[]; readonly position: string }
  /**
   * Changes from one position up to another it does not get: history does not reach back (`expired`), there are too many
   * (`far`), or it was too slow. What comes after `to` follows.
   */
  | { readonly kind: "gap"; readonly why: Gap; readonly from: string; readonly to: string };

export type Gap = "expired" | "far" | "slow";

type Queued = { readonly event: FeedEvent; readonly bytes: number };

/**
 * What a follower has yet to take, bounded in bytes. Where there is no room it is given up in favour of a gap. One change
 * that is larger than all of it has room where there is nothing else.
 */
export class Queue {
  readonly #most: number;
  #events: Queued[] = [];
  /** Of the commit that has not come to its end. */
  #staged: Delivery[] = [];
  #bytes = 0;
  /** A commit of which something is in a gap: the rest of it goes there, too. */
  #skipped: string | undefined;
  /** Up to where the follower has been told everything. */
  #told: string;
  /** Up to where everything is told or queued. */
  #reached: string;
  #waiting: (() => void)[] = [];
  #ended = false;

  constructor(from: string, most: number) {
    this.#told = from;
    this.#reached = from;
    this.#most = most;
  }

  /** Of what is held for the follower. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether nothing is held, and nothing is to be told. */
  get isEmpty(): boolean {
    return this.#events.length === 0 && this.#staged.length === 0 && this.#skipped === undefined;
  }

  /** A position from which a later follower misses nothing that this one has not taken. */
  get position(): string {
    return this.#events.length === 0 ? this.#reached : this.#told;
  }

  /** Adds a change that concerns the follower. */
  offer(delivery: Delivery): void {
    const { bytes, commit } = delivery.change;
    if (this.#ended || this.#skipped === commit) return;
    if (!this.#fits(bytes)) {
      // What there is goes at once; the gap is told where the commit ends.
      this.#skipped = commit;
      this.#giveUp();
      return;
    }
    this.#bytes += bytes;
    this.#staged.push(delivery);
  }

  /** A commit ends here, of which everything was offered that concerns the follower. */
  reach(position: string): void {
    if (this.#ended) return;
    if (this.#skipped !== undefined) {
      this.gap("slow", position);
      return;
    }
    this.#reached = position;
    if (this.#staged.length === 0) return;
    const bytes = this.#staged.reduce((sum, { change }) => sum + change.bytes, 0);
    this.#add({ event: { kind: "commit", deliveries: this.#staged, position }, bytes });
    this.#staged = [];
  }

  /** Gives up what was not taken: after it comes what comes after `to`, where a commit ends. */
  gap(why: Gap, to: string): void {
    if (this.#ended) return;
    // What was told of an earlier gap stays true.
    const [first] = this.#events;
    const reason = first?.event.kind === "gap" ? first.event.why : why;
    this.#giveUp();
    this.#skipped = undefined;
    this.#reached = to;
    this.#add({ event: { kind: "gap", why: reason, from: this.#told, to }, bytes: 0 });
  }

  /** The next event, once there is one; undefined at the end. */
  listener: () => void = () => undefined;
  async next(): Promise<FeedEvent | undefined> {
    while (this.#events.length === 0 && !this.#ended) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    return this.poll();
  }
  poll(): FeedEvent | undefined {
    const next = this.#events.shift();
    if (next === undefined) return undefined;
    this.#bytes -= next.bytes;
    this.#told = next.event.kind === "gap" ? next.event.to : next.event.position;
    this.#wake();
    return next.event;
  }

  /** Whether so many bytes more would be no reason to give up. */
  hasRoom(bytes: number): boolean {
    return this.#fits(bytes) || this.#events.length === 0;
  }

  /** Resolves when {@link hasRoom}, or at the end. */
  async room(bytes: number): Promise<void> {
    while (!this.hasRoom(bytes) && !this.#ended) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  end(): void {
    this.#ended = true;
    this.#giveUp();
    this.#wake();
  }

  #fits(bytes: number): boolean {
    return this.#bytes === 0 || this.#bytes + bytes <= this.#most;
  }

  #giveUp(): void {
    this.#events = [];
    this.#staged = [];
    this.#bytes = 0;
    this.#reached = this.#told;
  }

  #add(queued: Queued): void {
    this.#events.push(queued);
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
    this.listener();
  }
}
