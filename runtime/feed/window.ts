import { Ring } from "../store/ring.ts";
import type { Budget, Holder } from "./budget.ts";
import type { FeedChange } from "./change.ts";

/** Bytes that are kept at most. */
const MOST = 32 * 2 ** 20;
/** Milliseconds after which it is forgotten, unless more is added. */
const KEPT = 10_000;

/**
 * What those who catch up have read of the store, for those who come a little later: from where the furthest back of them
 * was, as far as there is room.
 */
export class Window implements Holder {
  place = -1;
  readonly #orderOf: (position: string) => string | undefined;
  readonly #budget: Budget | undefined;
  readonly #ring = new Ring<FeedChange>(
    { items: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY },
    ({ bytes }) => bytes,
  );
  #over: NodeJS.Timeout | undefined;

  /** @param budget that it counts for */
  constructor(orderOf: (position: string) => string | undefined, budget: Budget | undefined) {
    this.#orderOf = orderOf;
    this.#budget = budget;
  }

  /** Of what is kept. */
  get bytes(): number {
    return this.#ring.bytes;
  }

  /** As of a ring; undefined where nothing that comes after the position is kept. */
  after(position: string, limit: number, bytes: number): readonly FeedChange[] | undefined {
    const { items } = this.#ring.after(position, limit, bytes) ?? {};
    return items?.length === 0 ? undefined : items;
  }

  /** Keeps what comes after a position, where that goes on from what is kept, or begins before it. */
  add(position: string, items: readonly FeedChange[]): void {
    if (items.length === 0 || (position !== this.#ring.last && !this.#isBefore(position))) return;
    if (position !== this.#ring.last) {
      this.clear();
      this.#ring.begin(position);
    }
    const { bytes } = this;
    for (const item of items) {
      if (this.bytes + item.bytes > MOST) break;
      this.#ring.add([item]);
    }
    clearTimeout(this.#over);
    this.#over = setTimeout(() => this.clear(), KEPT).unref();
    this.#budget?.changed(this, this.bytes - bytes);
  }

  giveUp(): void {
    this.clear();
  }

  clear(): void {
    clearTimeout(this.#over);
    const { bytes } = this;
    this.#ring.clear();
    if (bytes > 0) this.#budget?.changed(this, -bytes);
  }

  #isBefore(position: string): boolean {
    const { first } = this.#ring;
    return first === undefined || (this.#orderOf(position) ?? "") < (this.#orderOf(first) ?? "");
  }
}
