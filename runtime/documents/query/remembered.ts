import { kept, Recent } from "../../kept.ts";
import type { QueryFields } from "./fields.ts";

/** A longer text is not asked again. */
const memorable = 1024;

/**
 * What was read of texts in the name of callers who see everything. Clients ask the same again and again, and what depends
 * on a filter or an order alone (statements, how cursors are made) is kept with it, as long as it is the same one.
 */
export class Remembered<T> {
  readonly #most: number;
  readonly #byFields = new WeakMap<QueryFields, Recent<string, T>>();

  /** @param most texts for each collection */
  constructor(most: number) {
    this.#most = most;
  }

  get(fields: QueryFields, text: string): T | undefined {
    return this.#byFields.get(fields)?.get(text);
  }

  /** Keeps it where it is the same for every caller with these fields. */
  set(fields: QueryFields, text: string, value: T): void {
    if (!fields.everything || text.length > memorable) return;
    kept(this.#byFields, fields, () => new Recent<string, T>(this.#most)).set(text, value);
  }
}
