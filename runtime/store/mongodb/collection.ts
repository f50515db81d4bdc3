import type { ClientSession, Collection } from "mongodb";
import { type Filter, TRUE } from "../../filter/algebra.ts";
import type { Aggregate, Group } from "../contract/aggregate.ts";
import type { Decide, Modification, StoreCollection } from "../contract/collection.ts";
import type { DocumentWrite, StoredDocument, Visibility } from "../contract/document.ts";
import type { Find, Lookup } from "../contract/query.ts";
import { modifyByVersion } from "../modify.ts";
import { formedDocument } from "./bson/json-text.ts";
import type { Engine, Provisioned } from "./engine.ts";
import { storeError } from "./errors.ts";
import { aggregateDocuments } from "./read/aggregate.ts";
import { countDocuments } from "./read/count.ts";
import { findDocuments, Lengths, lookupDocuments, shown } from "./read/pages.ts";
import { scanDocuments } from "./read/scan.ts";
import { chosen } from "./read/visibility.ts";
import type { Underway } from "./underway.ts";
import type { Stored } from "./write/codec.ts";
import type { Operations } from "./write/transactions.ts";
import { Writes } from "./write/writes.ts";

/** Reads see a state that a majority has, and come as the bytes that they are. */
const raw = { raw: true } as const;

export class MongoCollection implements StoreCollection {
  readonly provisioned: Provisioned;
  readonly #engine: Engine;
  readonly #documents: Collection;
  /** The same, of documents of ours. */
  readonly #stored: Collection<Stored>;
  readonly #writes: Writes;
  readonly #underway: Underway;
  readonly #lengths = new Lengths();

  constructor(engine: Engine, provisioned: Provisioned, underway: Underway) {
    this.#engine = engine;
    this.provisioned = provisioned;
    this.#documents = engine.database.collection(provisioned.shape.name);
    this.#stored = engine.database.collection(provisioned.shape.name);
    this.#writes = new Writes(engine, provisioned);
    this.#underway = underway;
  }

  get(id: string, visibility: Visibility, filter?: Filter): Promise<StoredDocument | undefined> {
    return this.#read(() => this.#get(id, visibility, filter));
  }

  find(query: Find): Promise<StoredDocument[]> {
    return this.#read(() =>
      findDocuments(this.#documents, this.provisioned, this.#engine, this.#lengths, query),
    );
  }

  count(filter: Filter, visibility: Visibility): Promise<number> {
    return this.#read(() =>
      countDocuments(this.#documents, this.provisioned, this.#engine, filter, visibility),
    );
  }

  lookup(lookup: Lookup): Promise<StoredDocument[]> {
    return this.#read(() =>
      lookupDocuments(this.#documents, this.provisioned, this.#engine, this.#lengths, lookup),
    );
  }

  aggregate(query: Aggregate): Promise<{ readonly groups: readonly Group[]; readonly hasMore: boolean }> {
    const aggregate = () => {
      const condition = chosen(this.provisioned, this.#engine.clock, query.filter, query.visibility);
      return aggregateDocuments(this.#documents, this.provisioned, this.#engine, query, condition);
    };
    // Every document that is chosen is looked at.
    return this.#read(() => this.#engine.expensive.run(aggregate));
  }

  insert(document: DocumentWrite): Promise<void> {
    return this.#underway.run(() => this.#writes.insert(document));
  }

  replace(expected: number, document: DocumentWrite): Promise<boolean> {
    return this.#underway.run(() => this.#writes.replace(expected, document));
  }

  remove(id: string, expected?: number): Promise<boolean> {
    return this.#underway.run(() => this.#writes.remove(id, expected));
  }

  modify<M extends Modification>(
    id: string,
    visibility: Visibility,
    decide: Decide<M>,
  ): Promise<M | undefined> {
    return modifyByVersion(this, id, visibility, decide);
  }

  removeExpired(limit: number): Promise<number> {
    return this.#underway.run(() => this.#writes.removeExpired(limit));
  }

  scan(after: string | undefined, limit: number, characters?: number): Promise<readonly DocumentWrite[]> {
    const { shape } = this.provisioned;
    return this.#read(() => scanDocuments(this.#stored, this.#engine, shape, after, limit, characters));
  }

  load(documents: readonly DocumentWrite[]): Promise<void> {
    return this.#underway.run(() => this.#writes.load(documents));
  }

  /** The operations of a transaction; they throw the driver's errors. */
  within(session: ClientSession): Operations {
    return {
      get: (id, visibility, filter) => this.#get(id, visibility, filter, session),
      insert: (document) => this.#writes.insert(document, session),
      claim: (document) => this.#writes.claim(document, session),
      insertAll: (documents) => this.#writes.insertAll(documents, session),
      replace: (expected, document) => this.#writes.replace(expected, document, session),
      remove: (id, expected) => this.#writes.remove(id, expected, session),
      replaceAll: (replacements) => this.#writes.replaceAll(replacements, session),
      removeAll: (documents) => this.#writes.removeAll(documents, session),
    };
  }

  async #get(
    id: string,
    visibility: Visibility,
    filter: Filter = TRUE,
    session?: ClientSession,
  ): Promise<StoredDocument | undefined> {
    const { clock, queryTime: maxTimeMS } = this.#engine;
    const condition = { _id: id, ...chosen(this.provisioned, clock, filter, visibility) };
    const options = { ...raw, ...shown(this.provisioned), maxTimeMS, ...(session && { session }) };
    const found = await this.#stored.findOne<Uint8Array>(condition, options);
    return found === null ? undefined : formedDocument(found, this.provisioned.shape);
  }

  async #read<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await this.#underway.run(read);
    } catch (error) {
      throw storeError(error);
    }
  }
}
