import { hostname } from "node:os";
import { resolve } from "node:path";
import type { Clock } from "../../clock.ts";
import type { Mode } from "../../documents/importing/taker.ts";
import { openStores } from "../../store/engines.ts";
import { describeLocation, type StoreLocation } from "../../store/location.ts";
import { type Program, type Surroundings, UsageError } from "../command.ts";
import { oneOf, optionsAmong, required } from "../command-words.ts";
import type { Destination } from "./destination.ts";
import { type FilePlaces, filePlaces } from "./file-contents.ts";
import { fileBringer } from "./import-files.ts";
import { type Imported, importRealm } from "./import-realm.ts";
import { remoteDestination } from "./import-remote.ts";
import { inputsOf, type RealmInputs } from "./import-sources.ts";
import { storeDestination } from "./importing.ts";
import { includedIn, requireStore } from "./include.ts";
import { type Place, placeOf } from "./places.ts";
import { Rejects } from "./rejects.ts";
import { selectedBy } from "./selection.ts";

export const importUsage = `import --store <store> | --url <server> --from <folder | file.ndjson | -> [--realm <realm>]
                [--collection <database>/<collection>] [--include users,keys,organizations,files] [--data <folder>]
                [--mode create|replace|merge] [--meta] [--batch <documents>] [--rejects <file>]
                [--format text|json]`;

/** Milliseconds that one read or write of a batch may take. */
const PATIENCE = 120_000;

/**
 * `import` writes documents of files into a store, or through a running server, as the API would take them, and prints a line
 * for each collection; what was interrupted goes on. No server may be serving an embedded store. Answers the exit code: 1
 * where documents were rejected.
 * @throws UsageError | InputRefused | ImportTaken | FolderLocked | LaterMigration | MigrationOutOfOrder | StoreUnavailable | StoreRefused |
 *   ServerUnreachable | ServerRefused | ServerAnswered
 */
export async function importCommand(
  program: Program,
  words: readonly string[],
  surroundings: Surroundings,
  clock: Clock,
): Promise<number> {
  const asked = await parseWords(program, words, surroundings);
  const { out, err } = surroundings;
  const rejects = await Rejects.open(asked.rejects, err);
  try {
    const imported = await intoPlace(asked, rejects, surroundings, clock);
    const rejected = imported.reduce((sum, each) => sum + each.rejected, 0);
    if (rejects.untold > 0)
      err(
        `${rejects.untold} more are rejected${asked.rejects === undefined ? "; --rejects writes all of them into a file" : `, see ${asked.rejects}`}`,
      );
    if (asked.format === "json") out(JSON.stringify({ target: nameOf(asked.place), collections: imported }));
    else for (const each of imported) out(described(each));
    return rejected > 0 ? 1 : 0;
  } finally {
    await rejects.close();
  }
}

interface Asked {
  readonly place: Place;
  readonly inputs: readonly RealmInputs[];
  /** Where the files of realms go, by their names; empty where they are left out. */
  readonly filesAt: FilePlaces;
  readonly mode: Mode;
  readonly meta: boolean;
  readonly batch: number;
  readonly rejects: string | undefined;
  readonly format: "text" | "json";
}

async function intoPlace(
  asked: Asked,
  rejects: Rejects,
  surroundings: Surroundings,
  clock: Clock,
): Promise<readonly Imported[]> {
  const { place } = asked;
  if (place.kind === "store") return intoStore(place.location, asked, rejects, surroundings, clock);
  const destination = remoteDestination(place.remote);
  return intoAll(asked, rejects, surroundings, clock, async () => destination);
}

async function intoStore(
  location: StoreLocation,
  asked: Asked,
  rejects: Rejects,
  surroundings: Surroundings,
  clock: Clock,
): Promise<readonly Imported[]> {
  const holder = `process ${process.pid} on ${hostname()}, importing`;
  const stores = await openStores({ location, setting: "--store", clock, queryTime: PATIENCE, holder });
  try {
    return await intoAll(asked, rejects, surroundings, clock, async ({ realm, files }) => {
      const store = await stores.open(realm.name);
      const place = files === undefined ? undefined : asked.filesAt.get(realm.name);
      const { environment } = surroundings;
      const brought =
        place && files !== undefined
          ? await fileBringer(files, { place, realm: realm.name, environment, store, clock })
          : undefined;
      return storeDestination(store, clock, brought);
    });
  } finally {
    await stores.close();
  }
}

async function intoAll(
  asked: Asked,
  rejects: Rejects,
  { err }: Surroundings,
  clock: Clock,
  destinationOf: (inputs: RealmInputs) => Promise<Destination>,
): Promise<readonly Imported[]> {
  const { inputs } = asked;
  const imported: Imported[] = [];
  const done: (() => Promise<void>)[] = [];
  for (const each of inputs) {
    const destination = await destinationOf(each);
    const isOneOfMany = inputs.length > 1;
    try {
      imported.push(
        ...(await importRealm({
          ...asked,
          destination,
          inputs: each,
          rejects,
          tell: err,
          isOneOfMany,
          clock,
        })),
      );
    } finally {
      await destination.close?.();
    }
    done.push(() => destination.forget(each));
  }
  // As long as anything is left to do, the same command leaves alone what is done.
  for (const forget of done) await forget();
  return imported;
}

function nameOf(place: Place): string {
  return place.kind === "store" ? describeLocation(place.location) : place.remote.name;
}

function described({ realm, collection, created, replaced, rejected }: Imported): string {
  const counts = [`${created} created`, `${replaced} replaced`, `${rejected} rejected`];
  return `${realm} ${collection}: ${counts.join(", ")}`;
}

async function parseWords(
  program: Program,
  words: readonly string[],
  { environment, err }: Surroundings,
): Promise<Asked> {
  const {
    store,
    url,
    from,
    realm,
    collection,
    mode,
    meta = false,
    batch,
    rejects,
    format,
    include,
    data,
  } = optionsAmong(words, known);
  const place = placeOf({ store, url }, environment);
  const source = required("--from", from);
  const all = includedIn(include);
  if (place.kind === "server") requireStore(all, "takes");
  const selected = selectedBy(program, realm, collection);
  const inputs = await inputsOf(source, { selected, isOne: collection !== undefined, all, tell: err });
  const read = inputs.flatMap((each) => [...each.records, ...each.inputs].map(({ input }) => input.name));
  if (rejects !== undefined && read.includes(resolve(rejects)))
    throw new UsageError("--rejects would write over what is imported");
  return {
    ...{ place, inputs, meta, rejects },
    filesAt: filePlaces({ all, data, place, realms: selected.map((each) => each.realm) }),
    mode: oneOf("--mode", mode, ["create", "replace", "merge"]),
    batch: batch === undefined ? BATCH : batchOf(batch),
    format: oneOf("--format", format, ["text", "json"]),
  };
}

/** Documents of a transaction. */
const BATCH = 500;
const MOST = 10_000;

/** @throws UsageError */
function batchOf(given: string): number {
  const batch = /^\d{1,5}$/.test(given) ? Number(given) : 0;
  if (batch < 1 || batch > MOST) throw new UsageError(`--batch takes 1 to ${MOST} documents, not ${given}`);
  return batch;
}

const known = {
  store: { type: "string" },
  url: { type: "string" },
  from: { type: "string" },
  realm: { type: "string" },
  collection: { type: "string" },
  include: { type: "string" },
  data: { type: "string" },
  mode: { type: "string" },
  meta: { type: "boolean" },
  batch: { type: "string" },
  rejects: { type: "string" },
  format: { type: "string" },
} as const;
