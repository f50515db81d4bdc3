/** How far imports have come, kept in the store that they write to: one that was killed goes on from there. */
import { type JsonObject, objectIn } from "../../json.ts";
import type { DocumentWrite } from "../../store/contract/document.ts";
import type { CollectionShape } from "../../store/contract/shape.ts";
import type { Store } from "../../store/contract/store.ts";
import type { Transaction } from "../../store/contract/transaction.ts";

/** `_svc.imports`: a record for each collection that an import is under way into. */
export const importShape: CollectionShape = { name: "_svc.imports", fields: {}, indexes: [], feed: false };

/**
 * The lease of who imports into a collection, and keeps a record of it.
 * @param collection as the store names it
 */
export function importLease(collection: string): string {
  return `import ${collection}`;
}

/** The record of one collection, for who has its lease. */
export class ImportRecord {
  readonly #store: Store;
  readonly #id: string;
  #version = 0;

  /** @param collection as the store names it */
  constructor(store: Store, collection: string) {
    this.#store = store;
    this.#id = collection;
  }

  /** Undefined where no import is under way. */
  async read(): Promise<JsonObject | undefined> {
    const found = await this.#store.collection(importShape.name).get(this.#id, "live");
    this.#version = found?.version ?? 0;
    return found && objectIn(found.text);
  }

  /**
   * Along with what else a transaction writes; {@link written} says afterwards that it is so.
   * @throws Error where another process has written it
   */
  async write(transaction: Transaction, members: JsonObject): Promise<void> {
    const records = transaction.collection(importShape.name);
    const next = this.#next(members);
    if (this.#version === 0) await records.insert(next);
    else if (!(await records.replace(this.#version, next)))
      throw new Error("another process imports into the same collection");
  }

  written(): void {
    this.#version += 1;
  }

  async remove(): Promise<void> {
    await this.#store.collection(importShape.name).remove(this.#id);
    this.#version = 0;
  }

  #next(members: JsonObject): DocumentWrite {
    const text = JSON.stringify({ ...members, id: this.#id });
    return { id: this.#id, version: this.#version + 1, text, createdAt: 0 };
  }
}
