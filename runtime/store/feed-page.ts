import { type Change, type ChangePage, FEED_BYTES } from "./contract/feed.ts";

/** What one reading of a feed answers: as many changes as are asked for, and as there is room for. */
export class FeedPage {
  readonly changes: Change[] = [];
  readonly #limit: number;
  readonly #most: number;
  #bytes = 0;

  constructor(limit: number, bytes = FEED_BYTES) {
    this.#limit = limit;
    this.#most = bytes;
  }

  get isFull(): boolean {
    return this.changes.length >= this.#limit || this.#bytes > this.#most;
  }

  /** Those that there is room for; the last may be longer than the rest of it. */
  add(changes: Iterable<Change>): void {
    if (this.isFull) return;
    for (const change of changes) {
      this.changes.push(change);
      this.#bytes += bytesOf(change);
      if (this.isFull) return;
    }
  }

  /** @param position where to go on where there is nothing */
  from(position: string): ChangePage {
    return { changes: this.changes, position: this.changes.at(-1)?.position ?? position };
  }
}

/** Of the documents' texts. */
export function bytesOf(change: Change): number {
  if (change.recorded === "ids") return 0;
  const { before, after } = change;
  const ofBefore = before === undefined || before === "unknown" ? 0 : Buffer.byteLength(before.text);
  return ofBefore + (after === undefined ? 0 : Buffer.byteLength(after.text));
}
