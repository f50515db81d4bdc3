/** The inputs of an import. */
import { createReadStream, existsSync, statSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type CollectionDefinition, type RealmDefinition, storeNameOf } from "../../realm/definition.ts";
import { didYouMean } from "../../suggest.ts";
import { UsageError } from "../command.ts";
import { catalogName, readCatalog } from "./catalog.ts";
import { columnsOf } from "./csv-columns.ts";
import { csvDocuments } from "./csv-input.ts";
import { filesName } from "./file-contents.ts";
import type { Included } from "./include.ts";
import { type Input, InputRefused } from "./input.ts";
import { ndjsonDocuments } from "./ndjson-input.ts";
import type { RecordKind } from "./records/kind.ts";
import { type RealmRecords, recordKinds, recordsOf, requireIncludable } from "./records/kinds.ts";
import { pathOf, type Selected } from "./selection.ts";

/** What is imported into a realm, targets of references before what refers to them. */
export interface RealmInputs {
  readonly realm: RealmDefinition;
  readonly inputs: readonly CollectionInput[];
  /** Of the service. */
  readonly records: readonly RecordInput[];
  /** The folder of the bytes of files; absent where they are left out. */
  readonly files?: string;
}

export interface RecordInput extends RealmRecords {
  readonly input: Input;
}

/** What is asked for. */
export interface InputOptions {
  readonly selected: readonly Selected[];
  /** Whether `--collection` names one. */
  readonly isOne: boolean;
  /** Beside documents. */
  readonly all: ReadonlySet<Included>;
  /** What goes to stderr. */
  readonly tell: (line: string) => void;
}

export interface CollectionInput {
  readonly definition: CollectionDefinition;
  readonly input: Input;
  /** Whether it can be read more than once. */
  readonly isLasting: boolean;
}

/** Bytes that are read at once. */
const CHUNK = 256 * 1024;

/**
 * What `--from` names.
 * @throws UsageError | InputRefused
 */
export async function inputsOf(from: string, options: InputOptions): Promise<readonly RealmInputs[]> {
  if (from !== "-" && statSync(from, { throwIfNoEntry: false })?.isDirectory() === true)
    return folderInputs(from, options);
  const { selected, all } = options;
  if (all.size > 0) throw new UsageError("--include is for a folder that an export wrote, with --from");
  const [one, ...others] = selected.flatMap(({ realm, collections }) =>
    collections.map((definition) => ({ realm, definition })),
  );
  if (one === undefined) throw new UsageError("the realm has no collections");
  if (others.length > 0) throw new UsageError("--from is of one collection: name it with --collection");
  const { realm, definition } = one;
  const isLasting = from !== "-";
  const input = isLasting ? fileInput(from, definition) : streamInput();
  return [{ realm, inputs: [{ definition, input, isLasting }], records: [] }];
}

/** Of all that is imported into a realm, as the store names it. */
export function namesIn({ inputs, records }: RealmInputs): readonly string[] {
  return [
    ...records.map(({ kind }) => kind.collection),
    ...inputs.map(({ definition }) => storeNameOf(definition)),
  ];
}

function streamInput(): Input {
  const name = "standard input";
  return { name, documents: () => ndjsonDocuments(name, process.stdin) };
}

/** @throws UsageError */
function fileInput(path: string, definition: CollectionDefinition): Input {
  if (statSync(path, { throwIfNoEntry: false }) === undefined)
    throw new UsageError(`--from: there is no file ${path}`);
  if (!readable.test(path))
    throw new UsageError(
      `--from takes a folder, a file whose name ends with .ndjson, .jsonl or .csv, or -, not ${path}`,
    );
  if (!path.endsWith(".csv")) return ndjsonInput(path);
  const name = resolve(path);
  const columns = columnsOf(definition, true);
  return { name, documents: () => csvDocuments(name, chunksOf(path), columns) };
}

export function ndjsonInput(path: string): Input {
  const name = resolve(path);
  return { name, documents: () => ndjsonDocuments(name, chunksOf(path)) };
}

function chunksOf(path: string): AsyncIterable<Uint8Array> {
  return createReadStream(path, { highWaterMark: CHUNK });
}

/** Endings of files that documents are read from. */
const readable = /\.(?:ndjson|jsonl|csv)$/;

