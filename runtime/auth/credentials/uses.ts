import type { RealmInstance } from "../../realm/exchange.ts";
import type { Transaction } from "../../store/contract/transaction.ts";

/** Milliseconds between two writes of one thing's use. */
export const interval = 60_000;

/** Milliseconds between two writes of any: each may make what is cached out of date. */
export const gap = 10_000;

/** Uses written in one transaction. */
const atOnce = 100;

/** Things whose use is remembered at most; those first used longest ago are forgotten first. */
export const remembered = 100_000;

/** The last use of something; times in epoch milliseconds. */
export interface Use {
  /** Of what is used. */
  readonly id: string;
  used: number;
  /** May be written from then on. */
  due: number;
  /** There is something to write. */
  unwritten: boolean;
}

/** What is used, and how that is recorded. */
export interface Used<U extends Use> {
  /** For the log, in the plural. */
  readonly what: string;
  /** Writes one use, in a transaction with others; leaves alone what is there no more. */
  readonly store: (transaction: Transaction, use: U) => Promise<void>;
}

export type UsingRealm = Pick<RealmInstance, "store" | "clock" | "background" | "log">;

/**
 * When things were last used: exactly in memory, and in the store at most once a minute each, in the background, several
 * together. Every use reaches the store 70 seconds later at the latest, and is remembered at least until then.
 */
export class Uses<U extends Use> {
  readonly #realm: UsingRealm;
  readonly #kind: Used<U>;
  readonly #capacity: number;
  readonly #uses = new Map<string, U>();
  #sweptAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(realm: UsingRealm, kind: Used<U>, capacity = remembered) {
    this.#realm = realm;
    this.#kind = kind;
    this.#capacity = capacity;
  }

  get(id: string): U | undefined {
    return this.#uses.get(id);
  }

  remember(use: U): U {
    if (this.#uses.size >= this.#capacity) {
      const [oldest] = this.#uses.keys();
      if (oldest !== undefined) this.#uses.delete(oldest);
    }
    this.#uses.set(use.id, use);
    return use;
  }

  /** Of one that is remembered. */
  note(use: U, now: number): void {
    if (now > use.used) {
      use.used = now;
      use.unwritten = true;
    }
    if (use.due <= now && now - this.#sweptAt >= gap) this.#sweep(now);
    else this.#timer ??= setTimeout(() => this.#sweep(this.#realm.clock.now()), gap).unref();
  }

  /** Writes what is due, and forgets what was written a minute ago and not used since. */
  #sweep(now: number): void {
    clearTimeout(this.#timer);
    this.#sweptAt = now;
    const due: U[] = [];
    for (const use of this.#uses.values()) {
      if (use.due > now) continue;
      if (use.unwritten) {
        due.push(use);
        use.due = now + interval;
        use.unwritten = false;
      } else {
        this.#uses.delete(use.id);
      }
    }
    this.#timer =
      this.#uses.size === 0 ? undefined : setTimeout(() => this.#sweep(this.#realm.clock.now()), gap).unref();
    if (due.length > 0) this.#realm.background(this.#store(due));
  }

  async #store(uses: readonly U[]): Promise<void> {
    try {
      for (let from = 0; from < uses.length; from += atOnce) {
        const some = uses.slice(from, from + atOnce).map((use) => ({ ...use }));
        await this.#realm.store.transaction(async (transaction) => {
          for (const use of some) await this.#kind.store(transaction, use);
        });
      }
    } catch (error) {
      this.#realm.log.warn({ err: error }, `the last use of ${this.#kind.what} could not be recorded`);
    }
  }
}
