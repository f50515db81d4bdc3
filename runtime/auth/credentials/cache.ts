import type { DocumentReader, StoredDocument } from "../../store/contract.ts";

/** The part of a store that a cache reads. */
export interface RecordSource {
  revision(collection: string): number | undefined;
  collection(name: string): DocumentReader;
}

/** What a cache may hold: records, and characters of their JSON in all. */
export interface CacheLimits {
  readonly records: number;
  readonly characters: number;
}

const defaultLimits: CacheLimits = { records: 10_000, characters: 16_777_216 };

/**
 * Records of one collection by id, kept exactly as long as the collection's revision stands, so that whatever is
 * changed, by whomever, is seen by the very next request. Where the engine knows no revisions, nothing is kept.
 *
 * Bounded by two generations: what is used moves into the young one; when that is full it becomes the old one, and
 * what was in the old one is forgotten.
 */
export class RecordCache<T> {
  readonly #store: RecordSource;
  readonly #collection: string;
  readonly #parse: (document: StoredDocument) => T;
  readonly #limits: CacheLimits;
  #revision: number | undefined;
  #young = new Map<string, Entry<T>>();
  #old = new Map<string, Entry<T>>();
  #characters = 0;

  constructor(
    store: RecordSource,
    collection: string,
    parse: (document: StoredDocument) => T,
    limits: CacheLimits = defaultLimits,
  ) {
    this.#store = store;
    this.#collection = collection;
    this.#parse = parse;
    this.#limits = limits;
  }

  /** The record if it is in memory and the collection has not changed since it was read. */
  peek(id: string): T | undefined {
    const revision = this.#store.revision(this.#collection);
    if (revision !== this.#revision || revision === undefined) {
      this.#forget(revision);
      return undefined;
    }
    const young = this.#young.get(id);
    if (young !== undefined) return young.value;
    const old = this.#old.get(id);
    if (old === undefined) return undefined;
    this.#keep(id, old);
    return old.value;
  }

  /** The live record, from the store. */
  async load(id: string): Promise<T | undefined> {
    // Read before the record: a change in between leaves an entry that is already out of date, never a wrong one.
    const revision = this.#store.revision(this.#collection);
    const document = await this.#store.collection(this.#collection).get(id, "live");
    if (document === undefined) return undefined;
    const value = this.#parse(document);
    if (revision !== undefined && revision === this.#revision) {
      this.#keep(id, { value, characters: document.text.length });
    }
    return value;
  }

  #keep(id: string, entry: Entry<T>): void {
    if (this.#young.size >= this.#limits.records / 2 || this.#characters >= this.#limits.characters / 2) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#characters = 0;
    }
    this.#young.set(id, entry);
    this.#characters += entry.characters;
  }

  #forget(revision: number | undefined): void {
    this.#revision = revision;
    if (this.#young.size > 0) this.#young = new Map();
    if (this.#old.size > 0) this.#old = new Map();
    this.#characters = 0;
  }
}

interface Entry<T> {
  readonly value: T;
  readonly characters: number;
}
