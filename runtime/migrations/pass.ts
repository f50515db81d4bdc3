/** Brings the stored documents of a collection into another form. */
import { setImmediate, setTimeout } from "node:timers/promises";
import { storeNameOf } from "../realm/definition.ts";
import type { DocumentWrite } from "../store/contract/document.ts";
import {
  DocumentTooLarge,
  LeaseLost,
  TransactionConflict,
  UniqueViolation,
} from "../store/contract/errors.ts";
import type { Lease } from "../store/contract/lease.ts";
import type { Replacement, Transaction } from "../store/contract/transaction.ts";
import { BatchSize } from "./batch-size.ts";
import { isOld, migrated, Unmigratable, undone } from "./forms.ts";
import { pacesOf, together } from "./pace.ts";
import { PassRecord, type PassRecordOptions } from "./pass-record.ts";
import { recordOf } from "./records.ts";

export interface PassOptions extends PassRecordOptions {
  /** Documents say who wrote them. */
  readonly authored: boolean;
  /** Documents in a second at most; administrators may say less while it runs. */
  readonly rate?: number | undefined;
  /** Ends where an administrator says so, who can say that it is to go on. */
  readonly pausable?: boolean | undefined;
  /** Ends at the first document that is refused. */
  readonly strict?: boolean | undefined;
  readonly progress?: ((progress: PassProgress) => void) | undefined;
  /** Told of each document that stays as it is. */
  readonly refused?: ((id: string, reason: string) => void) | undefined;
  /** Told how many documents of a batch were written in their new form. */
  readonly wrote?: ((documents: number) => void) | undefined;
}

export interface PassProgress {
  readonly collection: string;
  readonly done: number;
  readonly total: number;
}

/** How a pass ended: `taken` where another process does the same, `paused` where an administrator wants that. */
export type PassEnd = "done" | "failed" | "stopped" | "taken" | "paused";

/** Characters of texts that are read, and written together. */
const CHARACTERS = 2 ** 22;
/** Documents that are worked on before others have their turn. */
const TURN = 50;
/** Milliseconds after which another process takes on what a dead one left. */
const LEASE = 15_000;

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
    return await new Pass(options, await PassRecord.read(options, lease), lease).run();
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
  readonly #record: PassRecord;
  readonly #lease: Lease;
  readonly #size = new BatchSize();

  constructor(options: PassOptions, record: PassRecord, lease: Lease) {
    this.#options = options;
    this.#record = record;
    this.#lease = lease;
  }

  async run(): Promise<PassEnd> {
    const { store, definition, goesOn, strict = false, progress } = this.#options;
    const collection = storeNameOf(definition);
    let { rate, paused } = await this.#pace();
    if (paused) return "paused";
    await this.#record.begin();
    for (;;) {
      if (goesOn?.() === false) return "stopped";
      const began = performance.now();
      this.#size.limit(rate);
      const batch = await store
        .collection(collection)
        .scan(this.#record.after, this.#size.documents, CHARACTERS);
      if (batch.length === 0) break;
      const worked = await this.#worked(batch);
      const isWhole = await this.#write(worked);
      if (strict && isWhole && worked.refused.size > 0) return this.#ended("failed");
      progress?.({ collection, ...this.#record.progress });
      if (!(await this.#lease.renew())) return "taken";
      const looked = isWhole ? worked.looked.length : 0;
      if (rate === undefined) await setImmediate();
      else await setTimeout(Math.max(0, (looked / rate) * 1000 - (performance.now() - began)));
      ({ rate, paused } = await this.#pace());
      if (paused) return "paused";
    }
    return this.#ended(this.#record.progress.failures > 0 ? "failed" : "done");
  }

  /** What administrators say now, and whoever began the pass. */
  async #pace(): Promise<{ readonly rate: number | undefined; readonly paused: boolean }> {
    const { store, pausable = false, rate: most = Number.POSITIVE_INFINITY } = this.#options;
    const { rate = most, paused = false } = together(await pacesOf(store), this.#record.concerned);
    const least = Math.min(rate, most);
    return { rate: Number.isFinite(least) ? least : undefined, paused: pausable && paused };
  }

  async #ended(state: "done" | "failed"): Promise<PassEnd> {
    await this.#record.end(state);
    return state;
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
    const { replacements } = worked;
    let [begun, done] = [0, 0];
    const all = async (transaction: Transaction) => {
      begun = performance.now();
      const documents = transaction.collection(storeNameOf(this.#options.definition));
      const written = await documents.replaceAll(replacements);
      done = performance.now();
      return written === replacements.length;
    };
    try {
      const isWhole = await this.#record.advance(all, ...idsOf(worked), bytesOf(replacements));
      this.#size.learn(replacements.length, { work: done - begun, end: performance.now() - done });
      if (isWhole) this.#tell(worked);
      return isWhole;
    } catch (error) {
      // Of several hundred documents one may always be held by somebody.
      if (!isRefusal(error) && !(error instanceof TransactionConflict)) throw error;
      const written = await this.#oneByOne(worked);
      if (written === undefined) return false;
      await this.#record.advanced(...idsOf(written));
      this.#tell(written);
      return true;
    }
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
        const written = await this.#record.patiently((transaction) =>
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

  #tell({ looked, replacements, refused }: Worked): void {
    for (const [id, reason] of refused) this.#options.refused?.(id, reason);
    const ids = new Set(looked.map(({ id }) => id));
    const written = replacements.filter(({ document: { id } }) => ids.has(id) && !refused.has(id));
    this.#options.wrote?.(written.length);
  }
}

/** Of all that were looked at, and of those that stay as they are. */
function idsOf({ looked, refused }: Worked): [readonly string[], readonly string[]] {
  return [looked.map(({ id }) => id), [...refused.keys()]];
}

function bytesOf(replacements: readonly Replacement[]): number {
  return replacements.reduce((sum, { document }) => sum + document.text.length, 0);
}

function isRefusal(error: unknown): error is Error {
  return error instanceof UniqueViolation || error instanceof DocumentTooLarge;
}
