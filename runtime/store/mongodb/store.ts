import type { MongoClient } from "mongodb";
import type { Clock } from "../../clock.ts";
import type { ChainStep } from "../contract/chain.ts";
import type { StoreCollection } from "../contract/collection.ts";
import type { StoredDocument } from "../contract/document.ts";
import { StoreUnavailable } from "../contract/errors.ts";
import type { Lease } from "../contract/lease.ts";
import type { CollectionShape } from "../contract/shape.ts";
import type { Store } from "../contract/store.ts";
import type { Transaction, TransactionOptions } from "../contract/transaction.ts";
import { MongoCollection } from "./collection.ts";
import { dropCollection } from "./drop.ts";
import type { Engine, TextState, Warn } from "./engine.ts";
import { storeError } from "./errors.ts";
import { MongoFeed } from "./feed/feed.ts";
import { bookkeeping } from "./layout.ts";
import { Leases } from "./leases.ts";
import { turnsOf } from "./pool.ts";
import { provision, upkeepOf } from "./provision/provision.ts";
import { isRouter } from "./provision/server.ts";
import { readChain } from "./read/chain.ts";
import { Underway } from "./underway.ts";
import { Transactions } from "./write/transactions.ts";

/** Milliseconds in which a primary is to answer. */
const HEALTH_TIME = 2_000;

/** Milliseconds that servers give a transaction (`transactionLifetimeLimitSeconds`). */
const TRANSACTION_TIME = 60_000;

/**
 * Milliseconds after which an operation has been forgotten by whoever was to answer it. It waits for a server, for a
 * connection, for its answer and for the majority's (or, an expensive query, for its turn), and for all of that once more
 * where the driver tries it again.
 */
function patienceWith({ options }: MongoClient, time: number): number {
  return 2 * (options.serverSelectionTimeoutMS + 3 * time);
}

export interface MongoStoreOptions {
  /** Of `openClient`; closed by who opened it. */
  readonly client: MongoClient;
  /** Before the realm's name in that of its database. */
  readonly prefix: string;
  readonly realm: string;
  readonly clock: Clock;
  /** Milliseconds that a list, a count or a write may take. */
  readonly queryTime: number;
  /** The same of searches and aggregations; default: `queryTime`. */
  readonly searchTime?: number;
  /** Default: nobody hears of it. */
  readonly warn?: Warn;
}

/** Opens the realm's store: database `<prefix><realm>`. The server is not asked for anything yet. */
export async function openMongoStore(options: MongoStoreOptions): Promise<Store> {
  return new MongoStore(options);
}

class MongoStore implements Store {
  readonly isShared = true;
  readonly feed: MongoFeed;
  readonly #engine: Engine;
  readonly #leases: Leases;
  readonly #transactions: Transactions;
  readonly #underway: Underway;
  readonly #closing = new AbortController();
  readonly #collections = new Map<string, MongoCollection>();
  readonly #texts = new Map<string, TextState>();
  readonly #shapes = new Map<string, CollectionShape>();
  #closed: Promise<void> | undefined;

  constructor({ client, prefix, realm, clock, queryTime, searchTime, warn = () => {} }: MongoStoreOptions) {
    const database = client.db(prefix + realm);
    const times = { queryTime, searchTime: searchTime ?? queryTime };
    const expensive = turnsOf(client);
    this.#engine = { client, database, clock, ...times, expensive, closing: this.#closing.signal, warn };
    this.#underway = new Underway(patienceWith(client, Math.max(times.queryTime, times.searchTime)));
    this.#leases = new Leases(this.#engine);
    this.#transactions = new Transactions(
      this.#engine,
      (name, session) => this.#provisioned(name).within(session),
      this.#leases,
    );
    this.feed = new MongoFeed(this.#engine);
  }

