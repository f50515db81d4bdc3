/** Brings the stored documents of a collection into another form. */
import { setImmediate, setTimeout } from "node:timers/promises";
import type { Clock } from "../clock.ts";
import { TRUE } from "../filter/algebra.ts";
import { type CollectionDefinition, storeNameOf } from "../realm/definition.ts";
import { newestForm } from "../realm/migrations.ts";
import type { DocumentWrite } from "../store/contract/document.ts";
import {
  DocumentTooLarge,
  LeaseLost,
  TransactionConflict,
  UniqueViolation,
} from "../store/contract/errors.ts";
import type { Lease } from "../store/contract/lease.ts";
import type { Store } from "../store/contract/store.ts";
import type { Replacement, Transaction } from "../store/contract/transaction.ts";
import { BatchSize } from "./batch-size.ts";
import { isOld, migrated, Unmigratable, undone } from "./forms.ts";
import {
  type KeptRecord,
  type MigrationEntry,
  type MigrationRecord,
  migrationShape,
  NAMED,
  recordOf,
  writeRecord,
} from "./records.ts";

export interface PassOptions {
  /** Not the one for writers: what is stored is read. */
  readonly store: Store;
  readonly definition: CollectionDefinition;
  /** Documents say who wrote them. */
  readonly authored: boolean;
  readonly clock: Clock;
  /** False ends it between two batches; what it did stays, and the next pass goes on from there. */
  readonly goesOn?: (() => boolean) | undefined;
  /** Undoes the migrations after this one; default: all are applied. */
  readonly back?: number | undefined;
  /** Documents in a second at most. */
  readonly rate?: number | undefined;
  /** Ends at the first document that is refused. */
  readonly strict?: boolean | undefined;
  readonly progress?: ((progress: PassProgress) => void) | undefined;
  /** Told of each document that stays as it is. */
  readonly refused?: ((id: string, reason: string) => void) | undefined;
}

export interface PassProgress {
  readonly collection: string;
  readonly done: number;
  readonly total: number;
}

/** How a pass ended: `taken` where another process does the same. */
export type PassEnd = "done" | "failed" | "stopped" | "taken";

/** Characters of texts that are read, and written together. */
const CHARACTERS = 2 ** 22;
/** Documents that are worked on before others have their turn. */
const TURN = 50;
/** Milliseconds after which another process takes on what a dead one left. */
const LEASE = 15_000;
/** Milliseconds for which a write is tried that meets others: a shared store holds what a dead process wrote for a minute. */
const PATIENCE = 150_000;
/** Milliseconds between two attempts. */
const PAUSE = 250;

/** Whether the collection has migrations that are not done, as far as the store's records say. */
export async function isPending({ store, definition }: Pick<PassOptions, "store" | "definition">) {
  if (definition.migrations === undefined) return false;
  const { migrations, run, version } = await recordOf(store, definition);
  return version === 0 || run !== undefined || migrations.some(({ state }) => state !== "done");
}

/**
 * Writes every document that is in another form in the one asked for, each once: a document is written if it has the version
 * that was read, with the number of its new form beside it, and in the transaction that says how far the pass is.
 */
export async function migrateCollection(options: PassOptions): Promise<PassEnd> {
  const { store, definition } = options;
  const lease = await store.lease(`migrate ${storeNameOf(definition)}`, LEASE);
  if (lease === undefined) return "taken";
  // Waiting for what a killed process holds may take longer than the lease.
  const renewing = setInterval(() => void lease.renew().catch(() => undefined), LEASE / 3);
  try {
    return await new Pass(options, lease).run();
  } catch (error) {
    if (error instanceof LeaseLost) return "taken";
    if (error instanceof TransactionConflict && options.goesOn?.() === false) return "stopped";
    throw error;
  } finally {
    clearInterval(renewing);
    await lease.release();
  }
}

/** What became of the documents of a batch. */
interface Worked {
  /** In their order; the last one is where the batch ends. */
  readonly looked: readonly DocumentWrite[];
  readonly replacements: readonly Replacement[];
  /** Why documents stay as they are, by id. */
  readonly refused: Map<string, string>;
}

