import type { Collection, Document } from "mongodb";
import type { Engine } from "../engine.ts";
import { isDuplicateKey } from "../errors.ts";
import { bookkeeping } from "../layout.ts";

/** What all instances know of a collection's text index: member `text` of its record in `_svc.collections`. */
export interface TextRecord {
  /** What the stems of documents are to be made by (`analysisOf`); null where they are to go, with the index. */
  readonly analysis: string | null;
  /** That is done: of every document that was there before, and of the index. */
  readonly ready: boolean;
  /** Until it is: documents that are to be done yet, and how many are done in a second. */
  readonly left?: number;
  readonly rate?: number;
  /** When an instance that runs with it said so last, by the server's clock. */
  readonly seen?: Date;
}

interface CollectionRecord {
  readonly _id: string;
  readonly text?: TextRecord;
}

/** Milliseconds after which a declaration that no instance looked after has none any more; between two marks that one does. */
const GONE = 120_000;
const MARK = 20_000;

/**
 * The record of one collection. Its current declaration is the one that was provisioned last, by whichever instance, as
 * long as instances run with it. Their clocks may differ: times are the server's.
 */
export class TextRecords {
  readonly #records: Collection<CollectionRecord>;
  readonly #collection: string;
  readonly #options: { readonly maxTimeMS: number };

  constructor({ database, queryTime }: Engine, collection: string) {
    this.#records = database.collection(bookkeeping.collections);
    this.#collection = collection;
    this.#options = { maxTimeMS: queryTime };
  }

  /** Of every collection that has one, by name. */
  static async all({ database, queryTime }: Engine): Promise<ReadonlyMap<string, TextRecord>> {
    const records = database.collection<CollectionRecord>(bookkeeping.collections);
    const found = await records
      .find({ text: { $exists: true } }, { projection: { text: 1 }, maxTimeMS: queryTime })
      .toArray();
    return new Map(found.flatMap(({ _id, text }) => (text === undefined ? [] : [[_id, text] as const])));
  }

  async read(): Promise<TextRecord | undefined> {
    const options = { ...this.#options, projection: { text: 1 } };
    return (await this.#records.findOne({ _id: this.#collection }, options))?.text;
  }

  /** Makes a declaration the current one; where it is, another instance's progress with it stays. */
  async announce(analysis: string | null, left: number): Promise<void> {
    try {
      await this.#records.updateOne(
        { _id: this.#collection, "text.analysis": { $ne: analysis } },
        announcement(analysis, left),
        { ...this.#options, upsert: true },
      );
    } catch (error) {
      // It is: another record would be made whose id there is.
      if (!isDuplicateKey(error)) throw error;
    }
  }

  /**
   * The same, where the current one is another, and no instance runs with that any more. Whether it was so. Nobody looks
   * after an index that is gone for good.
   */
  takeOver(analysis: string | null, left: number): Promise<boolean> {
    const isOther = { "text.analysis": { $exists: true, $ne: analysis } };
    const $nor = [{ "text.analysis": null, "text.ready": true }];
    return this.#update({ ...isOther, $nor, ...seenBefore(GONE) }, announcement(analysis, left));
  }

  /** Says that an instance runs with it. */
  async mark(analysis: string | null): Promise<void> {
    await this.#update(
      { ...current(analysis), ...seenBefore(MARK) },
      { $currentDate: { "text.seen": true } },
    );
  }

  /** Answers whether the declaration is the current one still. */
  progress(analysis: string | null, left: number, rate: number): Promise<boolean> {
    return this.#update(current(analysis), { $set: { "text.left": left, "text.rate": rate } });
  }

  finish(analysis: string | null): Promise<boolean> {
    const $unset = { "text.left": true, "text.rate": true };
    return this.#update(current(analysis), { $set: { "text.ready": true }, $unset });
  }

  async #update(condition: Document, update: Document): Promise<boolean> {
    const filter = { _id: this.#collection, ...condition };
    return (await this.#records.updateOne(filter, update, this.#options)).matchedCount === 1;
  }
}

function announcement(analysis: string | null, left: number): Document {
  const text: TextRecord = { analysis, ready: false, left };
  const members = Object.entries(text).map(([name, value]) => [`text.${name}`, value]);
  return {
    $set: Object.fromEntries(members),
    $unset: { "text.rate": true },
    $currentDate: { "text.seen": true },
  };
}

/** Null alone would mean a record without a text index as well. */
const current = (analysis: string | null) => ({ "text.analysis": { $eq: analysis, $exists: true } });

const seenBefore = (milliseconds: number) => ({
  $expr: { $lt: ["$text.seen", { $subtract: ["$$NOW", milliseconds] }] },
});