  async provision(shapes: readonly CollectionShape[]): Promise<void> {
    try {
      const provisioned = await this.#underway.run(async () => {
        // The driver connects by itself at the first operation, but where that fails never again.
        await this.#engine.client.connect();
        return provision(this.#engine, shapes);
        // Making indexes takes as long as it takes.
      }, Number.POSITIVE_INFINITY);
      for (const [name, one] of provisioned) {
        await this.#texts.get(name)?.close();
        this.#texts.set(name, one.text);
        this.#collections.set(name, new MongoCollection(this.#engine, one, this.#underway));
        this.#shapes.set(name, one.shape);
      }
      await this.feed.follow([...this.#shapes.values()]);
    } catch (error) {
      throw storeError(error);
    }
  }

  collection(name: string): StoreCollection {
    return this.#provisioned(name);
  }

  transaction<T>(
    work: (transaction: Transaction) => Promise<T>,
    { lease }: TransactionOptions = {},
  ): Promise<T> {
    const patience = TRANSACTION_TIME + patienceWith(this.#engine.client, this.#engine.queryTime);
    return this.#underway.run(() => this.#transactions.run(work, lease), patience);
  }

  async chain(steps: readonly ChainStep[]): Promise<readonly (readonly StoredDocument[])[]> {
    try {
      const provisionedOf = (name: string) => this.#provisioned(name).provisioned;
      return await this.#underway.run(() => readChain(this.#engine, provisionedOf, steps));
    } catch (error) {
      throw storeError(error);
    }
  }

  lease(name: string, ttl: number): Promise<Lease | undefined> {
    return this.#underway.run(() => this.#leases.take(name, ttl));
  }

  now(): Promise<number> {
    return this.#underway.run(() => serverTime(this.#engine));
  }

  /** Other instances write, too. */
  revision(): undefined {
    return undefined;
  }

  unfilledTexts(): readonly string[] {
    return [];
  }

  async fillText(): Promise<boolean> {
    return false;
  }

  async drop(collection: string, documents: number): Promise<boolean> {
    if (this.#collections.has(collection)) throw new Error(`collection ${collection} is provisioned`);
    try {
      const now = this.#engine.clock.now();
      return await this.#underway.run(
        () => dropCollection(this.#engine, collection, documents, now),
        Number.POSITIVE_INFINITY,
      );
    } catch (error) {
      throw storeError(error);
    }
  }

  health(): Promise<void> {
    return this.#underway.run(() => checkPrimary(this.#engine));
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    await this.#underway.close();
    await this.feed.close();
    for (const text of this.#texts.values()) await text.close();
    await upkeepOf(this.#engine).end();
  }

  #provisioned(name: string): MongoCollection {
    const found = this.#collections.get(name);
    if (found === undefined) throw new Error(`collection ${name} is not provisioned`);
    return found;
  }
}

/**
 * Our clock, set right as far as the server's is certain to differ: by what lies outside of the time that asking took.
 * @throws StoreUnavailable
 */
async function serverTime({ database, clock }: Engine): Promise<number> {
  const sent = Date.now();
  try {
    const { localTime } = await database.command({ hello: 1 }, { signal: AbortSignal.timeout(HEALTH_TIME) });
    const theirs = Number(localTime);
    return clock.now() + theirs - Math.min(Math.max(theirs, sent), Date.now());
  } catch (error) {
    throw new StoreUnavailable(error);
  }
}

/** @throws StoreUnavailable where there is no primary, or none that answers in time */
async function checkPrimary({ database }: Engine): Promise<void> {
  const limits = () => ({ signal: AbortSignal.timeout(HEALTH_TIME) });
  try {
    const { isWritablePrimary, msg } = await database.command({ hello: 1, maxTimeMS: HEALTH_TIME }, limits());
    if (isWritablePrimary !== true) throw new Error("the server is no primary");
    // A router calls itself one, whatever has become of the shard behind it: only that answers this.
    const options = { projection: { _id: 1 }, maxTimeMS: HEALTH_TIME, ...limits() };
    if (isRouter(msg)) await database.collection(bookkeeping.instances).findOne({}, options);
  } catch (error) {
    throw new StoreUnavailable(error);
  }
}
