import { type Change, FEED_CHARACTERS } from "./contract/feed.ts";

/** What one reading of a feed answers: as many changes as are asked for, and as there is room for. */
export class FeedPage {
  readonly changes: Change[] = [];
  readonly #limit: number;
  #characters = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isFull(): boolean {
    return this.changes.length >= this.#limit || this.#characters > FEED_CHARACTERS;
  }

  /** Those that there is room for; the last may be longer than the rest of it. */
  add(changes: Iterable<Change>): void {
    if (this.isFull) return;
    for (const change of changes) {
      this.changes.push(change);
      this.#characters += charactersOf(change);
      if (this.isFull) return;
    }
  }
}

export function charactersOf({ before, after }: Change): number {
  const ofBefore = before === undefined || before === "unknown" ? 0 : before.text.length;
  return ofBefore + (after?.text.length ?? 0);
}