class Pass {
  readonly #options: PassOptions;
  readonly #lease: Lease;
  readonly #to: number;
  readonly #size: BatchSize;
  #record: KeptRecord = { version: 0, migrations: [] };

  constructor(options: PassOptions, lease: Lease) {
    this.#options = options;
    this.#lease = lease;
    this.#to = options.back ?? newestForm(options.definition);
    this.#size = new BatchSize(options.rate);
  }

  async run(): Promise<PassEnd> {
    const { store, definition, goesOn, rate, strict = false, progress } = this.#options;
    const collection = storeNameOf(definition);
    await this.#begin();
    const began = performance.now();
    for (let looked = 0; ; ) {
      if (goesOn?.() === false) return "stopped";
      const after = this.#record.run?.after;
      const batch = await store.collection(collection).scan(after, this.#size.documents, CHARACTERS);
      if (batch.length === 0) break;
      const worked = await this.#worked(batch);
      const isWhole = await this.#write(worked);
      if (strict && isWhole && worked.refused.size > 0) return this.#ended("failed");
      const { done = 0, total = 0 } = this.#record.migrations.find(({ state }) => state === "running") ?? {};
      progress?.({ collection, done, total });
      if (!(await this.#lease.renew())) return "taken";
      looked += isWhole ? worked.looked.length : 0;
      if (rate !== undefined)
        await setTimeout(Math.max(0, (looked / rate) * 1000 - (performance.now() - began)));
      else await setImmediate();
    }
    const failures = this.#record.migrations.some(
      ({ state, failures }) => state === "running" && failures > 0,
    );
    return this.#ended(failures ? "failed" : "done");
  }

  /** Goes on with what was interrupted, if that led to the same form. */
  async #begin(): Promise<void> {
    const { store, definition, back } = this.#options;
    this.#record = await recordOf(store, definition);
    const { run, migrations } = this.#record;
    if (run?.to === this.#to && run.back === (back !== undefined)) return;
    const total = await store.collection(storeNameOf(definition)).count(TRUE, "all");
    const fresh = { state: "running", done: 0, total, failed: [], failures: 0 } as const;
    await this.#save({
      migrations: migrations.map((entry) => (this.#isConcerned(entry) ? { ...entry, ...fresh } : entry)),
      run: { to: this.#to, back: back !== undefined, after: undefined },
    });
  }

  #isConcerned({ number, state }: MigrationEntry): boolean {
    if (this.#options.back !== undefined) return Number(number) > this.#to;
    return state !== "done" && Number(number) <= this.#to;
  }

  async #worked(batch: readonly DocumentWrite[]): Promise<Worked> {
    const { definition, authored, back, strict = false } = this.#options;
    const looked: DocumentWrite[] = [];
    const replacements: Replacement[] = [];
    const refused = new Map<string, string>();
    for (const stored of batch) {
      if (strict && refused.size > 0) break;
      looked.push(stored);
      const isDue = back === undefined ? isOld(definition, stored) : (stored.form ?? 0) > back;
      if (!isDue) continue;
      try {
        const document =
          back === undefined
            ? migrated(definition, stored, authored)
            : undone(definition, stored, back, authored);
        replacements.push({ expected: stored.version, document });
      } catch (error) {
        if (!(error instanceof Unmigratable)) throw error;
        refused.set(stored.id, error.message);
      }
      if (looked.length % TURN === 0) await setImmediate();
    }
    return { looked, replacements, refused };
  }

  /**
   * Writes documents, and how far the pass is.
   * @returns false where others have written to some meanwhile: the batch is to be read again
   */
  async #write(worked: Worked): Promise<boolean> {
    const { store, definition } = this.#options;
    const { replacements, refused } = worked;
    let isWhole = true;
    let [begun, done] = [0, 0];
    const all = async (transaction: Transaction) => {
      begun = performance.now();
      const written = await transaction.collection(storeNameOf(definition)).replaceAll(replacements);
      done = performance.now();
      isWhole = written === replacements.length;
      if (isWhole) await this.#within(transaction, this.#advanced(worked));
    };
    try {
      await store.transaction(all, { lease: this.#lease, bytes: bytesOf(replacements) });
      this.#size.learn(replacements.length, { work: done - begun, end: performance.now() - done });
    } catch (error) {
      // Of several hundred documents one may always be held by somebody.
      if (!isRefusal(error) && !(error instanceof TransactionConflict)) throw error;
      const written = await this.#oneByOne(worked);
      if (written === undefined) return false;
      await this.#save(this.#advanced(written));
      this.#tell(written.refused);
      return true;
    }
    if (!isWhole) return false;
    this.#wrote(this.#advanced(worked));
    this.#tell(refused);
    return true;
  }

  /**
   * Those that can be written are.
   * @param worked of which `refused` is added to
   * @returns how far it came; undefined where others have written to some meanwhile
   */
  async #oneByOne(worked: Worked): Promise<Worked | undefined> {
    const { definition, strict = false } = this.#options;
    const { looked, replacements, refused } = worked;
    let isWhole = true;
    for (const { expected, document } of replacements) {
      try {
        const written = await this.#patiently((transaction) =>
          transaction.collection(storeNameOf(definition)).replace(expected, document),
        );
        if (!written) isWhole = false;
      } catch (error) {
        if (!isRefusal(error)) throw error;
        refused.set(document.id, error.message);
        if (!strict) continue;
        const end = looked.findIndex(({ id }) => id === document.id) + 1;
        const first = new Map([[document.id, error.message]]);
        return { looked: looked.slice(0, end), replacements, refused: first };
      }
    }
    return isWhole ? worked : undefined;
  }

  #tell(refused: ReadonlyMap<string, string>): void {
    for (const [id, reason] of refused) this.#options.refused?.(id, reason);
  }

