/** Reads the folder of a realm, with what the checks need beside them: files, faults, names. */
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic, Staged } from "../diagnostics/diagnostic.ts";
import { whileReading, whileReadingAll } from "../diagnostics/internal-error.ts";
import { fileSpan } from "../diagnostics/span.ts";
import { readHandler } from "../functions/read-handler.ts";
import { createFaults, type FaultList } from "../model/faults.ts";
import { type DeclaredFields, declaredFields } from "../model/fields.ts";
import { collectionIndexes } from "../model/indexes.ts";
import type { Collection, InputFile, Realm, RealmFunction, UnknownKey } from "../model/model.ts";
import { type RealmFiles, schemaFiles } from "../model/schema-files.ts";
import { type FileKind, validate } from "../model/validate.ts";
import { type Documents, keyOf, type Place, placeAt, type Schema } from "../schema/place.ts";
import { TooManyParts } from "../schema/shapes.ts";
import type { CollectionFolder, FunctionFolder, RealmFolder } from "../source/folders.ts";
import { meaningOf, meaningOfCode } from "../source/meaning.ts";
import { createReader } from "../source/reader.ts";
import { locate, pathOf, pointerOf, type SourceFile } from "../source/source.ts";
import { collectionSettings, collectionSlots } from "./collection.ts";
import type { FunctionInput } from "./function/schemas.ts";
import { functionSlots } from "./function.ts";
import { readMigrations } from "./read-migrations.ts";
import { realmSlots } from "./realm.ts";
import type { ModelledRealm } from "./subject.ts";

export interface ReadOptions {
  /** False: functions without their handlers. */
  readonly handlers?: boolean | undefined;
}

interface Reading extends RealmFiles {
  readonly handlers: boolean;
  readonly faults: FaultList;
  readonly diagnostics: Diagnostic[];
  readonly sites: Map<string, Place>;
  readonly disagreements: Map<string, DeclaredFields["disagreements"]>;
}

/** Reads a realm of a configuration folder, which `walk` has found. */
export async function readRealm(
  root: string,
  folder: RealmFolder,
  { handlers = true }: ReadOptions = {},
): Promise<Staged<ModelledRealm>> {
  const reading: Reading = {
    handlers,
    root,
    realm: folder.name,
    realPath: folder.realPath,
    reader: createReader(root),
    faults: createFaults(),
    diagnostics: [],
    sites: new Map(),
    disagreements: new Map(),
  };
  const path = `${folder.name}/realm.yaml`;
  const settings = readValid(reading, path, "realm") ?? emptyFile(path);
  const databases: Realm["databases"][number][] = [];
  const functions: RealmFunction[] = [];
  for (const database of folder.databases) {
    const collections = await Promise.all(
      database.collections.map((each) =>
        whileReadingAll(`${each.path}/schema.json`, () => readCollection(reading, database.name, each)),
      ),
    );
    databases.push({ name: database.name, collections });
    for (const each of database.functions) {
      const read = () => readFunction(reading, database.name, each);
      functions.push(await whileReadingAll(`${each.path}/function.yaml`, read));
    }
  }
  const profile = await readProfile(reading, settings);
  const { files, diagnostics } = reading.reader;
  const migrations = databases.flatMap(({ collections }) =>
    collections.flatMap((each) => each.migrations ?? []),
  );
  const code = new Map(
    [
      ...functions.flatMap(({ handler }) => handler?.files ?? []),
      ...migrations.flatMap((each) => (each.kind === "code" ? each.code.files : [])),
    ].map(({ path, text }) => [path, text]),
  );
  const strays = folder.strays
    .filter(({ path }) => !files.has(path) && !code.has(path))
    .map((stray) => stray.diagnostic);
  const found = [...diagnostics, ...reading.diagnostics, ...strays];
  const { faults } = reading;
  const unknown = unknownKeys.filter((key) => faults.cover(path, key.split(".")));
  return {
    value: {
      realm: {
        name: folder.name,
        ...realmSlots(settings),
        // Without authentication there would be no rules to look at.
        ...(unknown.includes("auth") ? { auth: true } : {}),
        ...(unknown.length === 0 ? {} : { unknown }),
        ...(profile === undefined ? {} : { profile }),
        databases,
        functions,
        inputs: inputsOf(files, code),
      },
      settings,
      faults,
      files: new Map([...files].flatMap(([path, file]) => (file === undefined ? [] : [[path, file]]))),
      schemas: [...reading.sites.values()],
      names: new Map(
        folder.databases.map(({ name, collections }) => [name, collections.map((each) => each.name)]),
      ),
      disagreements: reading.disagreements,
    },
    diagnostics: found,
  };
}