async function folderInputs(
  folder: string,
  { selected, isOne, all, tell }: InputOptions,
): Promise<readonly RealmInputs[]> {
  await requireWhole(folder);
  requireIncludable(
    selected.map(({ realm }) => realm),
    all,
  );
  const found: RealmInputs[] = [];
  for (const { realm, collections } of selected) {
    const inputs: CollectionInput[] = [];
    for (const path of await filesIn(join(folder, realm.name))) {
      const [name = ""] = path.split(/\.(?=[^.]*$)/);
      const definition = collections.find((each) => pathOf(each) === name);
      if (definition !== undefined)
        inputs.push({
          definition,
          input: fileInput(join(folder, realm.name, path), definition),
          isLasting: true,
        });
      else if (!isOne) throw unknown(`${realm.name}/${path}`, name, realm);
    }
    const records = recordInputs(join(folder, realm.name), realm, { all, isOne, tell });
    const files = filesOf(join(folder, realm.name), realm, { all, tell });
    if (inputs.length + records.length > 0)
      found.push({ realm, inputs: targetsFirst(inputs), records, ...(files !== undefined && { files }) });
  }
  requireAsked(folder, found, all);
  if (found.length === 0)
    throw new UsageError(
      `--from: there is no file <realm>/<database>/<collection>.ndjson for them in ${folder}`,
    );
  return found;
}

/** Files of records in the folder of a realm. */
function recordInputs(
  folder: string,
  realm: RealmDefinition,
  { all, isOne, tell }: Pick<InputOptions, "all" | "isOne" | "tell">,
): readonly RecordInput[] {
  const isThere = ({ path }: RecordKind) => existsSync(join(folder, `${path}.ndjson`));
  for (const kind of isOne ? [] : recordKinds.filter((each) => !all.has(each.asked) && isThere(each)))
    tell(`${realm.name} ${kind.path}: is left out; --include ${kind.asked} imports it into a store`);
  return recordsOf(realm, all).flatMap((records) => {
    if (!isThere(records.kind)) return [];
    const path = join(folder, `${records.kind.path}.ndjson`);
    return [{ ...records, input: ndjsonInput(path) }];
  });
}

/** The folder of the bytes of files, where there is one and it is asked for. */
function filesOf(
  folder: string,
  { name }: RealmDefinition,
  { all, tell }: Pick<InputOptions, "all" | "tell">,
): string | undefined {
  const path = join(folder, filesName);
  if (!existsSync(`${path}.ndjson`)) return undefined;
  if (all.has("files")) return path;
  tell(`${name} ${filesName}: is left out; --include files imports it into a store`);
  return undefined;
}

/** What is asked for is there. @throws UsageError */
function requireAsked(folder: string, found: readonly RealmInputs[], all: ReadonlySet<Included>): void {
  for (const { asked, path } of recordKinds) {
    const isThere = found.some(({ records }) => records.some(({ kind }) => kind.asked === asked));
    if (all.has(asked) && !isThere)
      throw new UsageError(`--include ${asked}: there is no file <realm>/${path}.ndjson in ${folder}`);
  }
  if (all.has("files") && found.every(({ files }) => files === undefined))
    throw new UsageError(`--include files: there is no file <realm>/${filesName}.ndjson in ${folder}`);
}

/**
 * What an export has not finished, or what is not as it wrote it, is only half there.
 * @throws InputRefused
 */
async function requireWhole(folder: string): Promise<void> {
  const catalog = await readCatalog(folder);
  if (catalog === undefined) return;
  const otherwise = `; to import it as it is, remove ${catalogName}`;
  if (catalog.finished_at === undefined)
    throw new InputRefused(`${folder}: the export in it was interrupted: give its command again${otherwise}`);
  for (const { path, bytes } of catalog.files) {
    const { size } = await stat(join(folder, path)).catch(() => ({ size: 0 }));
    if (size !== bytes)
      throw new InputRefused(
        `${join(folder, path)}: has ${size} bytes, and the export wrote ${bytes}${otherwise}`,
      );
  }
}

/** Paths of `<database>/<collection>.<ending>` below a realm's folder. */
async function filesIn(folder: string): Promise<readonly string[]> {
  const databases = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const paths: string[] = [];
  for (const database of databases) {
    if (!database.isDirectory() || database.name.startsWith("_")) continue;
    const files = await readdir(join(folder, database.name));
    paths.push(...files.filter((name) => readable.test(name)).map((name) => `${database.name}/${name}`));
  }
  return paths.sort();
}

function unknown(path: string, name: string, { collections }: RealmDefinition): UsageError {
  const hint = didYouMean(name, collections.map(pathOf)) ?? "import others one by one, with --collection";
  return new UsageError(`--from: ${path} is of no collection of the configuration (${hint})`);
}

/** In an order in which references lead back, as far as there is one. */
export function targetsFirst(inputs: readonly CollectionInput[]): readonly CollectionInput[] {
  const byName = new Map(inputs.map((input) => [storeNameOf(input.definition), input]));
  const ordered = new Set<CollectionInput>();
  const visited = new Set<CollectionInput>();
  const visit = (input: CollectionInput) => {
    if (visited.has(input)) return;
    visited.add(input);
    for (const { database, collection } of Object.values(input.definition.references ?? {})) {
      const target = byName.get(storeNameOf({ database, name: collection }));
      if (target !== undefined) visit(target);
    }
    ordered.add(input);
  };
  for (const input of inputs) visit(input);
  return [...ordered];
}
