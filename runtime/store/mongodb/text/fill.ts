import { setImmediate } from "node:timers/promises";
import {
  type AnyBulkWriteOperation,
  type Collection,
  type Document,
  MongoBulkWriteError,
  MongoServerError,
} from "mongodb";
import { documentFields } from "../../../filter/fields.ts";
import type { TextIndex } from "../../../filter/search/text-index.ts";
import {
  DocumentTooLarge,
  QueryTimeout,
  StoreBusy,
  StoreUnavailable,
  TransactionConflict,
} from "../../contract/errors.ts";
import type { Engine } from "../engine.ts";
import { storeError } from "../errors.ts";
import { analysisIndex, isForTexts, textIndexDefinition } from "../indexes.ts";
import { columns, own } from "../layout.ts";
import { analysisOf, type StemFields, stemFields } from "./search.ts";

/** Documents asked for at once, and written at once; and characters of stems after which a write is full. */
const ASKED = 1_000;
const WRITTEN = 100;
const FULL = 1 << 22;
/** Milliseconds for which the main thread is held. */
const PIECE = 4;
/** Documents left are counted up to here: beyond, it takes long in any case. */
const COUNTED = 1_000_000;

/** `IndexNotFound` */
const NO_SUCH_INDEX = 27;

interface Stored extends Document {
  readonly _id: string;
}

/**
 * What is done to a collection and its documents for a declaration of its text index, or, without one, when it has lost
 * it. All of it may be done by several instances at once, and again after one died amid it.
 */
export class TextFill {
  readonly #documents: Collection<Stored>;
  readonly #engine: Engine;
  readonly #index: TextIndex | undefined;
  /** Documents that are to be done. */
  readonly #stale: Document;
  readonly #projection: Document;

  constructor(engine: Engine, collection: string, index: TextIndex | undefined) {
    this.#documents = engine.database.collection(collection);
    this.#engine = engine;
    this.#index = index;
    this.#stale = { [own.analysis]: index === undefined ? { $gt: "" } : { $ne: analysisOf(index) } };
    this.#projection = index === undefined ? { _id: 1 } : projectionOf(index);
  }

