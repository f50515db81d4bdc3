import { setTimeout as pause } from "node:timers/promises";
import { eq } from "../../filter/algebra.ts";
import { documentFields } from "../../filter/fields.ts";
import type { Order } from "../../filter/order.ts";
import type { RealmInstance } from "../../realm/exchange.ts";
import { BATCH_CHARACTERS, findPage } from "../../store/page.ts";
import {
  type InvocationRecord,
  invocationCollection,
  invocationFields,
  keptOfFunction,
  writeInvocation,
} from "./records.ts";

/** Records written, or removed, in one transaction. */
const batch = 200;

/** Characters of records that wait to be written; beyond them the oldest are left out. */
const most = 16 * 1024 * 1024;

const newestFirst: Order = [documentFields["_meta.created_at"], documentFields.id].map((field) => ({
  field,
  descending: true,
}));

/**
 * Keeps the invocations of a realm's functions. They are gathered, and written together once a second at most: nobody waits
 * for them, and a process that dies takes those of its last second along.
 */
export class InvocationJournal {
  readonly #realm: Pick<RealmInstance, "store" | "log">;
  readonly #period: number;
  readonly #closing = new AbortController();
  #waiting: InvocationRecord[] = [];
  #characters = 0;
  #writing: Promise<void> | undefined;

  /** @param period milliseconds between writes */
  constructor(realm: Pick<RealmInstance, "store" | "log">, period = 1_000) {
    this.#realm = realm;
    this.#period = period;
  }

  note(record: InvocationRecord): void {
    this.#waiting.push(record);
    this.#characters += sizeOf(record);
    while (this.#characters > most) {
      const oldest = this.#waiting.shift();
      if (oldest !== undefined) this.#characters -= sizeOf(oldest);
    }
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
  }

  /** Writes what waits. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const taken = newestOf(this.#waiting);
      this.#waiting = [];
      this.#characters = 0;
      try {
        await this.#insert(taken);
        await this.#trim(taken);
      } catch (err) {
        this.#realm.log.warn(
          { err, invocations: taken.length },
          "invocations of functions were not recorded",
        );
      }
      await this.#pause();
    }
  }

  async #insert(taken: readonly InvocationRecord[]): Promise<void> {
    for (let at = 0; at < taken.length; at += batch) {
      const documents = taken.slice(at, at + batch).map(writeInvocation);
      await this.#realm.store.transaction((transaction) =>
        transaction.collection(invocationCollection).insertAll(documents),
      );
    }
  }

  async #trim(taken: readonly InvocationRecord[]): Promise<void> {
    for (const name of new Set(taken.map((each) => each.function))) await this.#trimFunction(name);
  }

  /** Of a function more than are kept go, the oldest of them. */
  async #trimFunction(name: string): Promise<void> {
    const { store } = this.#realm;
    for (;;) {
      const { found } = await findPage(store.collection(invocationCollection), {
        filter: eq(invocationFields.function, name),
        visibility: "live",
        order: newestFirst,
        limit: batch,
        skip: keptOfFunction,
        characters: BATCH_CHARACTERS,
      });
      if (found.length === 0) return;
      await store.transaction((transaction) => transaction.collection(invocationCollection).removeAll(found));
    }
  }

  async #pause(): Promise<void> {
    try {
      await pause(this.#period, undefined, { ref: false, signal: this.#closing.signal });
    } catch {
      // Whoever closes it waits for the rest.
    }
  }
}

/** Characters of one without lines or an error, about. */
const bare = 400;

/** Characters of its text, about: it is printed when it is written, if it is. */
function sizeOf({ error, logs }: InvocationRecord): number {
  return bare + (error?.message.length ?? 0) + (logs.length === 0 ? 0 : JSON.stringify(logs).length);
}

/** Of each function as many as are kept. */
function newestOf(waiting: readonly InvocationRecord[]): readonly InvocationRecord[] {
  if (waiting.length <= keptOfFunction) return waiting;
  const counts = new Map<string, number>();
  const newest = waiting.toReversed().filter(({ function: name }) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count <= keptOfFunction;
  });
  return newest.reverse();
}
