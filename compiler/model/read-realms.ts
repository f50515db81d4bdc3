/** Reads the folder of a realm, with what the checks need beside them: files, faults, names. */
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic, Staged } from "../diagnostics/diagnostic.ts";
import type { CollectionFolder, RealmFolder } from "../load/folders.ts";
import { createReader } from "../load/reader.ts";
import { locate, pathOf, pointerOf, type SourceFile } from "../load/source.ts";
import { collectionSettings } from "./collection.ts";
import { createFaults, type FaultList, type Faults } from "./faults.ts";
import { type DeclaredFields, declaredFields } from "./fields.ts";
import { collectionIndexes } from "./indexes.ts";
import { meaningOf } from "./meaning.ts";
import type { Collection, InputFile, Realm, Schema } from "./model.ts";
import { realmSettings } from "./realm.ts";
import { type RealmFiles, schemaFiles } from "./schema-files.ts";
import { TooManyParts } from "./shapes.ts";
import { type FileKind, validate } from "./validate.ts";

/** A realm with what the checks need beside the model. */
export interface ModelledRealm {
  /** As far as the files could be understood. Collections whose schema could not are missing. */
  readonly realm: Realm;
  /** False when what later stages rest on (`auth`, `profile`, roles) could not be understood. */
  readonly sound: boolean;
  readonly faults: Faults;
  /** Every file read, by path. */
  readonly files: ReadonlyMap<string, SourceFile>;
  /** Files that hold schemas, and where in them. */
  readonly schemas: readonly SchemaSite[];
  /** Names of all collections by database, those missing from the model among them. */
  readonly names: ReadonlyMap<string, readonly string[]>;
  /** By `<database>/<collection>`: fields whose branches disagree about dates. */
  readonly disagreements: ReadonlyMap<string, DeclaredFields["disagreements"]>;
}

export interface SchemaSite {
  readonly file: SourceFile;
  readonly at: readonly string[];
}

interface Reading extends RealmFiles {
  readonly faults: FaultList;
  readonly diagnostics: Diagnostic[];
  readonly sites: Map<string, SchemaSite>;
  readonly disagreements: Map<string, DeclaredFields["disagreements"]>;
}

