import { ApiError } from "../../errors.ts";
import { kept } from "../../kept.ts";
import { once, optimistic } from "../../retry.ts";
import { InsertRefused } from "../../store/contract/errors.ts";
import type { Transaction } from "../../store/contract/transaction.ts";
import type { Write, WriteAction, Written } from "../access.ts";
import type { Collection } from "../collection.ts";
import { refusedCreate } from "../writes/create.ts";
import { removeDocument, softDeleteDocument } from "../writes/remove.ts";
import { updateDocument } from "../writes/update.ts";
import { BatchDocuments } from "./documents.ts";
import {
  type BatchRequest,
  type Plan,
  type Planned,
  type PlannedChange,
  type PlannedCreate,
  positioned,
  roomAfter,
} from "./plan.ts";

/** A batch under way in its transaction: runs operations in order, each seeing the ones before it. */
export class Batch {
  /** Those done so far. */
  readonly writes: Write[] = [];
  readonly #request: BatchRequest;
  readonly #transaction: Transaction;
  readonly #documents = new Map<Collection, BatchDocuments>();
  /** See {@link Plan}. */
  #room = 0;

  constructor(request: BatchRequest, transaction: Transaction) {
    this.#request = request;
    this.#transaction = transaction;
  }

  /**
   * The text of the answer (spec: Batch response).
   * @throws ApiError of the first operation that fails, with its position (spec: Errors, note 1) | DocumentTooLarge
   */
  async run({ operations, refusal, room }: Plan): Promise<string> {
    const results: string[] = [];
    this.#room = room;
    for (const [at, operation] of operations.entries()) {
      // Creates are answered along with those before them.
      if (at < results.length) continue;
      const { collection } = operation;
      if (operation.op === "create")
        results.push(...(await this.#create(collection, createsFrom(operations, at, collection), at)));
      else results.push(await placedAt(at, () => this.#change(operation)));
    }
    if (refusal !== undefined) throw refusal;
    return `{"results":[${results.join(",")}]}`;
  }

  /** Creates in one collection, which are inserted together; the first of them stands at a position. */
  async #create(
    collection: Collection,
    creates: readonly PlannedCreate[],
    first: number,
  ): Promise<readonly string[]> {
    const { access, exchange } = this.#request;
    const documents = creates.map(({ document }) => document);
    try {
      await this.#documentsOf(collection).insertAll(documents);
    } catch (error) {
      if (!(error instanceof InsertRefused)) throw error;
      await placedAt(first + error.at, async () => {
        throw refusedCreate(collection, access, exchange, error.cause);
      });
    }
    for (const document of documents) this.#note("create", collection, document);
    return documents.map((document) => collection.view(access, document).text);
  }

  async #change(operation: PlannedChange): Promise<string> {
    const { access } = this.#request;
    const { collection, target } = operation;
    if (operation.op === "delete") {
      await this.#delete(collection, target);
      return JSON.stringify({ id: target.id });
    }
    const documents = this.#documentsOf(collection);
    const stored = await optimistic(once, () =>
      updateDocument(collection, access, documents, target, operation.op, operation.draft),
    );
    if (operation.op === "replace") this.#room = roomAfter(this.#room, collection, stored);
    this.#note(operation.op, collection, stored);
    return collection.view(access, stored).text;
  }

  async #delete(collection: Collection, target: PlannedChange["target"]): Promise<void> {
    const { access } = this.#request;
    const documents = this.#documentsOf(collection);
    const { softDelete } = collection.definition;
    const deleted = await optimistic(once, () =>
      softDelete === undefined
        ? removeDocument(collection, access, documents, target, "delete")
        : softDeleteDocument(collection, access, documents, target, softDelete.retention),
    );
    const { files, storeName } = collection;
    await files?.ledger.follow(this.#transaction, storeName, deleted.id, deleted.text);
    this.#note("delete", collection, deleted);
  }

  #note(action: WriteAction, { definition }: Collection, { id, version }: Written): void {
    this.writes.push({ action, collection: definition, id, version });
  }

  #documentsOf(collection: Collection): BatchDocuments {
    const made = () => new BatchDocuments(this.#transaction.collection(collection.storeName));
    return kept(this.#documents, collection, made);
  }
}

/** The creates that follow one another from a position on, all in one collection. */
function createsFrom(
  operations: readonly Planned[],
  from: number,
  collection: Collection,
): readonly PlannedCreate[] {
  const creates: PlannedCreate[] = [];
  for (const operation of operations.slice(from)) {
    if (operation.op !== "create" || operation.collection !== collection) break;
    creates.push(operation);
  }
  return creates;
}

/** @throws ApiError with the position of the operation that it is about */
async function placedAt<T>(at: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ApiError ? positioned(error, at) : error;
  }
}
