import { ApiError } from "../../errors.ts";
import type { Exchange } from "../../realm/exchange.ts";
import type { Transaction } from "../../store/contract.ts";
import { type Access, requireWrite } from "../access.ts";
import type { Collection, Documents } from "../collection.ts";
import { createDocument } from "../writes/create.ts";
import { removeDocument, softDeleteDocument } from "../writes/remove.ts";
import { once, optimistic } from "../writes/retry.ts";
import { updateDocument } from "../writes/update.ts";
import { BatchDocuments } from "./documents.ts";
import type { Operation } from "./operations.ts";

/** A batch under way in its transaction: runs operations in order, each seeing the ones before it. */
export class Batch {
  readonly #collections: ReadonlyMap<string, Collection>;
  readonly #access: Access;
  readonly #exchange: Exchange;
  readonly #transaction: Transaction;
  readonly #documents = new Map<Collection, Documents>();

  constructor(
    collections: ReadonlyMap<string, Collection>,
    access: Access,
    exchange: Exchange,
    transaction: Transaction,
  ) {
    this.#collections = collections;
    this.#access = access;
    this.#exchange = exchange;
    this.#transaction = transaction;
  }

  /**
   * The text of the answer (spec: Batch response).
   * @throws ApiError of the first operation that fails, with its position (spec: Errors, note 1)
   */
  async run(operations: readonly Operation[]): Promise<string> {
    const results: string[] = [];
    for (const operation of operations) {
      try {
        const collection = this.#collectionOf(operation);
        if (operation.op === "delete") {
          await this.#delete(collection, operation);
          results.push(JSON.stringify({ id: operation.target.id }));
        } else {
          const stored = await this.#write(collection, operation);
          results.push(collection.view(this.#access, stored).text);
        }
      } catch (error) {
        throw error instanceof ApiError ? positioned(error, results.length) : error;
      }
    }
    return `{"results":[${results.join(",")}]}`;
  }

  #collectionOf({ collection }: Operation): Collection {
    const known = this.#collections.get(collection);
    if (known !== undefined) return known;
    throw new ApiError("not_found", "There is no such collection in this database.");
  }

  #write(collection: Collection, operation: Exclude<Operation, { op: "delete" }>) {
    const access = this.#access;
    const documents = this.#documentsOf(collection);
    if (operation.op === "create") {
      return createDocument(collection, access, this.#exchange, documents, operation.draft);
    }
    requireWrite(collection.definition, access, collection.definition.rules?.update);
    const { op, target, draft } = operation;
    return optimistic(once, () => updateDocument(collection, access, documents, target, op, draft));
  }

  async #delete(collection: Collection, { target }: Extract<Operation, { op: "delete" }>): Promise<void> {
    const access = this.#access;
    const documents = this.#documentsOf(collection);
    const { rules, softDelete } = collection.definition;
    requireWrite(collection.definition, access, rules?.delete);
    await optimistic(once, () =>
      softDelete === undefined
        ? removeDocument(collection, access, documents, target, rules?.delete)
        : softDeleteDocument(collection, access, documents, target, softDelete.retention),
    );
  }

  #documentsOf(collection: Collection): Documents {
    const known = this.#documents.get(collection);
    if (known !== undefined) return known;
    const documents = new BatchDocuments(this.#transaction.collection(collection.storeName));
    this.#documents.set(collection, documents);
    return documents;
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
