/** Reads the migrations of a collection. */
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { whileReadingAll } from "../diagnostics/internal-error.ts";
import { fileSpan } from "../diagnostics/span.ts";
import { allowedInWords } from "../functions/modules.ts";
import { readCode } from "../functions/read-handler.ts";
import { readSteps, stepProblems } from "../migrations/read.ts";
import { declaredFields } from "../model/fields.ts";
import type { Migration } from "../model/migrations.ts";
import type { Collection } from "../model/model.ts";
import { type RealmFiles, schemaFiles } from "../model/schema-files.ts";
import { type FileKind, validate } from "../model/validate.ts";
import type { Schema } from "../schema/place.ts";
import { TooManyParts } from "../schema/shapes.ts";
import type { MigrationFile } from "../source/migration-files.ts";
import { locate, type Path, type SourceFile } from "../source/source.ts";

export interface ReadingMigrations extends RealmFiles {
  readonly diagnostics: Diagnostic[];
}

/** With what of their collection is read; those that cannot be parsed are left out. */
export async function readMigrations(
  files: readonly MigrationFile[],
  collection: Collection,
  reading: ReadingMigrations,
): Promise<Pick<Collection, "migrations">> {
  const read = await Promise.all(
    files.map((each) => whileReadingAll(each.path, () => readMigration(each, collection, reading))),
  );
  const migrations = read.flatMap((each) => each ?? []);
  return migrations.length === 0 ? {} : { migrations };
}

async function readMigration(
  migration: MigrationFile,
  collection: Collection,
  reading: ReadingMigrations,
): Promise<Migration | undefined> {
  const { path, number, name, kind, hasFrom } = migration;
  const before = hasFrom ? await readBefore(path, reading) : undefined;
  if (kind === "code") {
    if (!hasFrom)
      reading.diagnostics.push(diagnose("migration-from", fileSpan(path), { file: fromFile(path) }));
    const { value: code, diagnostics } = readCode(path, reading, pure);
    reading.diagnostics.push(...diagnostics);
    const from = before === undefined ? {} : { from: before };
    return { kind, number, name, path, span: fileSpan(path), code, ...from };
  }
  const file = readValid(path, "migration", ["steps"], reading);
  if (file === undefined) return undefined;
  reading.diagnostics.push(...stepProblems(file, collection));
  return readSteps(migration, file, before);
}

const pure = `a migration depends on the document alone; of Node's modules there are ${allowedInWords}`;

function fromFile(path: string): string {
  return `${path.slice(path.lastIndexOf("/") + 1).replace(/\.[^.]+$/, "")}.from.json`;
}

/** What documents were before a migration: a schema that nothing is validated with any more. */
async function readBefore(path: string, reading: ReadingMigrations): Promise<Schema | undefined> {
  const place = `${path.slice(0, path.lastIndexOf("/"))}/${fromFile(path)}`;
  const file = readValid(place, "schema", [], reading);
  if (file === undefined) return undefined;
  const { files, diagnostics } = await schemaFiles(file, [], reading);
  reading.diagnostics.push(...diagnostics);
  const schema = {
    path: file.path,
    pointer: "",
    document: file.value,
    files: files.map((each) => ({ path: each.path, document: each.value })),
  };
  try {
    declaredFields(schema);
    return schema;
  } catch (error) {
    if (!(error instanceof TooManyParts)) throw error;
    reading.diagnostics.push(diagnose("schema-too-large", locate(file, []), { problem: error.message }));
    return undefined;
  }
}

function readValid(
  path: string,
  kind: FileKind,
  at: Path,
  { reader, diagnostics }: ReadingMigrations,
): SourceFile | undefined {
  const file = reader.read(path);
  if (file !== undefined) diagnostics.push(...validate(kind, file, at).diagnostics);
  return file;
}
