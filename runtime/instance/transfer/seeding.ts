/** Documents that empty collections begin with. */
import { hostname } from "node:os";
import type { Clock } from "../../clock.ts";
import { importShape } from "../../documents/importing/record.ts";
import { documentCollection } from "../../documents/shapes.ts";
import { storeNameOf } from "../../realm/definition.ts";
import type { StoreReader } from "../../store/contract/beside.ts";
import { openStores } from "../../store/engines.ts";
import type { StoreLocation } from "../../store/location.ts";
import type { Program, Surroundings } from "../command.ts";
import { locationOf, optionsAmong, required } from "../command-words.ts";
import { type Imported, importRealm } from "./import-realm.ts";
import { type CollectionInput, inputsOf, type RealmInputs } from "./import-sources.ts";
import { storeDestination } from "./importing.ts";
import type { Included } from "./include.ts";
import { Rejects } from "./rejects.ts";
import { pathOf, selectedBy } from "./selection.ts";

export const seedUsage = "seed --store <store> --from <folder> [--realm <realm>]";

const PATIENCE = 120_000;
const BATCH = 500;

export interface Seeding {
  readonly program: Program;
  readonly location: StoreLocation;
  /** What names the location where people see it. */
  readonly setting: string;
  /** `<realm>/<database>/<collection>.ndjson`, or `.csv`. */
  readonly folder: string;
  /** Default: all. */
  readonly realm?: string | undefined;
  readonly clock: Clock;
  readonly tell: (line: string) => void;
}

/** `seed`: what `realmc seed` runs. Answers the exit code. @throws as {@link seedStores} */
export async function seedCommand(
  program: Program,
  words: readonly string[],
  { environment, out, err }: Surroundings,
  clock: Clock,
): Promise<number> {
  const { store, from, realm } = optionsAmong(words, known);
  const location = locationOf("--store", required("--store", store), environment);
  const folder = required("--from", from);
  const asked = { program, location, setting: "--store", folder, realm, clock, tell: err };
  const seeded = await seedStores(asked);
  for (const { realm: name, collection, created, rejected } of seeded)
    out(`${name} ${collection}: ${created} created, ${rejected} rejected`);
  return seeded.some(({ rejected }) => rejected > 0) ? 1 : 0;
}

const known = { store: { type: "string" }, from: { type: "string" }, realm: { type: "string" } } as const;

/**
 * Fills collections that hold nothing, and goes on with those that a run before this one did not finish. Nobody may be
 * serving the store, unless there is nothing to do.
 * @throws UsageError | FolderLocked | StoreUnavailable | StoreRefused
 */
export async function seedStores(seeding: Seeding): Promise<readonly Imported[]> {
  const { program, location, setting, folder, realm, clock, tell } = seeding;
  const all = await inputsOf(folder, {
    selected: selectedBy(program, realm, undefined),
    ...{ isOne: false, all: new Set<Included>(), tell },
  });
  const shared = { location, setting, clock, queryTime: PATIENCE };
  const empty = await emptyAmong(all, shared, tell);
  if (empty.length === 0) return [];
  const holder = `process ${process.pid} on ${hostname()}, seeding`;
  const stores = await openStores({ ...shared, holder });
  const rejects = await Rejects.open(undefined, tell);
  try {
    const imported: Imported[] = [];
    for (const inputs of empty) {
      const destination = storeDestination(await stores.open(inputs.realm.name), clock);
      const how = { mode: "create", meta: false, batch: BATCH, isOneOfMany: true } as const;
      imported.push(...(await importRealm({ destination, inputs, rejects, tell, clock, ...how })));
      await destination.forget(inputs);
    }
    return imported;
  } finally {
    await stores.close();
  }
}

async function emptyAmong(
  all: readonly RealmInputs[],
  options: Parameters<typeof openStores>[0],
  tell: (line: string) => void,
): Promise<readonly RealmInputs[]> {
  const stores = await openStores(options);
  try {
    const found: RealmInputs[] = [];
    for (const { realm, inputs } of all) {
      const reader = await stores.reader(realm.name);
      const empty: CollectionInput[] = [];
      for (const input of inputs) {
        if (reader === undefined || (await isEmpty(reader, input))) empty.push(input);
        else tell(`${realm.name} ${pathOf(input.definition)}: has documents; its seed is left out`);
      }
      if (empty.length > 0) found.push({ realm, inputs: empty, records: [] });
    }
    return found;
  } finally {
    await stores.close();
  }
}

/** Or only begun to be filled. */
async function isEmpty(reader: StoreReader, { definition }: CollectionInput): Promise<boolean> {
  const [first] = await reader.scan(documentCollection(definition), undefined, 1);
  if (first === undefined) return true;
  const begun = await reader.scan(importShape, undefined, 10_000);
  return begun.some(({ id, text }) => id === storeNameOf(definition) && !text.includes('"isDone":true'));
}
