import { setTimeout } from "node:timers/promises";
import {
  type AnyBulkWriteOperation,
  BSON,
  type ClientSession,
  type Collection,
  type Document,
  type Filter,
  MongoBulkWriteError,
  type WriteError,
} from "mongodb";
import type { DocumentWrite, StoredDocument } from "../../contract/document.ts";
import {
  Claimed,
  DocumentTooLarge,
  DuplicateId,
  InsertRefused,
  TransactionConflict,
  UniqueViolation,
} from "../../contract/errors.ts";
import type { Replacement } from "../../contract/transaction.ts";
import { requireWritable } from "../../writable.ts";
import type { Engine, Provisioned } from "../engine.ts";
import {
  isConflict,
  isDuplicateKey,
  isParallelArrays,
  isWriteConflict,
  storeError,
  writeError,
} from "../errors.ts";
import { columns, isLive } from "../layout.ts";
import { encoderFor, type Stored } from "./codec.ts";
import { alikeUnder, type UniqueIndex, uniqueIndexesOf } from "./unique.ts";

/** Attempts of a write that meets others, and milliseconds that the first pause lasts at most. */
const ATTEMPTS = 6;
const FIRST_PAUSE = 5;

/** Bytes that a document may have (manual: MongoDB Limits), and characters of text below which it has fewer for sure. */
const LARGEST = 16_777_216;
const SURELY_FITS = 1_000_000;

/** Of every operation. */
interface Options {
  readonly maxTimeMS: number;
  readonly session?: ClientSession;
}

/**
 * The writes of one collection, each a single operation. In a transaction they throw the driver's errors, which tell
 * whether another attempt may succeed.
 */
export class Writes {
  readonly #engine: Engine;
  readonly #provisioned: Provisioned;
  readonly #documents: Collection<Stored>;
  readonly #encode: ReturnType<typeof encoderFor>;
  readonly #unique: readonly UniqueIndex[];

  constructor(engine: Engine, provisioned: Provisioned) {
    const { shape } = provisioned;
    this.#engine = engine;
    this.#provisioned = provisioned;
    this.#documents = engine.database.collection(shape.name);
    this.#encode = encoderFor(shape);
    this.#unique = uniqueIndexesOf(shape);
  }

