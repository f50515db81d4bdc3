import { statSync } from "node:fs";
import type { Clock } from "../../clock.ts";
import type { JsonObject } from "../../json.ts";
import { type Program, type Surroundings, UsageError } from "../command.ts";
import { oneOf, optionsAmong, required, requireFolder } from "../command-words.ts";
import { paced } from "../progress.ts";
import type { CatalogFile } from "./catalog.ts";
import { CsvPrinter, columnsOf } from "./csv-columns.ts";
import { documentPart, exportPart, type Part, recordPart } from "./export.ts";
import { filesPart } from "./export-files.ts";
import { ExportFolder } from "./export-folder.ts";
import { type FilePlaces, filePlaces } from "./file-contents.ts";
import { type Included, includedIn, requireStore } from "./include.ts";
import type { LineOptions } from "./lines.ts";
import { type Place, placeOf } from "./places.ts";
import { type Source, storeSource, urlSource } from "./reading.ts";
import { recordsOf, requireIncludable } from "./records/kinds.ts";
import { filterIn, type Selected, selectedBy } from "./selection.ts";
import { fileSink, type Sink, streamSink, type Written } from "./sinks.ts";

export const exportUsage = `export --store <store> | --url <server> --to <folder | file.ndjson | file.csv | -> [--realm <realm>]
                [--collection <database>/<collection>] [--where <JSON>] [--meta]
                [--include users,keys,organizations,files] [--data <folder>] [--format text|json]`;

/**
 * `export` writes the documents of realms into files, sorted by their ids, and prints a line for each collection; beside a
 * running server. Answers the exit code.
 * @throws UsageError | StoreUnavailable | StoreRefused | ServerUnreachable | ServerRefused | ServerAnswered, or what hinders
 *   writing
 */
export async function exportCommand(
  program: Program,
  words: readonly string[],
  surroundings: Surroundings,
  clock: Clock,
): Promise<number> {
  const asked = parseWords(program, words, surroundings);
  const lost: string[] = [];
  const source = await sourceOf(asked.place, clock);
  try {
    const csv = csvOf(asked);
    const parts = await partsIn(source, { ...asked, csv }, surroundings, lost);
    if (parts.length === 0) return 1;
    const run: Run = { ...asked, source, parts, surroundings, csv };
    const files =
      asked.target.kind === "folder"
        ? await intoFolder(run, asked.target.path, program.fingerprint, clock)
        : [await intoOne(run, asked.target)];
    if (asked.format === "json") tellResults(run, JSON.stringify({ source: source.name, files }));
    return run.csv?.lost === undefined && lost.length === 0 ? 0 : 1;
  } finally {
    await source.close();
  }
}

/** Where documents go. */
type Target =
  | { readonly kind: "folder" | "file"; readonly path: string }
  /** Standard output. */
  | { readonly kind: "stream" };

interface Asked extends LineOptions {
  readonly target: Target;
  readonly selected: readonly Selected[];
  /** Beside documents. */
  readonly all: ReadonlySet<Included>;
  /** Where the files of realms lie, by their names; empty where they are not asked for. */
  readonly filesAt: FilePlaces;
  /** As it was given. */
  readonly where: string | undefined;
  readonly format: "text" | "json";
}

interface Run extends Asked {
  readonly source: Source;
  /** What the source has. */
  readonly parts: readonly Part[];
  readonly surroundings: Surroundings;
}

function parseWords(program: Program, words: readonly string[], { environment }: Surroundings) {
  const {
    store,
    url,
    to,
    realm,
    collection,
    where,
    meta = false,
    format,
    include,
    data,
  } = optionsAmong(words, known);
  const place = placeOf({ store, url }, environment);
  const target = targetOf(required("--to", to));
  const all = includedIn(include);
  if (place.kind === "server") requireStore(all, "hands out");
  if (all.size > 0 && target.kind !== "folder") throw new UsageError("--include is for a folder, with --to");
  const selected = selectedBy(program, realm, collection);
  requireIncludable(
    selected.map((each) => each.realm),
    all,
  );
  const [first, ...others] = selected.flatMap(({ collections }) => collections);
  if (first === undefined) throw new UsageError("the realm has no collections");
  if (target.kind !== "folder" && others.length > 0)
    throw new UsageError("--to is for one collection: name it with --collection, or name a folder");
  if (where !== undefined && collection === undefined)
    throw new UsageError("--where is for one collection: name it with --collection");
  const filter = where === undefined ? undefined : filterIn(where, first);
  return {
    place,
    target,
    selected,
    all,
    filesAt: filePlaces({ all, data, place, realms: selected.map((each) => each.realm) }),
    where,
    filter,
    meta,
    format: oneOf("--format", format, ["text", "json"]),
  };
}

const known = {
  store: { type: "string" },
  url: { type: "string" },
  to: { type: "string" },
  realm: { type: "string" },
  collection: { type: "string" },
  where: { type: "string" },
  include: { type: "string" },
  data: { type: "string" },
  meta: { type: "boolean" },
  format: { type: "string" },
} as const;

