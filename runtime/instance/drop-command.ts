import { hostname } from "node:os";
import type { Clock } from "../clock.ts";
import { fileLedger } from "../documents/files/ledger.ts";
import { fileCollections, collections as fileNames, readNames } from "../documents/files/records.ts";
import { forgetMigrations, migrationShape } from "../migrations/records.ts";
import { type RealmDefinition, storeNameOf } from "../realm/definition.ts";
import type { StorageDefinition } from "../realm/files.ts";
import type { KeptCollection } from "../store/contract/beside.ts";
import type { Store } from "../store/contract/store.ts";
import { openStores, type Stores } from "../store/engines.ts";
import { didYouMean } from "../suggest.ts";
import { type Program, realmsCalled, type Surroundings, UsageError } from "./command.ts";
import { locationOf, oneOf, optionsAmong, required, requireFolder } from "./command-words.ts";

export const dropUsage =
  "drop <realm>/<database>/<collection> --store <store> [--yes-delete <documents>] [--format text|json]";

/** Milliseconds that one read or write may take. */
const PATIENCE = 120_000;
/** Documents whose files are let go at a time. */
const BATCH = 200;

/**
 * `drop` removes the data of a collection that is configured no longer, where it is told how many documents that are; without
 * that it prints how many. No server may be serving an embedded store, unless nothing is removed. Answers the exit code: 1
 * where there is no such collection, or it has another number of documents.
 * @throws UsageError | FolderLocked | StoreUnavailable | StoreRefused
 */
export async function dropCommand(
  program: Program,
  words: readonly string[],
  surroundings: Surroundings,
  clock: Clock,
): Promise<number> {
  const { out, err } = surroundings;
  const { location, definition, collection, path, documents, format } = parseWords(
    program,
    words,
    surroundings,
  );
  requireFolder("--store", location);
  const holder =
    documents === undefined ? {} : { holder: `process ${process.pid} on ${hostname()}, dropping` };
  const stores = await openStores({ location, setting: "--store", clock, queryTime: PATIENCE, ...holder });
  try {
    const kept = await keptIn(stores, definition);
    const found = kept.find(({ name }) => name === collection);
    const tell = (isDropped: boolean, count: number, line: string) =>
      out(
        format === "json" ? JSON.stringify({ collection: path, documents: count, dropped: isDropped }) : line,
      );
    if (documents === undefined) {
      if (found === undefined) return unknown(path, definition, kept, err);
      const hint = `to remove them, with --yes-delete ${found.documents}`;
      tell(false, found.documents, `${path}: ${found.documents} documents; nothing was removed (${hint})`);
      return 0;
    }
    if (found !== undefined && found.documents !== documents) {
      err(`${path} has ${found.documents} documents, not ${documents}: nothing was removed`);
      return 1;
    }
    const hasFiles = kept.some(({ name }) => name === fileNames.names);
    const store = await opened(stores, definition, hasFiles);
    if (found !== undefined && !(await store.drop(collection, documents))) {
      err(`${path} was written to meanwhile: nothing was removed`);
      return 1;
    }
    // Of what was dropped just now, or by a run that died before it came here.
    const files = hasFiles ? await letFilesGo(store, definition, collection, clock) : 0;
    await forgetMigrations(store, collection);
    if (found === undefined && files === 0) return unknown(path, definition, kept, err);
    const swept = files === 0 ? "" : `; the files of ${files} are removed within two hours`;
    tell(true, documents, `${path}: ${documents} documents removed${swept}`);
    return 0;
  } finally {
    await stores.close();
  }
}

/** What a store has of a realm. */
async function keptIn(stores: Stores, { name }: RealmDefinition): Promise<readonly KeptCollection[]> {
  const reader = await stores.reader(name);
  return reader === undefined ? [] : reader.collections();
}

function unknown(
  path: string,
  definition: RealmDefinition,
  kept: readonly KeptCollection[],
  err: (line: string) => void,
): number {
  const configured = new Set(definition.collections.map(storeNameOf));
  const unused = kept
    .map(({ name }) => name)
    .filter((name) => !name.startsWith("_svc.") && !configured.has(name))
    .map((name) => `${definition.name}/${name.replace(".", "/")}`);
  const hint = didYouMean(path, unused) ?? `configured no longer: ${unused.join(", ") || "none"}`;
  err(`the store has no collection ${path} (${hint})`);
  return 1;
}

/** Provisioned for no more than is needed: what else is declared is none of this command's business. */
async function opened(stores: Stores, definition: RealmDefinition, hasFiles: boolean): Promise<Store> {
  const store = await stores.open(definition.name);
  const files = hasFiles ? fileCollections({ storage: storageOf(definition) }) : [];
  await store.provision([migrationShape, ...files]);
  return store;
}

/** A realm that had files once, and has none by today's configuration, has no quotas either. */
function storageOf({ storage }: RealmDefinition): StorageDefinition {
  return storage ?? { driver: { kind: "local" }, quota: Number.MAX_SAFE_INTEGER };
}

/** No document of the collection names files any more: the sweep removes those that nothing else names. Of how many. */
async function letFilesGo(
  store: Store,
  definition: RealmDefinition,
  collection: string,
  clock: Clock,
): Promise<number> {
  const ledger = fileLedger(store, storageOf(definition), () => clock.now());
  const names = store.collection(fileNames.names);
  const prefix = `${collection}/`;
  let after = prefix;
  let count = 0;
  for (;;) {
    const found = (await names.scan(after, BATCH)).filter(({ id }) => id.startsWith(prefix));
    for (const stored of found) {
      const { document } = readNames(stored).record;
      await store.transaction((transaction) => ledger.follow(transaction, collection, document, undefined));
      count += 1;
      after = stored.id;
    }
    if (found.length < BATCH) return count;
  }
}

function parseWords(program: Program, words: readonly string[], { environment }: Surroundings) {
  const [path, ...rest] = words;
  const [realm, database, name, ...more] = path?.split("/") ?? [];
  if (path === undefined || path.startsWith("-") || !database || !name || more.length > 0)
    throw new UsageError("drop takes a collection, <realm>/<database>/<collection>");
  const { store, "yes-delete": given, format } = optionsAmong(rest, known);
  const [{ definition }] = realmsCalled(realm, program.realms);
  const collection = storeNameOf({ database, name });
  if (definition.collections.some((each) => storeNameOf(each) === collection))
    throw new UsageError(
      `${path} is configured: take it out of the configuration and build first, or remove its documents by the API`,
    );
  return {
    location: locationOf("--store", required("--store", store), environment),
    definition,
    collection,
    path,
    documents: given === undefined ? undefined : countIn(given),
    format: oneOf("--format", format, ["text", "json"]),
  };
}

function countIn(given: string): number {
  if (!/^\d{1,15}$/.test(given))
    throw new UsageError(`--yes-delete takes a number of documents, not ${given}`);
  return Number(given);
}

const known = {
  store: { type: "string" },
  "yes-delete": { type: "string" },
  format: { type: "string" },
} as const;
