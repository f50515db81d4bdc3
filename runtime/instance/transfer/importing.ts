/** Imports inputs into the collections of a store. */
import { setTimeout } from "node:timers/promises";
import type { Clock } from "../../clock.ts";
import type { Author } from "../../documents/access.ts";
import { fileLedger } from "../../documents/files/ledger.ts";
import { BatchImport, type Step, TooMuch } from "../../documents/importing/batch.ts";
import type { FileBringer } from "../../documents/importing/brought.ts";
import { documentTaker } from "../../documents/importing/document-taker.ts";
import type { Incoming } from "../../documents/importing/incoming.ts";
import { ImportRecord, importLease } from "../../documents/importing/record.ts";
import type { Drafted, Taker, Writable } from "../../documents/importing/taker.ts";
import { requireInOrder } from "../../migrations/announce.ts";
import { migratingStore } from "../../migrations/store.ts";
import type { RealmDefinition } from "../../realm/definition.ts";
import type { Lease } from "../../store/contract/lease.ts";
import type { Store } from "../../store/contract/store.ts";
import type { Transaction } from "../../store/contract/transaction.ts";
import { realmCollections } from "../realm.ts";
import { type CollectionOptions, type Destination, type ImportOptions, ImportTaken } from "./destination.ts";
import { MarkedInput } from "./import-input.ts";
import { beginning, type Counts, counted, type Position, positionIn } from "./import-position.ts";
import { namesIn } from "./import-sources.ts";
import { recordTaker } from "./records/record-taker.ts";
import { pathOf } from "./selection.ts";

interface StoreImport<Draft extends Drafted, Prepared extends Writable> extends ImportOptions {
  readonly store: Store;
  readonly taker: Taker<Draft, Prepared>;
  /** As people read it: `<database>/<collection>`, or `_users`. */
  readonly path: string;
}

/** Characters of documents that are written in one transaction, about. */
const CHARACTERS = 4 * 1024 ** 2;
/** Milliseconds after which another process takes on what a dead one left. */
const LEASE = 15_000;
/** Milliseconds for which a write is tried that meets others. */
const PATIENCE = 60_000;
const PAUSE = 250;

/** A store that nobody serves, or that is shared. */
export function storeDestination(
  store: Store,
  clock: Clock,
  files?: FileBringer & { close(): Promise<void> },
): Destination {
  return {
    async prepare({ realm, inputs }) {
      await store.provision(realmCollections(realm));
      for (const { definition } of inputs) await requireInOrder(store, definition);
    },
    import: (options) => importDocuments(options, store, clock, files),
    ...(files !== undefined && { close: () => files.close() }),
    importRecords(options) {
      const { realm, mode, records } = options;
      const taker = recordTaker(records, { ...{ store, mode, clock }, realm: realm.name });
      return importInput({ ...options, store, taker, path: records.kind.path });
    },
    async forget(inputs) {
      for (const name of namesIn(inputs)) await new ImportRecord(store, name).remove();
    },
  };
}

/** Whom documents name that come without their `_meta`; undefined where they name nobody. */
export function importAuthor({ accounts }: Pick<RealmDefinition, "accounts">): Author | undefined {
  return accounts === undefined ? undefined : { actor: "key:import", owner: null };
}

function importDocuments(
  options: CollectionOptions,
  given: Store,
  clock: Clock,
  bringer: FileBringer | undefined,
): Promise<Counts> {
  const { realm, definition } = options;
  const { storage } = realm;
  const store = migratingStore(given, realm);
  const hasFiles = definition.files !== undefined && storage !== undefined;
  const taker = documentTaker({
    ...{ ...options, store, clock },
    author: importAuthor(realm),
    ledger: hasFiles ? fileLedger(given, storage, () => clock.now()) : undefined,
    bringer: hasFiles ? bringer : undefined,
  });
  return importInput({ ...options, store, taker, path: pathOf(definition) });
}

/**
 * Each batch is written in one transaction with how far the import is.
 * @throws ImportTaken | InputRefused | StoreUnavailable
 */
