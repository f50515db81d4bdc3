import type { Budget, Holder } from "./budget.ts";
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

/** Of what a follower has yet to take. */
export interface QueueBounds {
  /** As its events will be, about: documents' texts where there is one after the change, and a little for each. */
  readonly bytes: number;
  /** Changes, each as often as it has interests that it concerns. */
  readonly events: number;
}

export interface QueueOwner {
  /** Called when something was queued, and at the end; never throws. */
  readonly wake?: (() => void) | undefined;
  /** That what is held counts for. */
  readonly budget?: Budget | undefined;
}

/** Bytes that an event takes beside a document, and without one, about. */
const BESIDE = 100;
const WITHOUT = 150;

function weightOf({ change, concerns }: Delivery): number {
  let bytes = 0;
  for (const { after } of concerns) bytes += after ? change.afterBytes + BESIDE : WITHOUT;
  return bytes;
}

type Queued = { readonly event: FeedEvent; readonly bytes: number; readonly count: number };

/**
 * What a follower has yet to take, within bounds. Where there is no room it is given up in favour of a gap. One change that
 * is larger than all of it has room where there is nothing else.
 */
export class Queue implements Holder {
  place = -1;
  readonly #bounds: QueueBounds;
  readonly #owner: QueueOwner;
  /** Not made before there is something: most followers hold nothing. */
  #events: Queued[] | undefined;
  /** Of the commit that has not come to its end, with their bytes and how many concerns they have. */
  #staged: Delivery[] | undefined;
  #stagedBytes = 0;
  #stagedCount = 0;
  #bytes = 0;
  #count = 0;
  /** A commit of which something is in a gap: the rest of it goes there, too. */
  #skipped: string | undefined;
  /** Up to where the follower has been told everything. */
  #told: string;
  /** Up to where everything is told or queued. */
  #reached: string;
  #ended = false;
  /** Whether its owner is woken; `due`: as soon as it may be. */
  #wakes: "at once" | "later" | "due" = "at once";

  constructor(from: string, bounds: QueueBounds, owner: QueueOwner) {
    this.#told = from;
    this.#reached = from;
    this.#bounds = bounds;
    this.#owner = owner;
  }

  /** Of what is held for the follower. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether nothing is held, and nothing is to be told. */
  get isEmpty(): boolean {
    return this.#events === undefined && !this.isOpen;
  }

  /** Whether it waits for the end of a commit. */
  get isOpen(): boolean {
    return this.#staged !== undefined || this.#skipped !== undefined;
  }

  /** A position from which a later follower misses nothing that this one has not taken. */
  get position(): string {
    return this.#events === undefined ? this.#reached : this.#told;
  }

  /** Adds a change that concerns the follower. */
  offer(delivery: Delivery): void {
    const { commit } = delivery.change;
    if (this.#ended || this.#skipped === commit) return;
    const bytes = weightOf(delivery);
    const count = delivery.concerns.length;
    if (!this.#fits(bytes, count)) {
      // What there is goes at once; the gap is told where the commit ends.
      this.#skipped = commit;
      this.#letGo();
      return;
    }
    if (this.#staged === undefined) this.#staged = [delivery];
    else this.#staged.push(delivery);
    this.#stagedBytes += bytes;
    this.#stagedCount += count;
    this.#hold(bytes, count);
  }

  /** A commit ends here, of which everything was offered that concerns the follower. */
  reach(position: string): void {
    if (this.#ended) return;
    if (this.#skipped !== undefined) {
      this.gap("slow", position);
      return;
    }
    this.#reached = position;
    if (this.#staged === undefined) return;
    const event: FeedEvent = { kind: "commit", deliveries: this.#staged, position };
    const queued = { event, bytes: this.#stagedBytes, count: this.#stagedCount };
    this.#unstage();
    this.#add(queued);
  }

  /** Gives up what was not taken: after it comes what comes after `to`, where a commit ends. */
  gap(why: Gap, to: string): void {
    if (this.#ended) return;
    // What was told of an earlier gap stays true.
    const first = this.#events?.[0];
    const reason = first?.event.kind === "gap" ? first.event.why : why;
    this.#letGo();
    this.#skipped = undefined;
    this.#reached = to;
    this.#add({ event: { kind: "gap", why: reason, from: this.#told, to }, bytes: 0, count: 0 });
  }

  /** For the budget, which all followers together exceed. */
  giveUp(): void {
    const first = this.#staged?.[0];
    if (first === undefined) this.gap("slow", this.#reached);
    else {
      this.#skipped = first.change.commit;
      this.#letGo();
    }
  }

  poll(): FeedEvent | undefined {
    const next = this.#events?.shift();
    if (next === undefined) return undefined;
    if (this.#events?.length === 0) this.#events = undefined;
    this.#told = next.event.kind === "gap" ? next.event.to : next.event.position;
    this.#hold(-next.bytes, -next.count);
    return next.event;
  }

  /** Whether the change would be no reason to give up what is there to be taken. */
  hasRoom(delivery: Delivery): boolean {
    return this.#events === undefined || this.#fits(weightOf(delivery), delivery.concerns.length);
  }

  /** Whether there is room for as much again as is held. */
  get isHalfEmpty(): boolean {
    return this.#bytes * 2 <= this.#bounds.bytes && this.#count * 2 <= this.#bounds.events;
  }

  /** From now on the owner is woken by {@link flush} and {@link release} alone: what comes together is taken together. */
  hold(): void {
    if (this.#wakes === "at once") this.#wakes = "later";
  }

  /** Wakes the owner where something was queued meanwhile. */
  flush(): void {
    if (this.#wakes !== "due") return;
    this.#wakes = "later";
    this.#owner.wake?.();
  }

  /** The same; from now on the owner is woken at once. */
  release(): void {
    const isDue = this.#wakes === "due";
    this.#wakes = "at once";
    if (isDue) this.#owner.wake?.();
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#wakes = "at once";
    this.#letGo();
    this.#owner.wake?.();
  }

  #fits(bytes: number, count: number): boolean {
    if (this.#count === 0) return true;
    return this.#bytes + bytes <= this.#bounds.bytes && this.#count + count <= this.#bounds.events;
  }

  /** What is held becomes more, or less. */
  #hold(bytes: number, count: number): void {
    this.#bytes += bytes;
    this.#count += count;
    if (bytes !== 0) this.#owner.budget?.changed(this, bytes);
  }

  #letGo(): void {
    this.#events = undefined;
    this.#unstage();
    this.#reached = this.#told;
    this.#hold(-this.#bytes, -this.#count);
  }

  #unstage(): void {
    this.#staged = undefined;
    this.#stagedBytes = 0;
    this.#stagedCount = 0;
  }

  #add(queued: Queued): void {
    if (this.#events === undefined) this.#events = [queued];
    else this.#events.push(queued);
    if (this.#wakes === "at once") this.#owner.wake?.();
    else this.#wakes = "due";
  }
}
