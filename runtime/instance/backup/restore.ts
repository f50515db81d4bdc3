/** Puts a backup into an empty folder, as the store that it is of. */
import { createHash } from "node:crypto";
import { type FileHandle, mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { synced } from "../../blobs/local/durable.ts";
import { isJsonObject, objectIn } from "../../json.ts";
import { UNFINISHED } from "../../store/sqlite/file.ts";
import { UsageError } from "../command.ts";
import { sha256Of } from "../transfer/sinks.ts";
import { keysName } from "./backup.ts";
import { bringing, contentsFolder, listed } from "./contents.ts";
import { requireEmpty } from "./folder.ts";
import { type BackupDatabase, type BackupRealm, type Manifest, replaceFile } from "./manifest.ts";
import { CHUNK, changedPages, readUpTo, writeAll } from "./pages.ts";

export interface RestoreOptions {
  /** The backup's folder. */
  readonly from: string;
  readonly manifest: Manifest;
  /** Of the store. */
  readonly folder: string;
  /** The data folder that files go to. */
  readonly data: string;
  /** Default: all that the backup has. */
  readonly realm: string | undefined;
  readonly progress: (progress: {
    readonly realm: string;
    readonly what: string;
    readonly bytes: number;
  }) => void;
}

/** Something in a backup is not what its manifest says. */
export class BackupDamaged extends Error {
  constructor(path: string, why: string) {
    super(`the backup is damaged: ${path} ${why}`);
    this.name = "BackupDamaged";
  }
}

export interface Restored {
  readonly realm: string;
  readonly bytes: number;
  readonly contents: number;
  readonly total: number;
}

/**
 * Restores a backup. Everything is hashed on its way, and nothing gets its name that is not what was backed up. Until all of
 * it is there, no server takes the folder; a run that was cut short is gone on with by the next.
 * @throws UsageError where the folder holds anything else | BackupDamaged | StorageUnavailable
 */
export async function restore(options: RestoreOptions): Promise<readonly Restored[]> {
  const { from, manifest, folder, data, realm } = options;
  const chosen = manifest.realms.filter((each) => realm === undefined || each.realm === realm);
  if (chosen.length === 0) throw new UsageError(`--realm: the backup has no realm ${realm}`);
  await begin(options);
  const restored: Restored[] = [];
  for (const one of chosen) {
    const { contents = 0, total = 0 } = one.files ?? {};
    if (one.files !== undefined) await restoreFiles(options, one, one.files);
    await restoreDatabase(options, one);
    restored.push({ realm: one.realm, bytes: one.database.bytes, contents, total });
  }
  if (manifest.keys !== undefined) {
    const { path, sha256 } = manifest.keys;
    const text = await readFile(join(from, path), "utf8");
    if (createHash("sha256").update(text).digest("hex") !== sha256)
      throw new BackupDamaged(path, "has another hash");
    await replaceFile(join(data, keysName), text);
  }
  await rm(join(folder, UNFINISHED));
  await synced(folder);
  return restored;
}

/** What is being restored into a folder: it goes on only as it began. */
async function begin({ from, manifest, folder, data, realm }: RestoreOptions): Promise<void> {
  const path = join(folder, UNFINISHED);
  const { generation, taken_at: takenAt, store } = manifest;
  const begun = { from, store, generation, taken_at: takenAt, realm: realm ?? null, data };
  const text = `${JSON.stringify(begun, undefined, 2)}\n`;
  const found = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (found === undefined) {
    await requireEmpty("--to", folder);
    await mkdir(data, { recursive: true, mode: 0o700 });
    return replaceFile(path, text);
  }
  if (found === text) return;
  const other = objectIn(found);
  const what = isJsonObject(other) ? `${other["from"]} of ${other["taken_at"]}` : "something else";
  throw new UsageError(
    `--to: ${folder} holds an unfinished restore from ${what}; finish that, or empty the folder`,
  );
}

async function restoreFiles(
  { from, data, progress }: RestoreOptions,
  { realm }: BackupRealm,
  list: NonNullable<BackupRealm["files"]>,
): Promise<void> {
  if ((await sha256Of(join(from, list.path), list.bytes)) !== list.sha256)
    throw new BackupDamaged(list.path, "is not there, or has another hash");
  const files = await bringing(contentsFolder(from, realm), contentsFolder(data, realm), false, ({ bytes }) =>
    progress({ realm, what: "files", bytes }),
  );
  try {
    for await (const batch of listed(from, list)) await files.bring(batch);
    const [lost] = files.lost;
    if (lost === undefined) return;
    const path = `files/${realm}/${lost.sha256.slice(0, 2)}/${lost.sha256}`;
    throw new BackupDamaged(path, `is not there, or has another hash (${files.lost.length} files are so)`);
  } finally {
    await files.close();
  }
}

async function restoreDatabase(
  { from, folder, progress }: RestoreOptions,
  { realm, database }: BackupRealm,
): Promise<void> {
  const path = join(folder, `${realm}.sqlite`);
  // An earlier run has come so far.
  if ((await sha256Of(path, database.bytes)) === database.sha256) return;
  const target = await open(`${path}.part`, "w", 0o600);
  const hash = createHash("sha256");
  try {
    let at = 0;
    for await (const piece of piecesOf(from, database)) {
      hash.update(piece);
      await writeAll(target, piece, at);
      at += piece.length;
      progress({ realm, what: "database", bytes: at });
    }
    await target.sync();
  } finally {
    await target.close();
  }
  if (hash.digest("hex") !== database.sha256) {
    await rm(`${path}.part`);
    throw new BackupDamaged(database.path, "has another hash");
  }
  await rename(`${path}.part`, path);
  await synced(folder);
}

/** A database of a backup, with the pages over it that have changed since. */
export async function* piecesOf(
  folder: string,
  { path, bytes, page_size: pageSize, changes }: BackupDatabase,
): AsyncGenerator<Buffer> {
  const opened: FileHandle[] = [];
  try {
    const copy = await openedOf(path);
    const changed = changes && {
      file: await openedOf(changes.path),
      at: await changedPages(folder, changes, pageSize),
    };
    for (let at = 0; at < bytes; at += CHUNK) {
      const length = Math.min(CHUNK, bytes - at);
      const piece = Buffer.alloc(length);
      (await readUpTo(copy, at, length)).copy(piece);
      for (let offset = 0; changed !== undefined && offset < length; offset += pageSize) {
        const there = changed.at.get((at + offset) / pageSize);
        if (there !== undefined) (await readUpTo(changed.file, there, pageSize)).copy(piece, offset);
      }
      yield piece;
    }
  } finally {
    for (const file of opened) await file.close();
  }

  async function openedOf(name: string): Promise<FileHandle> {
    const file = await open(join(folder, name), "r").catch((error: NodeJS.ErrnoException) => {
      throw error.code === "ENOENT" ? new BackupDamaged(name, "is not there") : error;
    });
    opened.push(file);
    return file;
  }
}
