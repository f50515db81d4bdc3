/** Documents that are imported together: judged, and written in one transaction. */
import { setImmediate, setTimeout } from "node:timers/promises";
import { ApiError } from "../../errors.ts";
import { isIn } from "../../filter/algebra.ts";
import { documentFields } from "../../filter/fields.ts";
import type { StoredDocument } from "../../store/contract/document.ts";
import {
  DocumentTooLarge,
  DuplicateId,
  InsertRefused,
  TransactionConflict,
  UniqueViolation,
} from "../../store/contract/errors.ts";
import type { Lease } from "../../store/contract/lease.ts";
import type { Store } from "../../store/contract/store.ts";
import type { Transaction } from "../../store/contract/transaction.ts";
import { LARGEST_DOCUMENT } from "../../store/writable.ts";
import type { Incoming, Reject } from "./incoming.ts";
import { Rejected, rejectOf } from "./rejected.ts";
import type { Drafted, Mode, Taker, Writable } from "./taker.ts";

export interface BatchOptions<Draft extends Drafted, Prepared extends Writable> {
  readonly store: Store;
  readonly taker: Taker<Draft, Prepared>;
  readonly mode: Mode;
  /** On the strength of which it is written. */
  readonly lease?: Lease;
  /** Milliseconds for which a write is tried that meets others. */
  readonly patience: number;
}

/** What one transaction does. */
export interface Step {
  /** What is done with then. */
  readonly incoming: readonly Incoming[];
  readonly created: number;
  readonly replaced: number;
  /** In the order of their lines. */
  readonly rejected: readonly Reject[];
}

/**
 * Commits a step by calling `commit` with what is written along with it. It is called again, maybe with another step, where
 * the commit throws.
 */
export type Take = (
  step: Step,
  commit: (along: (transaction: Transaction) => Promise<void>) => Promise<void>,
) => Promise<void>;

const PAUSE = 250;
/** Refusals of one batch that are gone on after at once. */
const REFUSALS = 8;
/** Documents that are judged before others have their turn. */
const TURN = 100;

/** So much at once cannot be written, or not without trying again and again. */
export class TooMuch extends Error {}

/** Imports documents into a collection, or records of the service. */
export class BatchImport<Draft extends Drafted, Prepared extends Writable> {
  readonly #options: BatchOptions<Draft, Prepared>;

  constructor(options: BatchOptions<Draft, Prepared>) {
    this.#options = options;
  }

  /**
   * @returns how many are done with: all, or those before one whose id an earlier one of them has
   * @throws TooMuch where only fewer at once may be written
   * @throws TransactionConflict | Changed where others write again and again
   */
  async write(incoming: readonly Incoming[], take: Take): Promise<number> {
    const { taker, patience } = this.#options;
    const drafts = new Map<string, Draft>();
    const rejected: Reject[] = [];
    let looked = 0;
    for (const one of incoming) {
      try {
        const draft = taker.draft(one);
        if (drafts.has(draft.id)) break;
        drafts.set(draft.id, draft);
      } catch (error) {
        rejected.push(rejectOf(one.line, error));
      }
      looked += 1;
      if (looked % TURN === 0) await setImmediate();
    }
    const done = incoming.slice(0, looked);
    for (const until = performance.now() + patience; ; ) {
      const refused = [...rejected];
      const prepared = await this.#prepared([...drafts.values()], refused);
      try {
        await this.#writeAll(done, prepared, refused, take);
        return looked;
      } catch (error) {
        const mayRepeat = error instanceof TransactionConflict || error instanceof Changed;
        if (!mayRepeat || performance.now() > until) throw error;
        await setTimeout(PAUSE);
      }
    }
  }

