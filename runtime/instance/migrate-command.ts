import { hostname } from "node:os";
import { setTimeout } from "node:timers/promises";
import type { Clock } from "../clock.ts";
import { documentCollection } from "../documents/shapes.ts";
import type { JsonObject } from "../json.ts";
import { announceMigrations, requireInOrder } from "../migrations/announce.ts";
import { isOld, migrated, Unmigratable, undone } from "../migrations/forms.ts";
import { migrateCollection, type PassEnd, type PassOptions } from "../migrations/pass.ts";
import { recordOf } from "../migrations/records.ts";
import type { CollectionDefinition, RealmDefinition } from "../realm/definition.ts";
import { migrationName, newestForm } from "../realm/migrations.ts";
import { batches } from "../store/batches.ts";
import type { StoreReader } from "../store/contract/beside.ts";
import type { DocumentWrite } from "../store/contract/document.ts";
import type { Store } from "../store/contract/store.ts";
import { openStores, type Stores } from "../store/engines.ts";
import { type Program, type Surroundings, UsageError } from "./command.ts";
import { locationOf, oneOf, optionsAmong, required, requireFolder } from "./command-words.ts";
import { type MigrateResult, Refusals, tellResult } from "./migrate-results.ts";
import { paced } from "./progress.ts";
import { realmCollections } from "./realm.ts";
import { type Selected, selectedBy } from "./transfer/selection.ts";

export const migrateUsage = `migrate --store <store> [--realm <realm>] [--collection <database>/<collection>] [--dry-run]
                 [--back <number>] [--rate <documents a second>] [--strict] [--format text|json]`;

/** Milliseconds that one read or write of a batch may take. */
const PATIENCE = 120_000;
/** Milliseconds between two looks whether a pause is over. */
const LOOK = 1_000;
/** Documents of which a dry run shows what would become. */
const SHOWN = 3;

/**
 * `migrate` brings the stored documents of realms into their newest form, or back into an earlier one, and prints a line for
 * each collection; what was interrupted goes on. No server may be serving an embedded store, unless nothing is written.
 * Answers the exit code: 1 where documents were refused.
 * @throws UsageError | FolderLocked | LaterMigration | MigrationOutOfOrder | StoreUnavailable | StoreRefused
 */
export async function migrateCommand(
  program: Program,
  words: readonly string[],
  surroundings: Surroundings,
  clock: Clock,
): Promise<number> {
  const asked = parseWords(program, words, surroundings);
  requireFolder("--store", asked.location);
  const holder = asked.dryRun ? {} : { holder: `process ${process.pid} on ${hostname()}, migrating` };
  const { location } = asked;
  const stores = await openStores({ location, setting: "--store", clock, queryTime: PATIENCE, ...holder });
  try {
    const results: MigrateResult[] = [];
    for (const { realm, collections } of asked.selected) {
      results.push(
        ...(asked.dryRun
          ? await tryRealm(asked, stores, realm, collections, surroundings)
          : await migrateRealm(asked, stores, realm, collections, surroundings, clock)),
      );
    }
    if (asked.format === "json") surroundings.out(JSON.stringify({ collections: results }));
    else for (const result of results) tellResult(result, surroundings);
    if (results.length === 0) surroundings.err("there is nothing to migrate");
    return results.some(({ refused, end }) => refused > 0 || end !== "done") ? 1 : 0;
  } finally {
    await stores.close();
  }
}

interface Asked {
  /** Collections that have migrations. */
  readonly selected: readonly Selected[];
  readonly dryRun: boolean;
  readonly back: number | undefined;
  readonly rate: number | undefined;
  readonly strict: boolean;
  readonly format: "text" | "json";
}

async function migrateRealm(
  { back, rate, strict }: Asked,
  stores: Stores,
  realm: RealmDefinition,
  migrating: readonly CollectionDefinition[],
  { err }: Surroundings,
  clock: Clock,
): Promise<readonly MigrateResult[]> {
  if (!(await stores.holds(realm.name))) {
    err(`${realm.name}: there is nothing of it in the store`);
    return [];
  }
  const store = await stores.open(realm.name);
  await store.provision(realmCollections(realm));
  const results: MigrateResult[] = [];
  for (const definition of migrating) {
    await requireInOrder(store, definition);
    await announceMigrations(store, definition, clock);
    const refusals = new Refusals();
    let written = 0;
    const end = await unpaused(`${realm.name} ${pathOf(definition)}`, err, {
      store,
      definition,
      authored: realm.accounts !== undefined,
      clock,
      back,
      rate,
      strict,
      // Of an embedded store nobody could say that it is to go on.
      pausable: store.isShared,
      progress: paced(({ done, total }, seconds) =>
        err(
          `${realm.name} ${pathOf(definition)}: ${done} of ${total} documents, ${Math.round(done / seconds)}/s`,
        ),
      ),
      refused: (id, reason) => refusals.add(id, reason),
      wrote(documents) {
        written += documents;
      },
    });
    results.push({ ...(await recorded(store, realm, definition, back)), end, written, ...refusals.told() });
  }
  return results;
}

/** Waits where an administrator has paused it. */
async function unpaused(name: string, err: Surroundings["err"], options: PassOptions): Promise<PassEnd> {
  for (let isTold = false; ; isTold = true) {
    const end = await migrateCollection(options);
    if (end !== "paused") return end;
    if (!isTold) err(`${name}: paused by an administrator, waiting for {"paused": false}`);
    await setTimeout(LOOK);
  }
}

