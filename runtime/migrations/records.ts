/** What a store keeps of the migrations of its collections. */
import { type Clock, timestamp } from "../clock.ts";
import { isJsonObject, type JsonObject, type JsonValue, objectIn } from "../json.ts";
import { type CollectionDefinition, storeNameOf } from "../realm/definition.ts";
import type { DocumentWrite, StoredDocument } from "../store/contract/document.ts";
import type { CollectionShape } from "../store/contract/shape.ts";
import type { Store } from "../store/contract/store.ts";

/** `_svc.migrations`: a record for each collection that ever had any, by its name in the store. */
export const migrationShape: CollectionShape = {
  name: "_svc.migrations",
  fields: {},
  indexes: [],
  feed: false,
};

export type MigrationState = "pending" | "running" | "done" | "failed";

/** One migration of one collection. */
export interface MigrationEntry {
  readonly number: string;
  readonly name: string;
  /** There is a way back. */
  readonly back: boolean;
  readonly state: MigrationState;
  /** Documents that are in its form, of those that there were when it began. */
  readonly done: number;
  readonly total: number;
  /** Ids of the first documents that it refused, and how many these were. */
  readonly failed: readonly string[];
  readonly failures: number;
}

/** What is under way, or was interrupted. */
export interface MigrationRun {
  /** The form that documents are brought into. */
  readonly to: number;
  readonly back: boolean;
  /** Documents up to this id have been looked at. */
  readonly after: string | undefined;
}

export interface MigrationRecord {
  readonly migrations: readonly MigrationEntry[];
  readonly run?: MigrationRun | undefined;
}

/** A record and the version that it is stored under; 0 where there is none yet. */
export interface KeptRecord extends MigrationRecord {
  readonly version: number;
}

/** Ids of documents that are named. */
export const NAMED = 10;

/** What the store keeps of a collection, and of the migrations that it knows nothing of yet: those are in `added`, too. */
export async function recordOf(
  store: Store,
  definition: CollectionDefinition,
): Promise<KeptRecord & { readonly added: readonly MigrationEntry[] }> {
  const found = await store.collection(migrationShape.name).get(storeNameOf(definition), "live");
  const record = found === undefined ? { version: 0, migrations: [] } : readRecord(found);
  const known = new Set(record.migrations.map(({ number }) => number));
  const added = (definition.migrations ?? [])
    .filter(({ number }) => !known.has(number))
    .map(({ number, name, back }) => newEntry(number, name, back !== undefined));
  const migrations = [...record.migrations, ...added].sort((a, b) => Number(a.number) - Number(b.number));
  return { ...record, migrations, added };
}

/** A collection is gone. @param collection as the store has it */
export async function forgetMigrations(store: Store, collection: string): Promise<void> {
  await store.collection(migrationShape.name).remove(collection);
}

function newEntry(number: string, name: string, back: boolean): MigrationEntry {
  return { number, name, back, state: "pending", done: 0, total: 0, failed: [], failures: 0 };
}

export function writeRecord(
  definition: CollectionDefinition,
  { migrations, run }: MigrationRecord,
  version: number,
  clock: Clock,
): DocumentWrite {
  const id = storeNameOf(definition);
  const now = clock.now();
  const members = {
    id,
    changed_at: timestamp(now),
    migrations,
    ...(run !== undefined && { run: { ...run, after: run.after ?? null } }),
  };
  return { id, version, text: JSON.stringify(members), createdAt: now };
}

/** @throws Error for what no release of ours has written */
function readRecord({ id, version, text }: StoredDocument): KeptRecord {
  const { migrations, run } = objectIn(text) ?? {};
  if (!Array.isArray(migrations)) throw new Error(`the record ${id} of ${migrationShape.name} is broken`);
  return {
    version,
    migrations: migrations.map((entry) => readEntry(isJsonObject(entry) ? entry : {})),
    run: isJsonObject(run) ? readRun(run) : undefined,
  };
}

function readRun({ to, back, after }: JsonObject): MigrationRun {
  return { to: wholeNumber(to), back: back === true, after: typeof after === "string" ? after : undefined };
}

function readEntry({ number, name, back, state, done, total, failed, failures }: JsonObject): MigrationEntry {
  return {
    number: String(number),
    name: String(name),
    back: back === true,
    state: state === "running" || state === "done" || state === "failed" ? state : "pending",
    done: wholeNumber(done),
    total: wholeNumber(total),
    failed: Array.isArray(failed) ? failed.map(String) : [],
    failures: wholeNumber(failures),
  };
}

function wholeNumber(value: JsonValue | undefined): number {
  return typeof value === "number" ? value : 0;
}
