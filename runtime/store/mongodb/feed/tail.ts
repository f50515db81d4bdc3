import type { Change } from "../../contract/feed.ts";
import { charactersOf, FeedPage } from "../../feed-page.ts";

/** How much of the newest history is kept at hand. */
export interface TailBounds {
  readonly changes: number;
  /** Of the documents' text. */
  readonly characters: number;
}

const BOUNDS: TailBounds = { changes: 10_000, characters: 16 * 1024 * 1024 };

interface Entry {
  readonly position: string;
  /** Absent at positions after which something comes, but nothing came. */
  readonly change?: Change;
  readonly characters: number;
}

/**
 * The newest changes, without a gap. Positions are only looked up, never compared: readers hold those that they were
 * given.
 */
export class Tail {
  readonly #bounds: TailBounds;
  /** The first is only where the others begin: what came with it is not answered. */
  #entries: Entry[] = [];
  #places = new Map<string, number>();
  /** Entries forgotten, so that places stay as they are. */
  #forgotten = 0;
  #characters = 0;

  constructor(bounds: TailBounds = BOUNDS) {
    this.#bounds = bounds;
  }

  /** Forgets everything; what comes is after this position. */
  begin(position: string): void {
    this.clear();
    this.mark(position);
  }

  clear(): void {
    this.#entries = [];
    this.#places.clear();
    this.#characters = 0;
    this.#forgotten = 0;
  }

  /** The newest position; undefined before the beginning. */
  get last(): string | undefined {
    return this.#entries.at(-1)?.position;
  }

  has(position: string): boolean {
    return this.#places.has(position);
  }

  add(changes: readonly Change[]): void {
    for (const change of changes) {
      // The one with which the tail begins.
      if (this.has(change.position)) continue;
      this.#push({ position: change.position, change, characters: charactersOf(change) });
    }
    this.#forget();
  }

  /** A later position, up to which nothing came after the last change. */
  mark(position: string): void {
    if (!this.has(position)) this.#push({ position, characters: 0 });
    this.#forget();
  }

  /** A page of changes after a position, at most `limit`; undefined where the tail does not reach back to it. */
  after(position: string, limit: number): readonly Change[] | undefined {
    const place = this.#places.get(position);
    if (place === undefined) return undefined;
    const page = new FeedPage(limit);
    for (let at = place + 1 - this.#forgotten; at < this.#entries.length && !page.isFull; at++) {
      const change = this.#entries[at]?.change;
      if (change !== undefined) page.add([change]);
    }
    return page.changes;
  }

  #push(entry: Entry): void {
    this.#places.set(entry.position, this.#forgotten + this.#entries.length);
    this.#entries.push(entry);
    this.#characters += entry.characters;
  }

  /** Where there is too much, down to three quarters, so that not every change moves all the others. */
  #forget(): void {
    const { changes, characters } = this.#bounds;
    if (this.#entries.length <= changes && this.#characters <= characters) return;
    let count = 0;
    let left = this.#characters;
    // The newest change is always kept.
    while (count < this.#entries.length - 2) {
      if (this.#entries.length - count <= 0.75 * changes && left <= 0.75 * characters) break;
      left -= this.#entries[count]?.characters ?? 0;
      count += 1;
    }
    for (const { position } of this.#entries.splice(0, count)) this.#places.delete(position);
    this.#forgotten += count;
    this.#characters = left;
    this.#letFirstGo();
  }

  #letFirstGo(): void {
    const [first] = this.#entries;
    if (first === undefined) return;
    this.#entries[0] = { position: first.position, characters: 0 };
    this.#characters -= first.characters;
  }
}
