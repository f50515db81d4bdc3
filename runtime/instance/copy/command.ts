import { hostname } from "node:os";
import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../../clock.ts";
import type { RealmDefinition } from "../../realm/definition.ts";
import type { Store } from "../../store/contract/store.ts";
import { openStores, type Stores } from "../../store/engines.ts";
import { describeLocation } from "../../store/location.ts";
import { type Program, realmsCalled, type Surroundings, UsageError } from "../command.ts";
import { locationOf, optionsAmong, required, requireFolder, textOf } from "../command-words.ts";
import { paced } from "../progress.ts";
import { realmCollections } from "../realm.ts";
import type { Environment } from "../settings.ts";
import { type CopyProgress, copyRealm } from "./copy.ts";
import { describeWay, type FileWay, fileWays, hasSource, isMove, newSettings, openWay } from "./file-ways.ts";
import { type CopiedFiles, copyFiles, type FileCopy, type FileCount, namesFiles } from "./files.ts";
import { describePlace, type FilePlace, parsePlace } from "./places.ts";

export const copyUsage = `copy --from <store> --to <store> [--realm <realm>] [--into-non-empty]
              [--files-from <folder or bucket>] [--files-to <folder or bucket>]`;

/** Milliseconds that one read or write of a batch may take. */
const PATIENCE = 120_000;

/**
 * `copy`: moves what realms store to another store, files included, compares both, and prints a line for each collection;
 * without another store it moves files alone. Answers the exit code. No server may be serving either store: of embedded
 * ones that is made sure.
 * @throws UsageError | FolderLocked | TargetRefused | StorageUnavailable
 */
