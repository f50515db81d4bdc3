import type { Decide, Modification } from "../../store/contract/collection.ts";
import type { DocumentWrite, StoredDocument, Visibility } from "../../store/contract/document.ts";
import type { TransactionCollection } from "../../store/contract/transaction.ts";
import { modifyByVersion } from "../../store/modify.ts";

/** What operations of a batch ask of a collection, and what is asked of the transaction's for it. */
type Collected = Omit<TransactionCollection, "replaceAll" | "removeAll" | "claim">;
type Asked = Omit<Collected, "modify">;

/**
 * A collection in a batch's transaction: documents that the batch has read or written before are not read again. Made
 * for one batch, whose operations look at live documents only.
 */
export class BatchDocuments implements Collected {
  readonly #documents: Asked;
  readonly #live = new Map<string, StoredDocument | undefined>();

  constructor(documents: Asked) {
    this.#documents = documents;
  }

  async get(id: string, visibility: Visibility): Promise<StoredDocument | undefined> {
    if (this.#live.has(id)) return this.#live.get(id);
    const stored = await this.#documents.get(id, visibility);
    this.#live.set(id, stored);
    return stored;
  }

  insert(document: DocumentWrite): Promise<void> {
    // A create that fails ends the batch, so that nobody asks for what was kept.
    this.#keep(document);
    return this.#documents.insert(document);
  }

  insertAll(documents: readonly DocumentWrite[]): Promise<void> {
    for (const document of documents) this.#keep(document);
    return this.#documents.insertAll(documents);
  }

  async replace(expected: number, document: DocumentWrite): Promise<boolean> {
    const replaced = await this.#documents.replace(expected, document);
    if (replaced) this.#keep(document);
    return replaced;
  }

  async remove(id: string, expected?: number): Promise<boolean> {
    const removed = await this.#documents.remove(id, expected);
    if (removed) this.#live.set(id, undefined);
    return removed;
  }

  modify<M extends Modification>(
    id: string,
    visibility: Visibility,
    decide: Decide<M>,
  ): Promise<M | undefined> {
    return modifyByVersion(this, id, visibility, decide);
  }

  #keep(document: DocumentWrite): void {
    this.#live.set(document.id, document.deletedAt === undefined ? document : undefined);
  }
}