function inputsOf(
  files: ReadonlyMap<string, SourceFile | undefined>,
  code: ReadonlyMap<string, string>,
): InputFile[] {
  const settings = [...files].flatMap(([path, file]): InputFile[] =>
    file === undefined ? [] : [{ path, meaning: meaningOf(file.value), value: file.value }],
  );
  const handlers = [...code].map(([path, text]): InputFile => ({ path, meaning: meaningOfCode(text) }));
  return [...settings, ...handlers.filter(({ path }) => !files.has(path))].sort((a, b) =>
    a.path < b.path ? -1 : 1,
  );
}

const unknownKeys: readonly UnknownKey[] = [
  "auth",
  "roles",
  "app_config",
  "organizations.roles",
  "organizations.team_roles",
];

async function readProfile(reading: Reading, settings: SourceFile): Promise<Schema | undefined> {
  if (reading.faults.cover(settings.path, ["profile"])) return unreadableSchema(settings.path);
  if (settings.value.profile === undefined) return undefined;
  return (await readSchema(reading, settings, ["profile"])).schema;
}

function emptyFile(path: string): SourceFile {
  const root = { kind: "object", members: [], start: 0, end: 0 } as const;
  return { path, text: "", lineStarts: [0], root, value: {}, ambiguous: [] };
}

/** In the place of a schema that cannot be made sense of: it says nothing of any value. */
function unreadableSchema(path: string): Schema {
  return { path, pointer: "", document: {}, files: [], faults: [{ path, pointer: "" }] };
}

/** Reads and validates a file; its faults are noted, a file that cannot be parsed is one as a whole. */
function readValid(reading: Reading, path: string, kind: FileKind): SourceFile | undefined {
  const file = reading.reader.read(path);
  if (file === undefined) reading.faults.add(path, []);
  else noteValidation(reading, file, kind, []);
  return file;
}

function noteValidation(reading: Reading, file: SourceFile, kind: FileKind, at: readonly string[]): void {
  const { diagnostics, faults } = whileReading(file.path, () => validate(kind, file, at));
  reading.diagnostics.push(...diagnostics);
  for (const fault of [...faults, ...file.ambiguous]) reading.faults.add(file.path, fault);
}

async function readCollection(
  reading: Reading,
  database: string,
  folder: CollectionFolder,
): Promise<Collection> {
  const file = folder.hasSchema ? reading.reader.read(`${folder.path}/schema.json`) : undefined;
  const settings = folder.hasSettings
    ? readValid(reading, `${folder.path}/collection.yaml`, "collection")
    : undefined;
  const indexes = folder.hasIndexes
    ? readValid(reading, `${folder.path}/indexes.json`, "indexes")
    : undefined;
  const path = `${folder.path}/schema.json`;
  const { schema, declared } = file === undefined ? unreadable(path) : await readSchema(reading, file, []);
  const open = [...declared.open, ...openSettings(reading, `${folder.path}/collection.yaml`)];
  reading.disagreements.set(`${database}/${folder.name}`, declared.disagreements);
  const sources = [file, settings, indexes].flatMap((each) => each?.path ?? []);
  const collection = {
    realm: reading.realm,
    database,
    name: folder.name,
    span: file === undefined ? fileSpan(path) : locate(file, []),
    sources: [...new Set([...sources, ...schema.files.map(({ path }) => path)])].sort(),
    schema,
    fields: declared.fields,
    ...(open.length === 0 ? {} : { open }),
    ...collectionIndexes(indexes),
    ...collectionSlots(settings, database),
  };
  return { ...collection, ...(await readMigrations(folder.migrations, collection, reading)) };
}