/** Reads a realm of a configuration folder, which `walk` has found. */
export async function readRealm(
  root: string,
  folder: RealmFolder,
): Promise<Staged<ModelledRealm | undefined>> {
  const reading: Reading = {
    root,
    realm: folder.name,
    realPath: folder.realPath,
    reader: createReader(root),
    faults: createFaults(),
    diagnostics: [],
    sites: new Map(),
    disagreements: new Map(),
  };
  const settings = readValid(reading, `${folder.name}/realm.yaml`, "realm");
  const databases: Realm["databases"][number][] = [];
  for (const database of folder.databases) {
    const collections = await Promise.all(
      database.collections.map((each) => readCollection(reading, database.name, each)),
    );
    databases.push({ name: database.name, collections: collections.flatMap((each) => each ?? []) });
  }
  const profile = settings === undefined ? undefined : await readProfile(reading, settings);
  const { files, diagnostics } = reading.reader;
  const strays = folder.strays.filter((stray) => !files.has(stray.path)).map((stray) => stray.diagnostic);
  const found = [...diagnostics, ...reading.diagnostics, ...strays];
  if (settings === undefined) return { value: undefined, diagnostics: found };
  const { faults } = reading;
  return {
    value: {
      realm: {
        name: folder.name,
        ...realmSettings(settings),
        ...(profile === undefined ? {} : { profile }),
        databases,
        inputs: inputsOf(files),
      },
      sound:
        !faults.touch(settings.path, ["auth"]) &&
        !faults.touch(settings.path, ["roles"]) &&
        !faults.touch(settings.path, ["organizations", "roles"]) &&
        !faults.touch(settings.path, ["organizations", "team_roles"]) &&
        (profile !== undefined || settings.value.profile === undefined),
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

function inputsOf(files: ReadonlyMap<string, SourceFile | undefined>): InputFile[] {
  return [...files]
    .flatMap(([path, file]) =>
      file === undefined ? [] : [{ path, meaning: meaningOf(file.value), value: file.value }],
    )
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function readProfile(reading: Reading, settings: SourceFile): Promise<Schema | undefined> {
  if (settings.value.profile === undefined) return undefined;
  const schema = await readSchema(reading, settings, ["profile"]);
  return schema === undefined || fieldsOf(reading, settings, schema) === undefined ? undefined : schema;
}

/** Reads and validates a file; its faults are noted, a file that cannot be parsed is one as a whole. */
function readValid(reading: Reading, path: string, kind: FileKind): SourceFile | undefined {
  const file = reading.reader.read(path);
  if (file === undefined) reading.faults.add(path, []);
  else noteValidation(reading, file, kind, []);
  return file;
}

function noteValidation(reading: Reading, file: SourceFile, kind: FileKind, at: readonly string[]): void {
  const { diagnostics, faults } = validate(kind, file, at);
  reading.diagnostics.push(...diagnostics);
  for (const fault of [...faults, ...file.ambiguous]) reading.faults.add(file.path, fault);
}

async function readCollection(
  reading: Reading,
  database: string,
  folder: CollectionFolder,
): Promise<Collection | undefined> {
  const file = folder.hasSchema ? reading.reader.read(`${folder.path}/schema.json`) : undefined;
  const settings = folder.hasSettings
    ? readValid(reading, `${folder.path}/collection.yaml`, "collection")
    : undefined;
  const indexes = folder.hasIndexes
    ? readValid(reading, `${folder.path}/indexes.json`, "indexes")
    : undefined;
  const schema = file === undefined ? undefined : await readSchema(reading, file, []);
  const declared = file === undefined || schema === undefined ? undefined : fieldsOf(reading, file, schema);
  if (file === undefined || schema === undefined || declared === undefined) return undefined;
  reading.disagreements.set(`${database}/${folder.name}`, declared.disagreements);
  const sources = [file, settings, indexes].flatMap((each) => each?.path ?? []);
  return {
    realm: reading.realm,
    database,
    name: folder.name,
    span: locate(file, []),
    sources: [...new Set([...sources, ...schema.files.map(({ path }) => path)])].sort(),
    schema,
    fields: declared.fields,
    ...collectionIndexes(indexes),
    ...collectionSettings(settings, database),
  };
}

/** The schema at a place in a file; `undefined` when it, or a file that it reaches, cannot be made sense of. */
async function readSchema(
  reading: Reading,
  file: SourceFile,
  at: readonly string[],
): Promise<Schema | undefined> {
  const { files, diagnostics, complete } = await schemaFiles(file, at, reading);
  reading.diagnostics.push(...diagnostics);
  let sound = complete;
  for (const each of files) {
    const place = each === file ? at : [];
    const key = `${each.path}#${pointerOf(place)}`;
    // The profile is validated with the rest of realm.yaml, a shared file once for all schemas that reach it.
    const isNew = !reading.sites.has(key);
    reading.sites.set(key, { file: each, at: place });
    if (isNew && place.length === 0) noteValidation(reading, each, "schema", place);
    if (reading.faults.touch(each.path, place)) sound = false;
  }
  if (!sound) return undefined;
  return {
    path: file.path,
    pointer: pointerOf(at),
    document: file.value,
    files: files.map(({ path, value }) => ({ path, document: value })),
  };
}

function fieldsOf(reading: Reading, file: SourceFile, schema: Schema): DeclaredFields | undefined {
  try {
    return declaredFields(schema, (place) => {
      const declaring = reading.reader.read(place.path) ?? file;
      return locate(declaring, pathOf(place.pointer), "key");
    });
  } catch (error) {
    if (!(error instanceof TooManyParts)) throw error;
    reading.diagnostics.push(
      diagnose("schema-too-large", locate(file, pathOf(schema.pointer)), { problem: error.message }),
    );
    return undefined;
  }
}