function csvOf({ target, meta, selected }: Asked): CsvPrinter | undefined {
  const isCsv = target.kind === "file" && target.path.endsWith(".csv");
  const [first] = selected.flatMap(({ collections }) => collections);
  return isCsv && first !== undefined ? new CsvPrinter(columnsOf(first, meta)) : undefined;
}

async function sourceOf(place: Place, clock: Clock): Promise<Source> {
  if (place.kind === "server") return urlSource(place.remote);
  requireFolder("--store", place.location);
  return storeSource(place.location, "--store", clock);
}

/** @throws UsageError */
function targetOf(to: string): Target {
  if (to === "-") return { kind: "stream" };
  const isFolder = statSync(to, { throwIfNoEntry: false })?.isDirectory() ?? false;
  if (!isFolder && /\.(?:ndjson|csv)$/.test(to)) return { kind: "file", path: to };
  const [form] = /\.(?:json|jsonl|yaml|gz)$/.exec(to) ?? [];
  if (!isFolder && form !== undefined)
    throw new UsageError(
      `--to takes a folder, a file whose name ends with .ndjson or .csv, or -, not one of ${form}`,
    );
  return { kind: "folder", path: to };
}

/** @param lost gets what cannot be exported of files */
async function partsIn(
  source: Source,
  asked: Asked,
  { err, environment }: Surroundings,
  lost: string[],
): Promise<readonly Part[]> {
  const parts: Part[] = [];
  for (const { realm, collections } of asked.selected) {
    const reader = await source.open(realm);
    if (reader === undefined) {
      err(`${realm.name}: there is nothing of it in ${source.name}`);
      continue;
    }
    const { all } = asked;
    parts.push(...recordsOf(realm, all).map((records) => recordPart(reader, realm.name, records, all)));
    parts.push(...collections.map((definition) => documentPart(reader, definition, asked)));
    const place = asked.filesAt.get(realm.name);
    if (place !== undefined && asked.target.kind === "folder")
      parts.push(
        filesPart(realm, collections, {
          ...{ place, environment, folder: asked.target.path },
          lost(content) {
            lost.push(content);
            err(`${realm.name} files: ${content} is not in the storage, or other bytes are`);
          },
        }),
      );
  }
  return parts;
}

async function intoFolder(
  run: Run,
  folder: string,
  fingerprint: string,
  clock: Clock,
): Promise<readonly CatalogFile[]> {
  const { source, parts, where, meta, all } = run;
  const asked: JsonObject = {
    source: source.name,
    collections: parts.map(({ realm, path }) => `${realm}/${path}`),
    ...(all.size > 0 && { include: [...all].sort() }),
    ...(where !== undefined && { where }),
    meta,
  };
  const exported = await ExportFolder.open({ folder, fingerprint, asked, clock });
  for (const part of parts) {
    const finished = await exported.finished(part);
    const file = finished ?? (await exported.add(part, await filled(run, part, await exported.sink(part))));
    tellWritten(run, part, file);
  }
  await exported.finish();
  return exported.files;
}

async function intoOne(run: Run, target: Exclude<Target, { readonly kind: "folder" }>): Promise<CatalogFile> {
  const [one] = run.parts;
  if (one === undefined) throw new Error("there is no collection");
  const sink = target.kind === "file" ? await fileSink(target.path, false) : streamSink(writerOf(run));
  const written = await filled(run, one, sink);
  const { csv } = run;
  if (csv?.lost !== undefined)
    run.surroundings.err(
      `${one.realm} ${one.path}: no column holds all of ${csv.lossy} documents, the first of ${csv.lost}; NDJSON does`,
    );
  tellWritten(run, one, written);
  const path = target.kind === "file" ? target.path : "-";
  return { path, realm: one.realm, collection: one.path, ...written };
}

async function filled({ surroundings: { err } }: Run, part: Part, sink: Sink): Promise<Written> {
  const name = `${part.realm} ${part.path}`;
  const before = sink.documents;
  if (before > 0) err(`${name}: goes on after ${before} documents`);
  const progress = paced((documents: number, seconds) =>
    err(`${name}: ${documents} documents, ${Math.round((documents - before) / seconds)}/s`),
  );
  try {
    return await exportPart(part, sink, progress);
  } catch (error) {
    await sink.close();
    throw error;
  }
}

function writerOf({ surroundings: { write, out } }: Run): (text: string) => Promise<void> {
  return write ?? (async (text) => out(text.replace(/\n$/, "")));
}

function tellWritten(run: Run, { realm, path }: Part, written: Written): void {
  const { documents, sha256 } = written;
  if (run.format === "text") tellResults(run, `${realm} ${path}: ${documents} documents, sha256 ${sha256}`);
}

/** Documents are alone on standard output. */
function tellResults({ target, surroundings: { out, err } }: Run, line: string): void {
  (target.kind === "stream" ? err : out)(line);
}