async function readFunction(
  reading: Reading,
  database: string,
  { name, path: folder, hasSettings }: FunctionFolder,
): Promise<RealmFunction> {
  const path = `${folder}/function.yaml`;
  const read = hasSettings ? readValid(reading, path, "function") : undefined;
  // Of what is not there nothing is told that follows from it.
  if (read === undefined && !hasSettings) reading.faults.add(path, []);
  const file = read ?? emptyFile(path);
  const input = await readPart(reading, file, "input");
  const output = await readPart(reading, file, "output");
  const handler = reading.handlers ? readHandler(folder, reading) : undefined;
  reading.diagnostics.push(...(handler?.diagnostics ?? []));
  const reached = [input, output].flatMap((each) => each?.schema.files ?? []);
  return {
    realm: reading.realm,
    database,
    name,
    span: locate(file, []),
    sources: [...new Set([path, ...reached.map((each) => each.path)])].sort(),
    ...functionSlots(file, database),
    ...(input === undefined ? {} : { input }),
    ...(output === undefined ? {} : { output: output.schema }),
    ...(handler?.value === undefined ? {} : { handler: handler.value }),
  };
}

/** The schema under a key of function.yaml. */
async function readPart(
  reading: Reading,
  file: SourceFile,
  key: "input" | "output",
): Promise<FunctionInput | undefined> {
  const isFaulty = reading.faults.cover(file.path, [key]);
  if (file.value[key] === undefined && !isFaulty) return undefined;
  const { schema, declared } = isFaulty ? unreadable(file.path) : await readSchema(reading, file, [key]);
  return { schema, fields: declared.fields, open: declared.open };
}

/** Fields of the server and ids, which settings bring that are faulty. */
function openSettings({ faults }: Reading, path: string): string[] {
  return collectionSettings.flatMap(({ brings }) =>
    Object.entries(brings).flatMap(([key, fields]) => (faults.touch(path, [key]) ? fields : [])),
  );
}

interface ReadSchema {
  readonly schema: Schema;
  readonly declared: DeclaredFields;
}

function unreadable(path: string): ReadSchema {
  const schema = unreadableSchema(path);
  return { schema, declared: declaredFields(schema) };
}

/** The schema at a place in a file, with the fields that it declares. */
async function readSchema(reading: Reading, file: SourceFile, at: readonly string[]): Promise<ReadSchema> {
  const { files, diagnostics, broken } = await schemaFiles(file, at, reading);
  reading.diagnostics.push(...diagnostics);
  for (const link of broken) reading.faults.add(link.path, link.at);
  const documents: Documents = (path) => reading.reader.files.get(path)?.value;
  for (const each of files) {
    const place = placeAt(documents, each.path, each === file ? at : []);
    // The profile is validated with the rest of realm.yaml, a shared file once for all schemas that reach it.
    const isNew = place !== undefined && !reading.sites.has(keyOf(place));
    if (place !== undefined) reading.sites.set(keyOf(place), place);
    if (isNew && place.at.length === 0) noteValidation(reading, each, "schema", place.at);
  }
  const faults = files.flatMap(({ path }) =>
    reading.faults.pointersIn(path).map((pointer) => ({ path, pointer })),
  );
  const schema = {
    path: file.path,
    pointer: pointerOf(at),
    document: file.value,
    files: files.map(({ path, value }) => ({ path, document: value })),
    ...(faults.length === 0 ? {} : { faults }),
  };
  try {
    const declared = declaredFields(schema, (place) => {
      const declaring = reading.reader.read(place.path) ?? file;
      return locate(declaring, place.at, "key");
    });
    return { schema, declared };
  } catch (error) {
    if (!(error instanceof TooManyParts)) throw error;
    reading.diagnostics.push(
      diagnose("schema-too-large", locate(file, pathOf(schema.pointer)), { problem: error.message }),
    );
    return unreadable(file.path);
  }
}