  /** @param rejected is added to @throws TooMuch */
  async #prepared(drafts: readonly Draft[], rejected: Reject[]): Promise<readonly Prepared[]> {
    const { taker, mode } = this.#options;
    const found = await this.#found(drafts.map(({ id }) => id));
    const prepared: Prepared[] = [];
    let characters = 0;
    for (const [at, draft] of drafts.entries()) {
      try {
        const existing = found.get(draft.id);
        if (existing !== undefined && mode === "create") throw new Rejected(draft.id, taker.taken);
        const made = taker.prepared(draft, existing);
        characters += made.document.text.length;
        // Few bytes may stand for much more, with the defaults of what they leave out.
        if (characters > LARGEST_DOCUMENT && prepared.length > 0) throw new TooMuch();
        prepared.push(made);
      } catch (error) {
        if (error instanceof TooMuch) throw error;
        rejected.push(rejectOf(draft.line, error));
      }
      if (at % TURN === TURN - 1) await setImmediate();
    }
    const missing = await taker.missing(prepared);
    for (const [line, error] of missing) rejected.push(rejectOf(line, error));
    return prepared.filter(({ line }) => !missing.has(line));
  }

  /** What there is of these ids, in whatever state. */
  async #found(ids: readonly string[]): Promise<ReadonlyMap<string, StoredDocument>> {
    const { store, taker } = this.#options;
    if (ids.length === 0) return new Map();
    const filter = isIn(documentFields.id, ids);
    const query = { filter, visibility: "all", limit: ids.length, skip: 0 } as const;
    const found = await store.collection(taker.name).find(query);
    const newest = (await taker.newest?.(found)) ?? found;
    return new Map(newest.map((document) => [document.id, document]));
  }

  /**
   * Writes the documents; what the store refuses is rejected.
   * @throws TooMuch
   * @throws Changed | TransactionConflict where others have written meanwhile
   */
  async #writeAll(
    incoming: readonly Incoming[],
    prepared: readonly Prepared[],
    rejected: Reject[],
    take: Take,
  ): Promise<void> {
    let rest = prepared;
    for (let refusals = 0; ; refusals += 1) {
      try {
        await this.#commit(incoming, rest, rejected, take);
        return;
      } catch (error) {
        const [only, ...others] = rest;
        const refused = others.length === 0 ? only : refusedAmong(rest, error);
        if (!isRefusal(error) || only === undefined) throw error;
        if (refused === undefined || refusals === REFUSALS) throw new TooMuch();
        rejected.push({ line: refused.line, id: refused.document.id, error: this.#reason(error) });
        rest = rest.filter((each) => each !== refused);
      }
    }
  }

  async #commit(
    incoming: readonly Incoming[],
    prepared: readonly Prepared[],
    rejected: readonly Reject[],
    take: Take,
  ): Promise<void> {
    const { store, taker, lease } = this.#options;
    const created = createdAmong(prepared);
    const replaced = prepared.flatMap(({ document, expected }) =>
      expected === undefined ? [] : [{ document, expected }],
    );
    const bytes = prepared.reduce((sum, { document }) => sum + document.text.length, 0);
    const step: Step = {
      ...{ incoming, created: created.length, replaced: replaced.length },
      rejected: rejected.toSorted((one, other) => one.line - other.line),
    };
    await take(step, (along) => {
      const work = async (transaction: Transaction) => {
        const documents = transaction.collection(taker.name);
        if (created.length > 0) await documents.insertAll(created.map(({ document }) => document));
        if (replaced.length > 0 && (await documents.replaceAll(replaced)) < replaced.length)
          throw new Changed();
        await taker.along?.(transaction, prepared);
        await along(transaction);
      };
      return store.transaction(work, { ...(lease && { lease }), bytes });
    });
  }

  #reason(error: Error): string {
    const cause = error instanceof InsertRefused ? error.cause : error;
    const { taker } = this.#options;
    if (cause instanceof DuplicateId) return taker.taken;
    return taker.reason(cause instanceof Error ? cause : error);
  }
}

/** Somebody else has written a document that was to be replaced. */
export class Changed extends Error {}

/** In the order in which they are inserted. */
export function createdAmong<Prepared extends Writable>(prepared: readonly Prepared[]): readonly Prepared[] {
  return prepared.filter(({ expected }) => expected === undefined);
}

/** The document that the store has refused; undefined where it does not say which one. */
function refusedAmong<Prepared extends Writable>(
  prepared: readonly Prepared[],
  error: unknown,
): Prepared | undefined {
  return error instanceof InsertRefused ? createdAmong(prepared)[error.at] : undefined;
}

function isRefusal(error: unknown): error is Error {
  const cause = error instanceof InsertRefused ? error.cause : error;
  return (
    cause instanceof DuplicateId ||
    cause instanceof UniqueViolation ||
    cause instanceof DocumentTooLarge ||
    isOverQuota(cause)
  );
}

/** The files of a document are more than the realm, or its organization, may have. */
export function isOverQuota(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === "quota_exceeded";
}