export async function copyCommand(
  { realms }: Program,
  words: readonly string[],
  { environment, out, err }: Surroundings,
  clock: Clock,
): Promise<number> {
  const { from, to, realm, intoNonEmpty, filesFrom, filesTo } = parseWords(words, environment);
  const chosen = realmsCalled(realm, realms);
  const ways = fileWays(
    chosen.map(({ definition }) => definition),
    { from, to: to ?? from, filesFrom, filesTo },
  );
  if (to === undefined && ![...ways.values()].some(isMove))
    throw new UsageError("files stay where they are: --files-from and --files-to are the same");
  requireFolder("--from", from);
  // Documents that expire meanwhile are there, or not, in both.
  const now = clock.now();
  const shared = {
    clock: { now: () => now },
    queryTime: PATIENCE,
    holder: `process ${process.pid} on ${hostname()}, copying`,
  };
  const source = await openStores({ ...shared, location: from, setting: "--from" });
  try {
    const held = await realmsHeld();
    const target = to && (await openStores({ ...shared, location: to, setting: "--to" }));
    try {
      let isWell = held.length > 0;
      for (const one of held) {
        const isSame = await withFiles(one, (files) =>
          target === undefined ? copyFilesOf(one, files) : copyOne(one, target, files),
        );
        if (!isSame) isWell = false;
      }
      return isWell ? 0 : 1;
    } finally {
      await target?.close();
    }
  } finally {
    await source.close();
  }

  /** Those that the source holds, and whose files can be found. */
  async function realmsHeld(): Promise<readonly HeldRealm[]> {
    const held: HeldRealm[] = [];
    for (const { definition } of chosen) {
      const { name } = definition;
      if (!(await source.holds(name))) {
        err(`${name}: there is nothing of it in ${describeLocation(from)}`);
        continue;
      }
      const store = await source.open(name);
      held.push({ definition, store, way: await wayOf(definition, store) });
    }
    return held;
  }

  async function wayOf(definition: RealmDefinition, store: Store): Promise<FileWay | undefined> {
    const { name } = definition;
    const way = ways.get(name);
    if (way === undefined) return undefined;
    if (!isMove(way)) {
      err(`${name}: files stay in ${describePlace(way.to, name)}`);
      return undefined;
    }
    await store.provision(realmCollections(definition));
    if (hasSource(way, name)) return way;
    if (!(await namesFiles(store))) return undefined;
    throw new UsageError(
      `--files-from: there is no folder ${describePlace(way.from, name)}; which one do its servers have (SVC_DATA)?`,
    );
  }

  async function withFiles(
    { definition: { name }, way }: HeldRealm,
    work: (files: FileCopy | undefined) => Promise<boolean>,
  ): Promise<boolean> {
    if (way === undefined) return work(undefined);
    err(`${name}: files ${describeWay(way, name)}`);
    const files = await openWay(way, name, environment);
    const line = paced(({ contents, bytes }: FileCount, seconds) =>
      err(`${name} files: ${contents} contents, ${bytes} bytes, ${Math.round(bytes / seconds / 1e6)} MB/s`),
    );
    try {
      return await work({ ...files, way: describeWay(way, name), progress: line });
    } finally {
      await files.close();
    }
  }

  async function copyOne(
    { definition, store, way }: HeldRealm,
    target: Stores,
    files: FileCopy | undefined,
  ): Promise<boolean> {
    const { name } = definition;
    err(`${name}: from ${describeLocation(from)} to ${describeLocation(to ?? from)}`);
    const copied = await copyRealm({
      definition,
      source: store,
      target: await target.open(name),
      from: describeLocation(from),
      intoNonEmpty,
      files,
      clock,
      progress: paced(({ step, collection, documents }: CopyProgress, seconds) =>
        err(`${name} ${collection}: ${step}, ${documents} documents, ${Math.round(documents / seconds)}/s`),
      ),
    });
    for (const { collection, documents, sha256, different } of copied.compared) {
      out(`${name} ${collection}: ${documents} documents, sha256 ${sha256}`);
      if (different.length > 0) err(`${name} ${collection}: not the same in both: ${different.join(", ")}`);
    }
    const hasAll = copied.files === undefined || toldFiles(definition, way, copied.files);
    const isSame = copied.compared.every(({ different }) => different.length === 0);
    if (!isSame) err(`${name}: copy it again with --into-non-empty; is a server running?`);
    else if (hasAll) err(`${name}: both are the same`);
    return isSame && hasAll;
  }

  async function copyFilesOf(
    { definition, store, way }: HeldRealm,
    files: FileCopy | undefined,
  ): Promise<boolean> {
    if (files === undefined) return true;
    // Whether contents are there is asked of the target.
    const anew = { after: "", reached: async () => undefined };
    return toldFiles(definition, way, await copyFiles(store, files, anew));
  }

  /** Whether all are there. */
  function toldFiles(definition: RealmDefinition, way: FileWay | undefined, copied: CopiedFiles): boolean {
    const { name } = definition;
    const { contents, bytes, lost, examples } = copied;
    out(`${name} files: ${contents} contents, ${bytes} bytes`);
    for (const { sha256, how, names } of examples) {
      const what = how === "missing" ? "there are no bytes" : "there are other bytes";
      err(`${name} files: ${what} of ${sha256}, named by ${names.join(", ")}`);
    }
    if (lost > 0)
      err(
        `${name}: ${lost} contents were not copied; once they are in the source, copy files alone, without --to`,
      );
    const told = way && newSettings(way, definition, to ?? from);
    if (told !== undefined) err(`${name}: ${told}`);
    return lost === 0;
  }
}

interface HeldRealm {
  readonly definition: RealmDefinition;
  /** Of the source. */
  readonly store: Store;
  /** Absent where no files are to be moved. */
  readonly way: FileWay | undefined;
}

function parseWords(words: readonly string[], environment: Environment) {
  const { from, to, realm, "into-non-empty": intoNonEmpty = false, ...files } = optionsAmong(words, known);
  const filesFrom = placeOf("--files-from", files["files-from"]);
  const filesTo = placeOf("--files-to", files["files-to"]);
  const source = locationOf("--from", required("--from", from), environment);
  // Files alone.
  if (to === undefined && (filesFrom ?? filesTo) !== undefined)
    return { from: source, to: undefined, realm, intoNonEmpty, filesFrom, filesTo };
  const target = locationOf("--to", required("--to", to), environment);
  if (isDeepStrictEqual(source, target)) throw new UsageError("--from and --to are the same store");
  return { from: source, to: target, realm, intoNonEmpty, filesFrom, filesTo };

  function placeOf(option: string, given: string | undefined): FilePlace | undefined {
    return given === undefined ? undefined : parsePlace(option, textOf(option, given, environment));
  }
}

const known = {
  from: { type: "string" },
  to: { type: "string" },
  realm: { type: "string" },
  "into-non-empty": { type: "boolean" },
  "files-from": { type: "string" },
  "files-to": { type: "string" },
} as const;
