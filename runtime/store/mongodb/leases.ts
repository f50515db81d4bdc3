import { randomUUID } from "node:crypto";
import type { ClientSession, Collection } from "mongodb";
import { LeaseLost } from "../contract/errors.ts";
import type { Lease } from "../contract/lease.ts";
import type { Engine } from "./engine.ts";
import { isDuplicateKey, storeError } from "./errors.ts";
import { bookkeeping } from "./layout.ts";

interface LeaseDocument {
  readonly _id: string;
  /** The token of whoever holds it. */
  readonly holder: string;
  /** When it was taken or last renewed, by the server's clock: those of instances differ. */
  readonly since: Date;
  /** Milliseconds for which it is held from then on. */
  readonly ttl: number;
  /** Transactions that were committed on the strength of it: each writes here, so that nobody takes it meanwhile. */
  readonly commits?: number;
}

/** Milliseconds between looks for leases that died with their holders. */
const FORGET_EVERY = 60_000;

const isOver = { $lte: [{ $add: ["$since", "$ttl"] }, "$$NOW"] };
const now = { $currentDate: { since: true } } as const;

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
    const token = randomUUID();
    const { queryTime: maxTimeMS } = this.#engine;
    const held = { $set: { holder: token, ttl }, ...now };
    try {
      if (!(await this.#make(name, token, ttl))) {
        const over = { _id: name, $expr: isOver };
        const { matchedCount } = await this.#leases.updateOne(over, held, { maxTimeMS });
        if (matchedCount === 0) return undefined;
      }
    } catch (error) {
      throw storeError(error);
    }
    return {
      name,
      token,
      renew: () => this.#renew(name, token),
      release: () => this.#release(name, token),
    };
  }

  /** False where there is one, whoever holds it. */
  async #make(name: string, token: string, ttl: number): Promise<boolean> {
    const { queryTime: maxTimeMS } = this.#engine;
    try {
      // Where there is one, a document would be made whose id there is.
      const made = { $set: { ttl }, ...now };
      await this.#leases.updateOne({ _id: name, holder: token }, made, { upsert: true, maxTimeMS });
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  /**
   * To be called in a transaction, at its end. Another instance that takes the lease comes before, and is seen here, or
   * after what the transaction writes.
   * @throws LeaseLost | the driver's errors
   */
  async present({ name, token }: Pick<Lease, "name" | "token">, session: ClientSession): Promise<void> {
    const { queryTime: maxTimeMS } = this.#engine;
    const { matchedCount } = await this.#leases.updateOne(
      { _id: name, holder: token },
      { $inc: { commits: 1 } },
      { maxTimeMS, session },
    );
    if (matchedCount === 0) throw new LeaseLost(name);
  }

  async #renew(name: string, token: string): Promise<boolean> {
    const { queryTime: maxTimeMS } = this.#engine;
    try {
      const { matchedCount } = await this.#leases.updateOne(
        { _id: name, holder: token, $expr: { $not: isOver } },
        now,
        { maxTimeMS },
      );
      return matchedCount === 1;
    } catch (error) {
      throw storeError(error);
    }
  }

  async #release(name: string, token: string): Promise<void> {
    const { queryTime: maxTimeMS } = this.#engine;
    try {
      await this.#leases.deleteOne({ _id: name, holder: token }, { maxTimeMS });
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
      await this.#leases.deleteMany({ $expr: isOver }, { maxTimeMS });
    } catch (error) {
      throw storeError(error);
    }
  }
}
