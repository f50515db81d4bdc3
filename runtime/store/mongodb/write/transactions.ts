import { setTimeout } from "node:timers/promises";
import { type ClientSession, MongoError, type TransactionOptions } from "mongodb";
import { Turns } from "../../../turns.ts";
import { StoreUnavailable, TransactionConflict } from "../../contract/errors.ts";
import type { Lease } from "../../contract/lease.ts";
import type { Transaction, TransactionCollection } from "../../contract/transaction.ts";
import { modifyByVersion } from "../../modify.ts";
import type { Engine } from "../engine.ts";
import { isConflict, storeError } from "../errors.ts";
import type { Leases } from "../leases.ts";

/** No further attempt is made after so many times the time that an operation may take. */
const PATIENCE = 2;
/** Milliseconds that the first and the longest pause between two attempts last at most. */
const FIRST_PAUSE = 5;
const LONGEST_PAUSE = 250;

/** Operations of a collection that bear a session; they throw the driver's errors. Others are made of them. */
export type Operations = Omit<TransactionCollection, "modify">;
export type WithinSession = (name: string, session: ClientSession) => Operations;

/** The transactions of one store. */
export class Transactions {
  readonly #engine: Engine;
  readonly #within: WithinSession;
  readonly #leases: Leases;
  /** Those that met others try again one at a time, so that of many that want the same not all but one lose each time. */
  readonly #turns = new Turns(1, Number.POSITIVE_INFINITY, () => new TransactionConflict(undefined));

  constructor(engine: Engine, within: WithinSession, leases: Leases) {
    this.#engine = engine;
    this.#within = within;
    this.#leases = leases;
  }

  /**
   * Runs `work` in a transaction, again when another one came in between, for as long as there is patience.
   * @param lease which it presents last, so that nobody waits for long who takes or renews it
   * @throws TransactionConflict | StoreUnavailable | LeaseLost, or what `work` throws
   */
  async run<T>(
    work: (transaction: Transaction) => Promise<T>,
    lease: Pick<Lease, "name" | "token"> | undefined,
  ): Promise<T> {
    const until = performance.now() + PATIENCE * this.#engine.queryTime;
    const session = this.#engine.client.startSession();
    const present = async () => lease && this.#leases.present(lease, session);
    const attempt = () => attempted(this.#engine, session, this.#within, work, present, until);
    try {
      const first = await attempt();
      if ("answer" in first) return first.answer;
      const again = () => persistent(attempt, first.failure, until);
      return await (isConflict(first.failure) ? this.#turns.run(again) : again());
    } finally {
      await session.endSession();
    }
  }
}

/** Attempts until one succeeds or there is no patience left. */
async function persistent<T>(attempt: () => Promise<Outcome<T>>, before: unknown, until: number): Promise<T> {
  let failure = before;
  for (let attempts = 1; performance.now() < until; attempts++) {
    await pause(attempts);
    const outcome = await attempt();
    if ("answer" in outcome) return outcome.answer;
    failure = outcome.failure;
  }
  const error = storeError(failure);
  throw error instanceof StoreUnavailable ? error : new TransactionConflict(failure);
}

/** An answer that is durable, or why another attempt may succeed. */
type Outcome<T> = { readonly answer: T } | { readonly failure: unknown };

/** @throws what is not to be tried again */
async function attempted<T>(
  { queryTime }: Engine,
  session: ClientSession,
  within: WithinSession,
  work: (transaction: Transaction) => Promise<T>,
  last: () => Promise<void>,
  until: number,
): Promise<Outcome<T>> {
  session.startTransaction(transactionOptions(queryTime));
  const scope = new Scope(session, within);
  let answer: T;
  try {
    answer = await work(scope);
    await scope.end(last);
  } catch (error) {
    await scope.abort();
    if (isTransient(scope.failure)) return { failure: scope.failure };
    throw storeError(error);
  }
  return commit(session, answer, until);
}

function transactionOptions(queryTime: number): TransactionOptions {
  return {
    readConcern: { level: "snapshot" },
    readPreference: "primary",
    writeConcern: { w: "majority", wtimeoutMS: queryTime },
    maxCommitTimeMS: queryTime,
  };
}

/** Tried again as long as nobody knows how it ended; it may have been done already. */
async function commit<T>(session: ClientSession, answer: T, until: number): Promise<Outcome<T>> {
  for (let attempt = 1; ; attempt++) {
    try {
      await session.commitTransaction();
      return { answer };
    } catch (error) {
      if (isTransient(error)) return { failure: error };
      if (!(error instanceof MongoError && error.hasErrorLabel("UnknownTransactionCommitResult")))
        throw storeError(error);
      if (performance.now() > until) throw new StoreUnavailable(error);
      await pause(attempt);
    }
  }
}

/** The collections of one attempt. Operations run one after another: a session does one thing at a time. */
class Scope implements Transaction {
  /** Of the first operation that failed; it ended the transaction on the server. */
  failure: unknown;
  readonly #session: ClientSession;
  readonly #within: WithinSession;
  #last: Promise<unknown> = Promise.resolve();
  #ended = false;

  constructor(session: ClientSession, within: WithinSession) {
    this.#session = session;
    this.#within = within;
  }

  collection(name: string): TransactionCollection {
    const operations = this.#within(name, this.#session);
    const collection: TransactionCollection = {
      get: (id, visibility, filter) => this.#run(() => operations.get(id, visibility, filter)),
      insert: (document) => this.#run(() => operations.insert(document)),
      claim: (document) => this.#run(() => operations.claim(document)),
      insertAll: (documents) => this.#run(() => operations.insertAll(documents)),
      replace: (expected, document) => this.#run(() => operations.replace(expected, document)),
      remove: (id, expected) => this.#run(() => operations.remove(id, expected)),
      replaceAll: (replacements) => this.#run(() => operations.replaceAll(replacements)),
      removeAll: (documents) => this.#run(() => operations.removeAll(documents)),
      modify: (id, visibility, decide) => modifyByVersion(collection, id, visibility, decide),
    };
    return collection;
  }

  /**
   * Does one thing more, the last one.
   * @throws its failure, or that of an operation, which nobody may pass over
   */
  async end(last: () => Promise<void>): Promise<void> {
    this.#ended = true;
    await this.#last;
    if (this.failure !== undefined) throw this.failure;
    try {
      await last();
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }

  async abort(): Promise<void> {
    this.#ended = true;
    await this.#last;
    try {
      await this.#session.abortTransaction();
    } catch {
      // The server forgets it by itself.
    }
  }

  #run<T>(operation: () => Promise<T>): Promise<T> {
    if (this.#ended) return Promise.reject(new Error("the transaction has ended"));
    const result = this.#last.then(async () => {
      if (this.failure !== undefined) throw new Error("the transaction can only be given up");
      try {
        return await operation();
      } catch (error) {
        this.failure = error;
        throw storeError(error);
      }
    });
    this.#last = result.catch(() => undefined);
    return result;
  }
}

/** Another attempt may succeed. */
function isTransient(error: unknown): boolean {
  if (error instanceof TransactionConflict || isConflict(error)) return true;
  return error instanceof MongoError && error.hasErrorLabel("TransientTransactionError");
}

function pause(attempt: number): Promise<void> {
  return setTimeout(Math.random() * Math.min(LONGEST_PAUSE, FIRST_PAUSE * 1.5 ** attempt));
}
