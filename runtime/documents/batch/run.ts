import { ApiError } from "../../errors.ts";
import type { Exchange } from "../../realm/exchange.ts";
import { once, optimistic } from "../../retry.ts";
import { type DocumentWrite, InsertRefused, type Transaction } from "../../store/contract.ts";
import { type Access, requireWrite, type Write, type WriteAction, type Written } from "../access.ts";
import type { Collection } from "../collection.ts";
import type { Place } from "../organizations.ts";
import { newDocument, refusedCreate } from "../writes/create.ts";
import { removeDocument, softDeleteDocument } from "../writes/remove.ts";
import { updateDocument } from "../writes/update.ts";
import { BatchDocuments } from "./documents.ts";
import type { Operation } from "./operations.ts";

type Create = Extract<Operation, { op: "create" }>;

/** A batch under way in its transaction: runs operations in order, each seeing the ones before it. */
export class Batch {
  /** Those done so far. */
  readonly writes: Write[] = [];
  readonly #collections: ReadonlyMap<string, Collection>;
  readonly #access: Access;
  readonly #exchange: Exchange;
  readonly #place: Place;
  readonly #transaction: Transaction;
  readonly #documents = new Map<Collection, BatchDocuments>();

  constructor(
    collections: ReadonlyMap<string, Collection>,
    access: Access,
    exchange: Exchange,
    place: Place,
    transaction: Transaction,
  ) {
    this.#collections = collections;
    this.#access = access;
    this.#exchange = exchange;
    this.#place = place;
    this.#transaction = transaction;
  }

  /**
   * The text of the answer (spec: Batch response).
   * @throws ApiError of the first operation that fails, with its position (spec: Errors, note 1)
   */
  async run(operations: readonly Operation[]): Promise<string> {
    const results: string[] = [];
    for (const [at, operation] of operations.entries()) {
      // Creates are answered along with those before them.
      if (at < results.length) continue;
      if (operation.op === "create")
        results.push(...(await this.#create(operation.collection, createsFrom(operations, at), at)));
      else results.push(await placedAt(at, () => this.#change(operation)));
    }
    return `{"results":[${results.join(",")}]}`;
  }

  /** Creates in one collection, which are inserted together; the first of them stands at a position. */
  async #create(name: string, creates: readonly Create[], first: number): Promise<readonly string[]> {
    const access = this.#access;
    const exchange = this.#exchange;
    const collection = await placedAt(first, async () => this.#collectionOf(name));
    const documents: DocumentWrite[] = [];
    let refused: ApiError | undefined;
    for (const { draft } of creates) {
      try {
        documents.push(newDocument(collection, access, exchange, draft, this.#place));
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        refused = positioned(error, first + documents.length);
        break;
      }
    }
    try {
      await this.#documentsOf(collection).insertAll(documents);
    } catch (error) {
      if (!(error instanceof InsertRefused)) throw error;
      await placedAt(first + error.at, async () => {
        throw refusedCreate(collection, access, exchange, error.cause);
      });
    }
    // Whatever the store refuses stands before it.
    if (refused !== undefined) throw refused;
    for (const document of documents) this.#note("create", collection, document);
    return documents.map((document) => collection.view(access, document).text);
  }

  #collectionOf(name: string): Collection {
    const known = this.#collections.get(name);
    if (known !== undefined) return known;
    throw new ApiError("not_found", "There is no such collection in this database.");
  }

  async #change(operation: Exclude<Operation, Create>): Promise<string> {
    const access = this.#access;
    const collection = this.#collectionOf(operation.collection);
    if (operation.op === "delete") {
      await this.#delete(collection, operation);
      return JSON.stringify({ id: operation.target.id });
    }
    const documents = this.#documentsOf(collection);
    requireWrite(collection.definition, access, collection.definition.rules?.update);
    const { op, target, draft } = operation;
    const stored = await optimistic(once, () =>
      updateDocument(collection, access, documents, target, op, draft),
    );
    this.#note(op, collection, stored);
    return collection.view(access, stored).text;
  }

  async #delete(collection: Collection, { target }: Extract<Operation, { op: "delete" }>): Promise<void> {
    const access = this.#access;
    const documents = this.#documentsOf(collection);
    const { rules, softDelete } = collection.definition;
    requireWrite(collection.definition, access, rules?.delete);
    const deleted = await optimistic(once, () =>
      softDelete === undefined
        ? removeDocument(collection, access, documents, target, rules?.delete)
        : softDeleteDocument(collection, access, documents, target, softDelete.retention),
    );
    this.#note("delete", collection, deleted);
  }

  #note(action: WriteAction, { definition }: Collection, { id, version }: Written): void {
    this.writes.push({ action, collection: definition, id, version });
  }

  #documentsOf(collection: Collection): BatchDocuments {
    const known = this.#documents.get(collection);
    if (known !== undefined) return known;
    const documents = new BatchDocuments(this.#transaction.collection(collection.storeName));
    this.#documents.set(collection, documents);
    return documents;
  }
}

/** The creates that follow one another from a position on, all in one collection. */
function createsFrom(operations: readonly Operation[], from: number): readonly Create[] {
  const creates: Create[] = [];
  for (const operation of operations.slice(from)) {
    if (operation.op !== "create" || operation.collection !== (creates[0] ?? operation).collection) break;
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

/** The error of the operation at a position: before the paths in its document, or in place of none. */
function positioned(error: ApiError, at: number): ApiError {
  const { code, message, details, headers } = error;
  const places = details.map(({ path, reason }) => ({
    path: path === "" ? String(at) : `${at}.${path}`,
    reason,
  }));
  // The version that a single write's error carries in `ETag` would not say whose it is.
  const { etag, ...kept } = headers;
  return new ApiError(code, message, {
    details: places.length > 0 ? places : [{ path: String(at), reason: message }],
    headers: kept,
    cause: error,
  });
}