/** What the store's records say of the pass, those of earlier runs that it goes on with included. */
async function recorded(
  store: Store,
  realm: RealmDefinition,
  definition: CollectionDefinition,
  back: number | undefined,
) {
  const { migrations } = await recordOf(store, definition);
  const last = migrations.findLast(({ number }) =>
    back === undefined ? Number(number) <= newestForm(definition) : Number(number) > back,
  );
  const { done = 0, total = 0, failures = 0 } = last ?? {};
  return { ...named(realm, definition, back), done, total, refused: failures };
}

function named({ name: realm }: RealmDefinition, definition: CollectionDefinition, back: number | undefined) {
  const migrations = (definition.migrations ?? [])
    .filter(({ number }) => back === undefined || Number(number) > back)
    .map(migrationName);
  return { realm, collection: pathOf(definition), migrations };
}

/** As people write it. */
function pathOf({ database, name }: CollectionDefinition): string {
  return `${database}/${name}`;
}

async function tryRealm(
  { back, strict }: Asked,
  stores: Stores,
  realm: RealmDefinition,
  migrating: readonly CollectionDefinition[],
  { err }: Surroundings,
): Promise<readonly MigrateResult[]> {
  const reader = await stores.reader(realm.name);
  if (reader === undefined) {
    err(`${realm.name}: there is nothing of it in the store`);
    return [];
  }
  const results: MigrateResult[] = [];
  for (const definition of migrating) {
    const progress = paced((done: number, seconds) =>
      err(`${realm.name} ${pathOf(definition)}: ${done} documents, ${Math.round(done / seconds)}/s`),
    );
    results.push({
      ...named(realm, definition, back),
      ...(await tried(reader, definition, back, strict, progress)),
    });
  }
  return results;
}

/** What would become of the documents; values that would clash under unique indexes are found when they are written. */
async function tried(
  reader: StoreReader,
  definition: CollectionDefinition,
  back: number | undefined,
  strict: boolean,
  progress: (done: number) => void,
): Promise<Omit<MigrateResult, "realm" | "collection" | "migrations">> {
  const shape = documentCollection(definition);
  const refusals = new Refusals();
  const examples: { id: string; before: JsonObject; after: JsonObject }[] = [];
  let total = 0;
  let writes = 0;
  const size = { documents: 1_000, characters: 4 * 1024 ** 2 };
  for await (const batch of batches({ scan: (...from) => reader.scan(shape, ...from) }, size)) {
    for (const stored of batch) {
      total += 1;
      try {
        const next = formOf(definition, stored, back);
        if (next === undefined) continue;
        writes += 1;
        if (examples.length < SHOWN)
          examples.push({ id: stored.id, before: membersOf(stored), after: membersOf(next) });
      } catch (error) {
        if (!(error instanceof Unmigratable)) throw error;
        refusals.add(stored.id, error.message);
        if (strict) return { end: "failed", ...told() };
      }
    }
    progress(total);
  }
  return { end: "done", ...told() };

  function told() {
    const { count: refused } = refusals;
    return { done: total - refused, total, refused, ...refusals.told(), writes, examples };
  }
}

function formOf(
  definition: CollectionDefinition,
  stored: DocumentWrite,
  back: number | undefined,
): DocumentWrite | undefined {
  if (back !== undefined)
    return (stored.form ?? 0) > back ? undone(definition, stored, back, false) : undefined;
  return isOld(definition, stored) ? migrated(definition, stored, false) : undefined;
}

function membersOf({ text }: Pick<DocumentWrite, "text">): JsonObject {
  const { id: _, _meta, ...members }: JsonObject = JSON.parse(text);
  return members;
}

function parseWords(program: Program, words: readonly string[], { environment }: Surroundings) {
  const { store, realm, collection, back, rate, format, ...flags } = optionsAmong(words, known);
  const location = locationOf("--store", required("--store", store), environment);
  const selected = selectedBy(program, realm, collection).flatMap(({ realm: each, collections }) => {
    const migrating = collections.filter(({ migrations }) => migrations !== undefined);
    return migrating.length === 0 ? [] : [{ realm: each, collections: migrating }];
  });
  return {
    location,
    selected,
    dryRun: flags["dry-run"] ?? false,
    back: back === undefined ? undefined : backTo(back, selected),
    rate: rate === undefined ? undefined : wholeRate(rate),
    strict: flags.strict ?? false,
    format: oneOf("--format", format, ["text", "json"]),
  };
}

/**
 * Numbers are of a collection.
 * @throws UsageError where there is no such migration, or one after it has no way back
 */
function backTo(given: string, selected: readonly Selected[]): number {
  if (!/^\d{4}$/.test(given)) throw new UsageError(`--back takes four digits, not ${given}; 0000 undoes all`);
  const to = Number(given);
  const [one, ...others] = selected.flatMap(({ collections }) => collections);
  if (others.length > 0)
    throw new UsageError("--back is for one collection: name it with --collection, and its --realm");
  const all = one?.migrations ?? [];
  if (to !== 0 && !all.some(({ number }) => number === given))
    throw new UsageError(`--back: there is no migration ${given}; 0000 undoes all`);
  const final = all.find(({ number, back }) => Number(number) > to && back === undefined);
  if (final !== undefined)
    throw new UsageError(
      `--back: ${final.number}-${final.name} has no way back; restore a backup instead, or give it one`,
    );
  return to;
}

/** @throws UsageError */
function wholeRate(given: string): number {
  if (!/^[1-9]\d{0,8}$/.test(given)) throw new UsageError(`--rate takes documents a second, not ${given}`);
  return Number(given);
}

const known = {
  store: { type: "string" },
  realm: { type: "string" },
  collection: { type: "string" },
  "dry-run": { type: "boolean" },
  back: { type: "string" },
  rate: { type: "string" },
  strict: { type: "boolean" },
  format: { type: "string" },
} as const;
