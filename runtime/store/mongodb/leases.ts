import { randomUUID } from "node:crypto";
import type { Collection } from "mongodb";
import type { Lease } from "../contract.ts";
import type { Engine } from "./engine.ts";
import { isDuplicateKey, storeError } from "./errors.ts";
import { bookkeeping } from "./layout.ts";

interface LeaseDocument {
  readonly _id: string;
  readonly holder: string;
  readonly until: Date;
}

/** Milliseconds between looks for leases that died with their holders. */
const FORGET_EVERY = 60_000;

/** Leases of one realm, which every instance sees. */
export class Leases {
  readonly #engine: Engine;
  readonly #leases: Collection<LeaseDocument>;
  #nextForgetting = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#leases = engine.database.collection(bookkeeping.leases);
  }

  async take(name: string, ttl: number): Promise<Lease | undefined> {
    await this.#forget();
    const holder = randomUUID();
    const { queryTime: maxTimeMS } = this.#engine;
    try {
      // Where somebody holds it, a document would be made whose id there is.
      await this.#leases.updateOne(
        { _id: name, until: { $lte: this.#in(0) } },
        { $set: { holder, until: this.#in(ttl) } },
        { upsert: true, maxTimeMS },
      );
    } catch (error) {
      if (isDuplicateKey(error)) return undefined;
      throw storeError(error);
    }
    return { renew: () => this.#renew(name, holder, ttl), release: () => this.#release(name, holder) };
  }

  async #renew(name: string, holder: string, ttl: number): Promise<boolean> {
    const { queryTime: maxTimeMS } = this.#engine;
    try {
      const { matchedCount } = await this.#leases.updateOne(
        { _id: name, holder, until: { $gt: this.#in(0) } },
        { $set: { until: this.#in(ttl) } },
        { maxTimeMS },
      );
      return matchedCount === 1;
    } catch (error) {
      throw storeError(error);
    }
  }

  async #release(name: string, holder: string): Promise<void> {
    const { queryTime: maxTimeMS } = this.#engine;
    try {
      await this.#leases.deleteOne({ _id: name, holder }, { maxTimeMS });
    } catch (error) {
      throw storeError(error);
    }
  }

  async #forget(): Promise<void> {
    const now = this.#engine.clock.now();
    if (now < this.#nextForgetting) return;
    this.#nextForgetting = now + FORGET_EVERY;
    const { queryTime: maxTimeMS } = this.#engine;
    try {
      await this.#leases.deleteMany({ until: { $lte: this.#in(0) } }, { maxTimeMS });
    } catch (error) {
      throw storeError(error);
    }
  }

  #in(milliseconds: number): Date {
    return new Date(this.#engine.clock.now() + milliseconds);
  }
}