  /** @throws DuplicateId | UniqueViolation, the first where both hold | DocumentTooLarge */
  async insert(write: DocumentWrite, session?: ClientSession): Promise<void> {
    const document = await this.#encoded(write);
    try {
      await this.#insisting(
        () => document,
        session,
        (options) => this.#documents.insertOne(document, options),
      );
    } catch (error) {
      throw await this.#first(error, write.id);
    }
  }

  /** @throws as {@link insert} | Claimed */
  async claim(write: DocumentWrite, session: ClientSession): Promise<void> {
    try {
      await this.insert(write, session);
    } catch (error) {
      throw isWriteConflict(error) ? new Claimed(write.id) : error;
    }
  }

  /**
   * One command, in a transaction.
   * @throws InsertRefused for the first that is refused
   */
  async insertAll(writes: readonly DocumentWrite[], session: ClientSession): Promise<void> {
    if (writes.length === 0) return;
    const documents: Stored[] = [];
    let at = 0;
    const refused = (error: unknown): Stored => {
      if (error instanceof MongoBulkWriteError) at = errorsOf(error)[0]?.index ?? 0;
      return documents[at] ?? { _id: "" };
    };
    try {
      for (const write of writes) {
        documents.push(await this.#encoded(write));
        at += 1;
      }
      await this.#insisting(refused, session, (options) => this.#documents.insertMany(documents, options));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      throw new InsertRefused(at, await this.#first(error, writes[at]?.id ?? ""));
    }
  }

  /** @throws UniqueViolation | DocumentTooLarge */
  async replace(expected: number, write: DocumentWrite, session?: ClientSession): Promise<boolean> {
    const document = await this.#encoded(write);
    const filter: Filter<Stored> = { _id: write.id, ...isVersion(expected), ...this.#isKept() };
    const { matchedCount } = await this.#insisting(
      () => document,
      session,
      (options) => this.#documents.replaceOne(filter, document, options),
    );
    return matchedCount === 1;
  }

  /**
   * One command, in a transaction.
   * @throws UniqueViolation | DocumentTooLarge
   */
  async replaceAll(replacements: readonly Replacement[], session: ClientSession): Promise<number> {
    if (replacements.length === 0) return 0;
    const operations: ReplaceOperation[] = [];
    for (const { expected, document } of replacements) {
      const filter = { _id: document.id, ...isVersion(expected), ...this.#isKept() };
      operations.push({ replaceOne: { filter, replacement: await this.#encoded(document) } });
    }
    const refused = (error: unknown): Stored => {
      const at = error instanceof MongoBulkWriteError ? errorsOf(error)[0]?.index : undefined;
      return operations[at ?? 0]?.replaceOne.replacement ?? { _id: "" };
    };
    const write = (options: Options) => this.#documents.bulkWrite(operations, options);
    return (await this.#insisting(refused, session, write)).matchedCount;
  }

  async remove(id: string, expected?: number, session?: ClientSession): Promise<boolean> {
    const condition = expected === undefined ? isLive : isVersion(expected);
    const filter: Filter<Stored> = { _id: id, ...condition, ...this.#isKept() };
    const { deletedCount } = await this.#insisting(
      () => ({ _id: id }),
      session,
      (options) => this.#documents.deleteOne(filter, options),
    );
    return deletedCount === 1;
  }

  /** One command, in a transaction. */
  async removeAll(
    documents: readonly Pick<StoredDocument, "id" | "version">[],
    session: ClientSession,
  ): Promise<number> {
    if (documents.length === 0) return 0;
    const operations = documents.map(({ id, version }): AnyBulkWriteOperation<Stored> => {
      return { deleteOne: { filter: { _id: id, ...isVersion(version), ...this.#isKept() } } };
    });
    const { queryTime: maxTimeMS } = this.#engine;
    return (await this.#documents.bulkWrite(operations, { maxTimeMS, session })).deletedCount;
  }

  async removeExpired(limit: number): Promise<number> {
    const expired = this.#isExpired();
    const { queryTime: maxTimeMS } = this.#engine;
    try {
      const oldest = { projection: { _id: 1 }, sort: { [columns.purgeAt]: 1 as const }, limit, maxTimeMS };
      const found = await this.#documents.find(expired, oldest).toArray();
      if (found.length === 0) return 0;
      const filter: Filter<Stored> = { _id: { $in: found.map(({ _id }) => _id) }, ...expired };
      return (await this.#documents.deleteMany(filter, { maxTimeMS })).deletedCount;
    } catch (error) {
      throw storeError(error);
    }
  }

  /** @throws UniqueViolation | DocumentTooLarge */
  async load(writes: readonly DocumentWrite[]): Promise<void> {
    const documents: Stored[] = [];
    for (const write of writes) documents.push(await this.#encoded(write));
    let left: readonly Stored[] = documents;
    while (left.length > 0) left = await this.#loadSome(left);
  }

  /** @returns those that are to be tried again: something past its `purgeAt` stood in their way */
  async #loadSome(documents: readonly Stored[]): Promise<readonly Stored[]> {
    const operations = documents.map((replacement): AnyBulkWriteOperation<Stored> => {
      return { replaceOne: { filter: { _id: replacement._id }, replacement, upsert: true } };
    });
    const { searchTime: maxTimeMS } = this.#engine;
    try {
      await this.#documents.bulkWrite(operations, { maxTimeMS, ordered: false });
      return [];
    } catch (error) {
      if (!(error instanceof MongoBulkWriteError) || !isDuplicateKey(error)) throw storeError(error);
      const errors = errorsOf(error);
      const again: Stored[] = [];
      for (const { index } of errors) {
        const document = documents[index];
        if (document !== undefined && (await this.#clearWay(document))) again.push(document);
      }
      if (again.length < errors.length) throw await this.#clash(error, documents[errors[0]?.index ?? 0]);
      return again;
    }
  }

  /** @throws DocumentTooLarge */
  async #encoded(write: DocumentWrite): Promise<Stored> {
    const { shape, regularity } = this.#provisioned;
    requireWritable(shape, write);
    const { document, irregular } = this.#encode(write);
    if (write.text.length > SURELY_FITS && BSON.calculateObjectSize(document) > LARGEST)
      throw new DocumentTooLarge();
    if (irregular.length > 0) await regularity.note(irregular);
    return document;
  }

  /**
   * Runs a write, again where it met another one; where only documents past their `purgeAt` stand in its way, they go
   * first. In a transaction that takes another attempt of all of it.
   * @param refused the document that an error is about
   */
  async #insisting<T>(
    refused: (error: unknown) => Stored,
    session: ClientSession | undefined,
    write: (options: Options) => Promise<T>,
  ): Promise<T> {
    const { queryTime: maxTimeMS } = this.#engine;
    const options = session === undefined ? { maxTimeMS } : { maxTimeMS, session };
    for (let attempt = 1; ; attempt++) {
      try {
        return await write(options);
      } catch (error) {
        if (isParallelArrays(error) && attempt <= ATTEMPTS && (await this.#provisioned.narrowIndexes())) {
          if (session !== undefined) throw new TransactionConflict(error);
          continue;
        }
        const isClash = isDuplicateKey(error);
        if (session !== undefined && !isClash) throw error;
        if (isClash) {
          const document = refused(error);
          if (!(await this.#clearWay(document))) throw await this.#clash(error, document);
          if (session !== undefined || attempt > ATTEMPTS) throw new TransactionConflict(error);
        } else {
          if (!isConflict(error) || attempt > ATTEMPTS) throw writeError(error);
          await setTimeout(Math.random() * FIRST_PAUSE * 2 ** attempt);
        }
      }
    }
  }

  /** Removes what is past its `purgeAt` and has the document's id or unique values; whether there was any. */
  async #clearWay(document: Stored): Promise<boolean> {
    const alike: Filter<Stored>[] = [{ _id: document._id }];
    if (this.#provisioned.shape.permanent !== true) {
      for (const index of this.#unique) alike.push(...alikeUnder(index, document));
    }
    const { queryTime: maxTimeMS } = this.#engine;
    const filter: Filter<Stored> = { $or: alike, ...this.#isExpired() };
    // Mostly there is none, and a removal of nothing waits for a majority, too.
    if (!(await this.#exists(filter))) return false;
    try {
      return (await this.#documents.deleteMany(filter, { maxTimeMS })).deletedCount > 0;
    } catch (error) {
      throw storeError(error);
    }
  }

  /** What a write is refused with. Of several unique indexes that it violates the server names any. */
  async #clash(error: unknown, document: Stored = { _id: "" }): Promise<Error> {
    const clash = storeError(error, { shape: this.#provisioned.shape, id: document._id });
    if (!(clash instanceof UniqueViolation)) return clash;
    for (const index of this.#unique) {
      if (index.name === clash.index) break;
      for (const alike of alikeUnder(index, document))
        if (await this.#exists({ ...alike, _id: { $ne: document._id } }))
          return new UniqueViolation(index.name);
    }
    return clash;
  }

  /** The same of the id and a unique index. */
  async #first(error: unknown, id: string): Promise<unknown> {
    return error instanceof UniqueViolation && (await this.#exists({ _id: id }))
      ? new DuplicateId(id)
      : error;
  }

  async #exists(filter: Filter<Stored>): Promise<boolean> {
    const { queryTime: maxTimeMS } = this.#engine;
    try {
      return (await this.#documents.findOne(filter, { projection: { _id: 1 }, maxTimeMS })) !== null;
    } catch (error) {
      throw storeError(error);
    }
  }

  #isExpired(): Document {
    return { [columns.purgeAt]: { $lte: new Date(this.#engine.clock.now()) } };
  }

  /** True of missing and null, too. */
  #isKept(): Document {
    return { [columns.purgeAt]: { $not: { $lte: new Date(this.#engine.clock.now()) } } };
  }
}

interface ReplaceOperation {
  readonly replaceOne: { readonly filter: Filter<Stored>; readonly replacement: Stored };
}

/** What an insert is refused with; everything else says nothing about the document. */
function isRefusal(error: unknown): boolean {
  return [DuplicateId, UniqueViolation, DocumentTooLarge].some((kind) => error instanceof kind);
}

function errorsOf({ writeErrors }: MongoBulkWriteError): readonly WriteError[] {
  return [writeErrors].flat();
}

function isVersion(version: number): Document {
  return { [columns.version]: version === 0 ? { $in: [null, 0] } : version };
}