  async isEmpty(): Promise<boolean> {
    return (await this.#documents.findOne({}, { projection: { _id: 1 }, ...this.#limit })) === null;
  }

  /** Documents that there are, about. */
  size(): Promise<number> {
    return this.#documents.estimatedDocumentCount(this.#limit);
  }

  /** Whether anything is to be done to indexes or documents. */
  async isNeeded(): Promise<boolean> {
    const wanted = this.#indexes.length;
    if ((await this.#existing()).filter(({ name }) => this.#isWanted(name)).length < wanted) return true;
    return (await this.#documents.findOne(this.#stale, { projection: { _id: 1 }, ...this.#limit })) !== null;
  }

  /** Documents that are to be done, about. */
  async count(): Promise<number> {
    try {
      return await this.#documents.countDocuments(this.#stale, { limit: COUNTED, ...this.#limit });
    } catch (error) {
      if (!(storeError(error) instanceof QueryTimeout)) throw error;
      return this.size();
    }
  }

  /** Makes the indexes. A collection has one for texts at most, so another has to go before. */
  async makeIndexes(): Promise<void> {
    const existing = await this.#existing();
    for (const { name = "" } of existing)
      if (!this.#isWanted(name) && name !== analysisIndex.name) await this.#drop(name);
    // Also of those that are there: the server lists them while they are being made, and answers when they are done.
    // May take as long as it takes: the server goes on with it even where nobody waits.
    // Members that are down do not hold it up: a majority has the indexes.
    const indexes = this.#indexes;
    if (indexes.length > 0) await this.#documents.createIndexes(indexes, { commitQuorum: "majority" });
  }

  /** Of a collection that has lost its text index, when its documents are done. */
  async dropIndexes(): Promise<void> {
    for (const { name = "" } of await this.#existing()) await this.#drop(name);
  }

  /**
   * Gives the documents their stems, or takes them away, some at a time; yields how many. What is written meanwhile by an
   * instance with this declaration has them, and what is written by one with another is left to a later time.
   */
  async *run(): AsyncGenerator<number, void, void> {
    for (;;) {
      let [found, done] = [0, 0];
      for await (const batch of this.#batches()) {
        done += await this.#write(batch);
        found += batch.length;
        yield batch.length;
      }
      if (found < ASKED || done === 0) return;
    }
  }

  get #limit(): { readonly maxTimeMS: number } {
    return { maxTimeMS: this.#engine.searchTime };
  }

  get #indexes() {
    return this.#index === undefined ? [] : [textIndexDefinition(this.#index), analysisIndex];
  }

  #isWanted(name: string | undefined): boolean {
    return this.#indexes.some((wanted) => wanted.name === name);
  }

  async #existing() {
    return (await this.#documents.indexes(this.#limit)).filter(isForTexts);
  }

  async #drop(name: string): Promise<void> {
    try {
      await this.#documents.dropIndex(name, this.#limit);
    } catch (error) {
      // Another instance was faster.
      if (!(error instanceof MongoServerError) || error.code !== NO_SUCH_INDEX) throw error;
    }
  }

  async *#batches(): AsyncGenerator<readonly Update[], void, void> {
    const options = { projection: this.#projection, limit: ASKED, batchSize: WRITTEN, ...this.#limit };
    let batch: Update[] = [];
    let characters = 0;
    let began = performance.now();
    for await (const document of this.#documents.find(this.#stale, options)) {
      const update = this.#updateOf(document);
      batch.push(update);
      characters += update.characters;
      if (batch.length === WRITTEN || characters >= FULL) {
        yield batch;
        batch = [];
        characters = 0;
        began = performance.now();
      } else if (performance.now() - began > PIECE) {
        await setImmediate();
        began = performance.now();
      }
    }
    if (batch.length > 0) yield batch;
  }

  #updateOf(document: Stored): Update {
    const { _id } = document;
    if (this.#index === undefined) return { filter: { _id }, update: changeOf({}), characters: 0 };
    const made = stemFields(this.#index, document);
    const strings = Object.values(made.unindexed ?? made.stems ?? {});
    return {
      // As it was read: whoever wrote it since has seen to its stems.
      filter: Object.fromEntries([columns.id, ...telling].map((path) => [path, valueAt(document, path)])),
      update: changeOf(made),
      characters: strings.reduce((sum, { length }) => sum + length, 0),
    };
  }

  /** Answers how many. */
  async #write(batch: readonly Update[]): Promise<number> {
    const operations = batch.map(({ filter, update }): AnyBulkWriteOperation<Stored> => {
      return { updateOne: { filter, update } };
    });
    try {
      return (await this.#documents.bulkWrite(operations, { ordered: false, ...this.#limit })).matchedCount;
    } catch (error) {
      if (!(error instanceof MongoBulkWriteError) && !(storeError(error) instanceof DocumentTooLarge))
        throw error;
      let done = 0;
      for (const update of batch) done += await this.#writeAlone(update);
      return done;
    }
  }

  /** Answers how many, one or none. A document that has no room for its stems is left without. */
  async #writeAlone({ filter, update }: Update): Promise<number> {
    const changes =
      this.#index === undefined ? [update] : [update, changeOf({ analysis: analysisOf(this.#index) })];
    for (const change of changes) {
      try {
        return (await this.#documents.updateOne(filter, change, this.#limit)).matchedCount;
      } catch (error) {
        const failure = storeError(error);
        if (passing.some((kind) => failure instanceof kind)) throw error;
        const { collectionName } = this.#documents;
        this.#engine.warn(error, `a document of ${collectionName} cannot be searched: ${filter._id}`);
      }
    }
    return 0;
  }
}

interface Update {
  readonly filter: Document;
  readonly update: Document;
  readonly characters: number;
}

/** What passes by itself. */
const passing = [StoreUnavailable, StoreBusy, QueryTimeout, TransactionConflict];

/** What tells a document from what it was before, or will be after, it is written. */
const telling = [columns.version, columns.createdAt, documentFields["_meta.updated_at"].path, own.analysis];

function changeOf({ analysis, stems, unindexed }: Partial<StemFields>): Document {
  const members = Object.entries({
    [own.analysis]: analysis,
    [own.stems]: stems,
    [own.unindexed]: unindexed,
  });
  const given = members.filter(([, value]) => value !== undefined);
  const others = members.filter(([, value]) => value === undefined).map(([path]) => [path, true]);
  return {
    ...(given.length > 0 && { $set: Object.fromEntries(given) }),
    ...(others.length > 0 && { $unset: Object.fromEntries(others) }),
  };
}

/** Null where it is missing, as in a filter. */
function valueAt(document: Document, path: string): unknown {
  let value: unknown = document;
  for (const name of path.split(".")) value = isDocument(value) ? value[name] : undefined;
  return value ?? null;
}

const isDocument = (value: unknown): value is Document => typeof value === "object" && value !== null;

/** What stems come from, and what tells whether it is still so. */
function projectionOf({ fields, languageField }: TextIndex): Document {
  const sources = [
    ...fields.map(({ field }) => field),
    ...(languageField === undefined ? [] : [languageField]),
  ];
  const paths = [...sources.map(({ segments }) => segments[0] ?? ""), ...telling];
  return Object.fromEntries(paths.map((path) => [path, 1]));
}