  #advanced({ looked, refused }: Worked): MigrationRecord {
    const { migrations, run } = this.#record;
    return {
      migrations: migrations.map((entry) => {
        if (entry.state !== "running") return entry;
        const failed = [...entry.failed, ...refused.keys()].slice(0, NAMED);
        const failures = entry.failures + refused.size;
        return { ...entry, done: entry.done + looked.length - refused.size, failed, failures };
      }),
      run: run && { ...run, after: looked.at(-1)?.id },
    };
  }

  async #ended(state: "done" | "failed"): Promise<PassEnd> {
    const { back } = this.#options;
    const end = back === undefined || state === "failed" ? state : "pending";
    const { migrations } = this.#record;
    await this.#save({
      migrations: migrations.map((entry) => (entry.state === "running" ? { ...entry, state: end } : entry)),
    });
    return state;
  }

  async #save(record: MigrationRecord): Promise<void> {
    await this.#patiently((transaction) => this.#within(transaction, record));
    this.#wrote(record);
  }

  async #patiently<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const { store, goesOn } = this.#options;
    for (const until = performance.now() + PATIENCE; ; ) {
      try {
        return await store.transaction(work, { lease: this.#lease });
      } catch (error) {
        const isOver = performance.now() > until || goesOn?.() === false;
        if (!(error instanceof TransactionConflict) || isOver) throw error;
        await setTimeout(PAUSE);
      }
    }
  }

  async #within(transaction: Transaction, record: MigrationRecord): Promise<void> {
    const { definition, clock } = this.#options;
    const { version } = this.#record;
    const records = transaction.collection(migrationShape.name);
    const next = writeRecord(definition, record, version + 1, clock);
    if (version === 0) await records.insert(next);
    else if (!(await records.replace(version, next)))
      throw new Error("another process writes the same record");
  }

  #wrote(record: MigrationRecord): void {
    this.#record = { ...record, version: this.#record.version + 1 };
  }
}

function bytesOf(replacements: readonly Replacement[]): number {
  return replacements.reduce((sum, { document }) => sum + document.text.length, 0);
}

function isRefusal(error: unknown): error is Error {
  return error instanceof UniqueViolation || error instanceof DocumentTooLarge;
}
