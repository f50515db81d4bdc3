/** `backup.json` of a backup's folder: what is in it. */
import { open, readFile, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { synced } from "../../blobs/local/durable.ts";
import { isJsonObject, type JsonObject, type JsonValue, objectIn } from "../../json.ts";
import { UsageError } from "../command.ts";

export const manifestName = "backup.json";

/** Of a realm; it becomes part of paths. */
export const realmName = /^[a-z][a-z0-9-]*$/;

/** A file that is whole. */
export interface BackupFile {
  /** In the folder. */
  readonly path: string;
  readonly bytes: number;
  /** In hexadecimal. */
  readonly sha256: string;
}

/**
 * A realm's database. While it has `changes`, its file is the one of an earlier backup, or half of this one: the pages in
 * `changes`, put over it, make it the one whose length and hash stand here.
 */
export interface BackupDatabase extends BackupFile {
  /** Bytes of its pages. */
  readonly page_size: number;
  readonly changes?: BackupFile | undefined;
}

/** The files that documents of a realm name. Each lies at `files/<realm>/<two digits>/<SHA-256>`. */
export interface BackupContents extends BackupFile {
  /** How many its list has, and their bytes. */
  readonly contents: number;
  readonly total: number;
}

export interface BackupRealm {
  readonly realm: string;
  readonly database: BackupDatabase;
  /** Their list; absent where no document names any, and where they lie in a bucket. */
  readonly files?: BackupContents | undefined;
}

export interface Manifest {
  readonly format: 1;
  /** Grows with every backup into the folder. */
  readonly generation: number;
  /** The store, as people may read it. */
  readonly store: string;
  /** The only realm that was asked for; null: all. */
  readonly only: string | null;
  /** Of the bundle that made it. */
  readonly fingerprint: string;
  /** The moment that it is of. RFC 3339; null where the first one into the folder has not come to its end. */
  readonly taken_at: string | null;
  readonly realms: readonly BackupRealm[];
  /** What the instance signs and seals with. */
  readonly keys?: BackupFile | undefined;
}

/**
 * The manifest of a folder; undefined where it has none.
 * @throws UsageError where it makes no sense
 */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const path = join(folder, manifestName);
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const manifest = manifestIn(objectIn(text) ?? {});
  if (manifest === undefined) throw new UsageError(`${path} is not what a backup writes`);
  return manifest;
}

/** It is there whole, or as it was before, whenever the process dies. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  await replaceFile(join(folder, manifestName), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

/** Writes a file that is there whole, or as it was before, whenever the process or the machine dies. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const file = await open(`${path}.part`, "w", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.part`, path);
  await synced(dirname(path));
}

function manifestIn(read: JsonObject): Manifest | undefined {
  const { format, generation, store, only, fingerprint, taken_at: takenAt, realms, keys } = read;
  if (format !== 1 || typeof generation !== "number" || !Array.isArray(realms)) return undefined;
  if (typeof store !== "string" || typeof fingerprint !== "string") return undefined;
  if (takenAt !== null && typeof takenAt !== "string") return undefined;
  if (only !== null && typeof only !== "string") return undefined;
  const found = realms.map(realmIn);
  const whole = found.filter((realm) => realm !== undefined);
  const kept = keys === undefined ? undefined : fileIn(keys);
  if (whole.length < found.length || (keys !== undefined && kept === undefined)) return undefined;
  return { format, generation, store, only, fingerprint, taken_at: takenAt, realms: whole, keys: kept };
}

function realmIn(value: JsonValue): BackupRealm | undefined {
  if (!isJsonObject(value) || typeof value["realm"] !== "string") return undefined;
  const { realm, database, files } = value;
  if (!realmName.test(realm)) return undefined;
  const copy = databaseIn(database);
  const contents = files === undefined ? undefined : contentsIn(files);
  if (copy === undefined || (files !== undefined && contents === undefined)) return undefined;
  return { realm, database: copy, files: contents };
}

function databaseIn(value: JsonValue | undefined): BackupDatabase | undefined {
  const file = fileIn(value);
  if (file === undefined || !isJsonObject(value)) return undefined;
  const { page_size: pageSize, changes } = value;
  if (typeof pageSize !== "number" || !pageSizes.has(pageSize)) return undefined;
  const changed = changes === undefined ? undefined : fileIn(changes);
  if (changes !== undefined && changed === undefined) return undefined;
  return { ...file, page_size: pageSize, changes: changed };
}

/** That SQLite knows: powers of two. */
const pageSizes: ReadonlySet<number> = new Set(Array.from({ length: 8 }, (_, n) => 2 ** (9 + n)));

function contentsIn(value: JsonValue): BackupContents | undefined {
  const file = fileIn(value);
  if (file === undefined || !isJsonObject(value)) return undefined;
  const { contents, total } = value;
  return typeof contents === "number" && typeof total === "number" ? { ...file, contents, total } : undefined;
}

function fileIn(value: JsonValue | undefined): BackupFile | undefined {
  if (!isJsonObject(value)) return undefined;
  const { path, bytes, sha256 } = value;
  const isFile =
    typeof path === "string" &&
    // In the folder itself: nothing leads out of it.
    /^[a-z0-9][a-zA-Z0-9_.-]*$/.test(path) &&
    Number.isSafeInteger(bytes) &&
    typeof sha256 === "string" &&
    /^[0-9a-f]{64}$/.test(sha256);
  return isFile ? { path, bytes: Number(bytes), sha256 } : undefined;
}
