/** How far a pass is, as the store has it. */
import { setTimeout } from "node:timers/promises";
import type { Clock } from "../clock.ts";
import { TRUE } from "../filter/algebra.ts";
import { type CollectionDefinition, storeNameOf } from "../realm/definition.ts";
import { newestForm } from "../realm/migrations.ts";
import { TransactionConflict } from "../store/contract/errors.ts";
import type { Lease } from "../store/contract/lease.ts";
import type { Store } from "../store/contract/store.ts";
import type { Transaction } from "../store/contract/transaction.ts";
import {
  type KeptRecord,
  type MigrationEntry,
  type MigrationRecord,
  migrationShape,
  NAMED,
  recordOf,
  writeRecord,
} from "./records.ts";

export interface PassRecordOptions {
  /** Not the one for writers: what is stored is read. */
  readonly store: Store;
  readonly definition: CollectionDefinition;
  readonly clock: Clock;
  /** False ends the pass between two batches; what it did stays, and the next pass goes on from there. */
  readonly goesOn?: (() => boolean) | undefined;
  /** Undoes the migrations after this one; default: all are applied. */
  readonly back?: number | undefined;
}

/** Milliseconds for which a write is tried that meets others: a shared store holds what a dead process wrote for a minute. */
const PATIENCE = 150_000;
/** Milliseconds between two attempts. */
const PAUSE = 250;

export class PassRecord {
  readonly #options: PassRecordOptions;
  readonly #lease: Lease;
  readonly #to: number;
  #record: KeptRecord;

  private constructor(options: PassRecordOptions, lease: Lease, record: KeptRecord) {
    this.#options = options;
    this.#lease = lease;
    this.#to = options.back ?? newestForm(options.definition);
    this.#record = record;
  }

  static async read(options: PassRecordOptions, lease: Lease): Promise<PassRecord> {
    return new PassRecord(options, lease, await recordOf(options.store, options.definition));
  }

  /** The last document that was looked at. */
  get after(): string | undefined {
    return this.#record.run?.after;
  }

  /** Of the migrations that are running. */
  get progress(): { readonly done: number; readonly total: number; readonly failures: number } {
    const running = this.#record.migrations.filter(({ state }) => state === "running");
    const { done = 0, total = 0 } = running[0] ?? {};
    return { done, total, failures: Math.max(0, ...running.map(({ failures }) => failures)) };
  }

  /** Numbers of the migrations that run, or are about to. */
  get concerned(): readonly string[] {
    const isIt = this.#isRunning ? ({ state }: MigrationEntry) => state === "running" : this.#isConcerned;
    return this.#record.migrations.filter(isIt).map(({ number }) => number);
  }

  /** Goes on with what was interrupted, if that led to the same form. */
  async begin(): Promise<void> {
    if (this.#isRunning) return;
    const { store, definition, back } = this.#options;
    const total = await store.collection(storeNameOf(definition)).count(TRUE, "all");
    const fresh = { state: "running", done: 0, total, failed: [], failures: 0 } as const;
    const { migrations } = this.#record;
    await this.#save({
      migrations: migrations.map((entry) => (this.#isConcerned(entry) ? { ...entry, ...fresh } : entry)),
      run: { to: this.#to, back: back !== undefined, after: undefined },
    });
  }

  /**
   * Writes documents together with how far the pass is after them.
   * @param write answers false where nothing is to be recorded
   * @param looked ids of documents
   */
  async advance(
    write: (transaction: Transaction) => Promise<boolean>,
    looked: readonly string[],
    refused: readonly string[],
    bytes: number,
  ): Promise<boolean> {
    const next = this.#advanced(looked, refused);
    let isWhole = true;
    await this.#options.store.transaction(
      async (transaction) => {
        isWhole = await write(transaction);
        if (isWhole) await this.#within(transaction, next);
      },
      { lease: this.#lease, bytes },
    );
    if (isWhole) this.#wrote(next);
    return isWhole;
  }

  /** As `advance`, where all that is to be written is. */
  async advanced(looked: readonly string[], refused: readonly string[]): Promise<void> {
    await this.#save(this.#advanced(looked, refused));
  }

  async end(state: "done" | "failed"): Promise<void> {
    const { back } = this.#options;
    const end = back === undefined || state === "failed" ? state : "pending";
    const { migrations } = this.#record;
    await this.#save({
      migrations: migrations.map((entry) => (entry.state === "running" ? { ...entry, state: end } : entry)),
    });
  }

  /** Tries again where others write. */
  async patiently<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
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

  get #isRunning(): boolean {
    const { run } = this.#record;
    return run?.to === this.#to && run.back === (this.#options.back !== undefined);
  }

  readonly #isConcerned = ({ number, state }: MigrationEntry): boolean => {
    if (this.#options.back !== undefined) return Number(number) > this.#to;
    return state !== "done" && Number(number) <= this.#to;
  };

  #advanced(looked: readonly string[], refused: readonly string[]): MigrationRecord {
    const { migrations, run } = this.#record;
    return {
      migrations: migrations.map((entry) => {
        if (entry.state !== "running") return entry;
        const failed = [...entry.failed, ...refused].slice(0, NAMED);
        const failures = entry.failures + refused.length;
        return { ...entry, done: entry.done + looked.length - refused.length, failed, failures };
      }),
      run: run && { ...run, after: looked.at(-1) },
    };
  }

  async #save(record: MigrationRecord): Promise<void> {
    await this.patiently((transaction) => this.#within(transaction, record));
    this.#wrote(record);
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
