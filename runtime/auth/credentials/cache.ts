import { type Bounds, Generations } from "../../kept.ts";
import type { DocumentReader } from "../../store/contract/collection.ts";
import type { StoredDocument } from "../../store/contract/document.ts";

/** The part of a store that a cache reads. */
export interface RecordSource {
  revision(collection: string): number | undefined;
  collection(name: string): DocumentReader;
}

/** Weighed by the characters of their JSON. */
const defaultBounds: Bounds = { values: 10_000, weight: 16_777_216 };

/**
 * Records of one collection by id, kept exactly as long as the collection's revision stands, so that whatever is
 * changed, by whomever, is seen by the very next request. Where the engine knows no revisions, they are read every time,
 * and what was made of the same text is the same again.
 */
export class RecordCache<T> {
  readonly #store: RecordSource;
  readonly #collection: string;
  readonly #parse: (document: StoredDocument) => T;
  readonly #records: Generations<string, T>;
  /** What was made of documents that others read, with their texts. */
  readonly #made: Generations<string, { readonly text: string; readonly value: T }>;
  #revision: number | undefined;

  constructor(
    store: RecordSource,
    collection: string,
    parse: (document: StoredDocument) => T,
    bounds: Bounds = defaultBounds,
  ) {
    this.#store = store;
    this.#collection = collection;
    this.#parse = parse;
    this.#records = new Generations(bounds);
    this.#made = new Generations(bounds);
  }

  /** Whether anything can be kept: the engine tells what has changed. */
  get keeps(): boolean {
    return this.#store.revision(this.#collection) !== undefined;
  }

  /** The record if it is in memory and the collection has not changed since it was read. */
  peek(id: string): T | undefined {
    const revision = this.#store.revision(this.#collection);
    if (revision !== this.#revision || revision === undefined) {
      this.#revision = revision;
      this.#records.clear();
      return undefined;
    }
    return this.#records.get(id);
  }

  async load(id: string): Promise<T | undefined> {
    // Read before the record: a change in between leaves an entry that is already out of date, never a wrong one.
    const revision = this.#store.revision(this.#collection);
    const document = await this.#store.collection(this.#collection).get(id, "live");
    if (document === undefined) return undefined;
    if (revision === undefined) return this.of(document);
    const value = this.#parse(document);
    if (revision === this.#revision) {
      this.#records.set(id, value, document.text.length);
    }
    return value;
  }

  /** The record of a document that was read just now: the very same one as before where the text is. */
  of(document: StoredDocument): T {
    const { id, text } = document;
    const before = this.#made.get(id);
    if (before?.text === text) return before.value;
    const value = this.#parse(document);
    this.#made.set(id, { text, value }, text.length);
    return value;
  }
}
