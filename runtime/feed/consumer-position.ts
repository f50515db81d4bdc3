import type { Clock } from "../clock.ts";
import { documentFields } from "../filter/fields.ts";
import { isJsonObject } from "../json.ts";
import type { DocumentWrite, StoredDocument } from "../store/contract/document.ts";
import { DuplicateId } from "../store/contract/errors.ts";
import type { Lease } from "../store/contract/lease.ts";
import type { CollectionShape } from "../store/contract/shape.ts";
import type { Store } from "../store/contract/store.ts";
import type { Transaction } from "../store/contract/transaction.ts";

/** The system collection of consumers' positions; to be provisioned where there are consumers. */
export const consumerShape: CollectionShape = {
  name: "_svc.consumers",
  fields: documentFields,
  indexes: [],
  feed: false,
  permanent: true,
};

/** Somebody else has moved the consumer's position. */
export class ConsumerMoved extends Error {
  constructor(name: string) {
    super(`consumer ${name} was moved by another instance`);
    this.name = "ConsumerMoved";
  }
}

/** Milliseconds between two notes of from where history is to be held back. */
const HOLD_EVERY = 60_000;

export class ConsumerPosition {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #name: string;
  #position = "";
  #version = 0;
  #createdAt = 0;
  #heldAt = Number.NaN;

  constructor(store: Store, clock: Clock, name: string) {
    this.#store = store;
    this.#clock = clock;
    this.#name = name;
  }

  get position(): string {
    return this.#position;
  }

  /** Reads it; one that there is not yet begins after all that was acknowledged before. */
  async load(): Promise<void> {
    const collection = this.#store.collection(consumerShape.name);
    const found = (await collection.get(this.#name, "live")) ?? (await this.#begin());
    this.#take(found);
    await this.#store.feed.hold(this.#name, this.#position).catch(() => undefined);
    this.#heldAt = this.#clock.now();
  }

  /**
   * Moves it, together with what is written.
   * @throws ConsumerMoved | LeaseLost, and what `write` throws: then nothing is written
   */
  async advance(
    to: string,
    lease: Pick<Lease, "name" | "token">,
    write: (transaction: Transaction) => Promise<unknown> = async () => undefined,
  ): Promise<void> {
    const next = this.#documentAt(to, this.#version + 1);
    await this.#store.transaction(
      async (transaction) => {
        await write(transaction);
        const own = transaction.collection(consumerShape.name);
        if (!(await own.replace(this.#version, next))) throw new ConsumerMoved(this.#name);
      },
      { lease },
    );
    this.#take(next);
    const now = this.#clock.now();
    if (Math.abs(now - this.#heldAt) < HOLD_EVERY) return;
    this.#heldAt = now;
    await this.#store.feed.hold(this.#name, to);
  }

  async #begin(): Promise<StoredDocument> {
    this.#createdAt = this.#clock.now();
    const first = this.#documentAt(await this.#store.feed.head(), 1);
    const collection = this.#store.collection(consumerShape.name);
    try {
      await collection.insert(first);
      return first;
    } catch (error) {
      const other = error instanceof DuplicateId ? await collection.get(this.#name, "live") : undefined;
      if (other === undefined) throw error;
      return other;
    }
  }

  #documentAt(position: string, version: number): DocumentWrite {
    const created = this.#createdAt;
    const text = JSON.stringify({
      id: this.#name,
      position,
      created_at: new Date(created).toISOString(),
      advanced_at: new Date(this.#clock.now()).toISOString(),
    });
    return { id: this.#name, version, createdAt: created, text };
  }

  #take({ text, version }: StoredDocument): void {
    const value: unknown = JSON.parse(text);
    if (!isJsonObject(value) || typeof value["position"] !== "string")
      throw new Error(`the record of consumer ${this.#name} has no position`);
    this.#position = value["position"];
    this.#createdAt = Date.parse(String(value["created_at"]));
    this.#version = version;
  }
}
