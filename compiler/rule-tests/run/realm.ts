/** A realm as it runs, on an embedded store in memory, for rule tests: what is stored there is that of one file at a time. */
import { randomBytes } from "node:crypto";
import type { Clock } from "../../../runtime/clock.ts";
import { type Collection, collectionOf } from "../../../runtime/documents/collection.ts";
import { ownMembers } from "../../../runtime/documents/draft.ts";
import { type ParsedDocument, parseDocument } from "../../../runtime/documents/encode.ts";
import { timesIn } from "../../../runtime/documents/meta.ts";
import { documentCollections } from "../../../runtime/documents/shapes.ts";
import { LoneRealm } from "../../../runtime/instance/lone-realm.ts";
import { readSettings } from "../../../runtime/instance/settings.ts";
import type { CollectionDefinition, RealmDefinition } from "../../../runtime/realm/definition.ts";
import type { RealmInstance } from "../../../runtime/realm/exchange.ts";
import type { DocumentWrite } from "../../../runtime/store/contract/document.ts";
import type { Store } from "../../../runtime/store/contract/store.ts";
import { openSqliteStore } from "../../../runtime/store/sqlite/store.ts";
import { nameOf } from "../reading.ts";
import type { RuleTestFile, TestDocument } from "../rule-tests.ts";

/** A document of a file as the store holds it. */
export interface StoredTest {
  readonly name: string;
  readonly write: DocumentWrite;
  /** Its text, parsed: nobody changes it. */
  readonly document: ParsedDocument;
}

export class RealmUnderTest {
  readonly instance: RealmInstance;
  readonly #lone: LoneRealm;
  readonly #clock: { time: number };
  readonly #collections: ReadonlyMap<string, CollectionDefinition>;

  constructor(definition: RealmDefinition, lone: LoneRealm, clock: { time: number }) {
    this.instance = lone.instance;
    this.#lone = lone;
    this.#clock = clock;
    this.#collections = new Map(definition.collections.map((each) => [nameOf(each), each]));
  }

  /** @param name `<database>/<collection>` */
  collection(name: string): Collection {
    const definition = this.#collections.get(name);
    if (definition === undefined) throw new Error(`there is no collection ${name}`);
    return collectionOf(this.instance, definition);
  }

  /** Stores the documents of a file, in place of those of the file before; the time is the file's. */
  async hold(file: RuleTestFile, before: StoredFile | undefined): Promise<StoredFile> {
    this.#clock.time = Date.parse(file.now);
    await this.#clear(before);
    const held = new Map<string, StoredTest[]>();
    for (const document of file.documents.values()) {
      const own = this.collection(document.collection);
      const write = storedOf(document, own.definition);
      await own.documents.insert(write);
      const others = held.get(document.collection);
      const stored = { name: document.name, write, document: parseDocument(write.text) };
      if (others === undefined) held.set(document.collection, [stored]);
      else others.push(stored);
    }
    return held;
  }

  /** Takes the documents of the last file away. */
  async close(last: StoredFile | undefined): Promise<void> {
    await this.#clear(last);
    await this.#lone.close();
  }

  async #clear(file: StoredFile | undefined): Promise<void> {
    for (const [name, documents] of file ?? [])
      for (const { write } of documents)
        await this.collection(name).documents.remove(write.id, write.version);
  }
}

/** The documents of a file, by collection. */
export type StoredFile = ReadonlyMap<string, readonly StoredTest[]>;

/** Dates are brought into their stored form, as writes do. */
function storedOf({ value }: TestDocument, definition: CollectionDefinition): DocumentWrite {
  const { id, _meta: meta } = value;
  const members = structuredClone(ownMembers(value));
  definition.normalizeDates?.(members);
  const version = typeof meta["version"] === "number" ? meta["version"] : 1;
  const text = JSON.stringify({ id, ...members, _meta: meta });
  return { id, version, text, ...timesIn(meta) };
}

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Milliseconds that a list may take. */
const queryTime = 5_000;

/** A store in memory, which documents of several realms' definitions may lie in, one after another. */
export interface HeldStore {
  readonly store: Store;
  readonly clock: Clock & { time: number };
}

export async function openStore(definition: RealmDefinition): Promise<HeldStore> {
  const clock = { time: 0, now: () => clock.time };
  const location = ":memory:";
  const store = await openSqliteStore({ location, realm: definition.name, clock, queryTime, readers: 1 });
  // Documents of a file may be told apart by nothing but their names.
  const shapes = documentCollections(definition).map((shape) => ({
    ...shape,
    indexes: shape.indexes.map((index) => ({ ...index, unique: false })),
  }));
  await store.provision(shapes);
  return { store, clock };
}

/** @param held by {@link openStore}, of a definition with the same collections */
export function openRealm(definition: RealmDefinition, { store, clock }: HeldStore): RealmUnderTest {
  const settings = readSettings({ SVC_STORE: "sqlite::memory:" });
  const options = { definition, store, clock, settings, fingerprint: "rule-tests", log: quiet };
  return new RealmUnderTest(definition, new LoneRealm({ ...options, keys: [randomBytes(32)] }), clock);
}