async function importInput<Draft extends Drafted, Prepared extends Writable>(
  options: StoreImport<Draft, Prepared>,
): Promise<Counts> {
  const { store, taker } = options;
  const lease = await leaseOf(store, importLease(taker.name));
  const renewing = setInterval(() => void lease.renew().catch(() => undefined), LEASE / 3);
  try {
    return await new InputImport(options, lease).run();
  } finally {
    clearInterval(renewing);
    await lease.release();
  }
}

/** What a killed process held is free after a while. @throws ImportTaken */
async function leaseOf(store: Store, name: string): Promise<Lease> {
  for (const until = performance.now() + LEASE + 5_000; ; ) {
    const lease = await store.lease(name, LEASE);
    if (lease !== undefined) return lease;
    if (performance.now() > until)
      throw new ImportTaken(
        `${name}: another process imports into it; give the command again once that has ended`,
      );
    await setTimeout(PAUSE);
  }
}

type Commit = (along: (transaction: Transaction) => Promise<void>) => Promise<void>;

class InputImport<Draft extends Drafted, Prepared extends Writable> {
  readonly #options: StoreImport<Draft, Prepared>;
  readonly #lease: Lease;
  readonly #record: ImportRecord;
  readonly #batch: BatchImport<Draft, Prepared>;
  readonly #input: MarkedInput;
  /** As people read it. */
  readonly #where: string;
  #position: Position;

  constructor(options: StoreImport<Draft, Prepared>, lease: Lease) {
    const { store, realm, taker, path, input, asked } = options;
    this.#options = options;
    this.#lease = lease;
    this.#record = new ImportRecord(store, taker.name);
    this.#batch = new BatchImport({ ...options, lease, patience: PATIENCE });
    this.#where = `${realm.name} ${path}`;
    this.#input = new MarkedInput(input);
    this.#position = { ...beginning, asked };
  }

  async run(): Promise<Counts> {
    const { rejects, tell, batch: documents } = this.#options;
    const found = positionIn(await this.#record.read());
    if (found?.asked === this.#position.asked) this.#position = found;
    else if (found !== undefined && !found.isDone)
      tell(`${this.#where}: another import was interrupted after line ${found.line}; it is not gone on with`);
    if (this.#position.isDone) {
      rejects.skipTo(this.#position.rejects);
      return this.#position;
    }
    await rejects.goOnFrom(this.#position.read > 0 ? this.#position.rejects : rejects.bytes);
    if (this.#position.read > 0) tell(`${this.#where}: goes on after line ${this.#position.line}`);
    const limits = { documents, characters: CHARACTERS };
    for await (const batch of this.#input.batches(this.#position, limits)) {
      await this.#import(batch);
      this.#options.progress(this.#position);
    }
    await this.#end();
    return this.#position;
  }

  async #import(batch: readonly Incoming[]): Promise<void> {
    for (let rest = batch; rest.length > 0; ) {
      try {
        rest = rest.slice(await this.#batch.write(rest, (step, commit) => this.#take(step, commit)));
      } catch (error) {
        if (!(error instanceof TooMuch)) throw error;
        const half = Math.ceil(rest.length / 2);
        await this.#import(rest.slice(0, half));
        rest = rest.slice(half);
      }
    }
  }

  /** Documents, and how far the import is then. */
  async #take(step: Step, commit: Commit): Promise<void> {
    const { rejects, realm, path, isOneOfMany } = this.#options;
    const before = rejects.bytes;
    await rejects.write(step.rejected, isOneOfMany ? { realm: realm.name, collection: path } : undefined);
    const position: Position = {
      ...this.#position,
      ...this.#input.after(this.#position, step.incoming),
      ...counted(this.#position, { ...step, rejected: step.rejected.length }),
      rejects: rejects.bytes,
    };
    try {
      await commit((transaction) => this.#record.write(transaction, { ...position }));
    } catch (error) {
      await rejects.goOnFrom(before);
      throw error;
    }
    this.#record.written();
    this.#input.advance(step.incoming);
    this.#position = position;
    rejects.tell(this.#where, step.rejected);
  }

  async #end(): Promise<void> {
    const position = { ...this.#position, isDone: true };
    const { store } = this.#options;
    await store.transaction((transaction) => this.#record.write(transaction, position), {
      lease: this.#lease,
    });
    this.#record.written();
    this.#position = position;
  }
}
