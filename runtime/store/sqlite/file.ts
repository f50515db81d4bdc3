import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "./driver.ts";

/** `PRAGMA user_version` of files in the present format. */
const FORMAT = 1;
/** Milliseconds that opening waits for another process. */
const PATIENCE = 5_000;

export interface StoreFile {
  readonly path: string;
  /** Nothing in it is to outlive the process. */
  readonly temporary: boolean;
  /** Removes a temporary file. */
  remove(): void;
}

/** Lies in a folder while a backup is being restored into it: what is there is not a store yet. */
export const UNFINISHED = "restore.json";

/** @throws Error for a folder that a restore has not come to its end in */
export function requireRestored(folder: string): void {
  if (existsSync(join(folder, UNFINISHED)))
    throw new Error(
      `${folder} is not whole: a restore into it was cut short (${UNFINISHED} says which); give its command again`,
    );
}

const temporaryFolders = new Set<string>();
process.once("exit", () => temporaryFolders.forEach(discard));

function discard(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/**
 * The realm's file, made if need be. `:memory:` is a file in a private folder, removed by `remove` or at the end of the
 * process: connections and threads cannot share a database in memory without seeing each other's unfinished writes.
 */
export function storeFile(location: string, realm: string): StoreFile {
  const temporary = location === ":memory:";
  const folder = temporary ? mkdtempSync(join(tmpdir(), "realmc-")) : location;
  if (!temporary) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${realm}.sqlite`);
  if (temporary) temporaryFolders.add(folder);
  const remove = () => {
    if (temporaryFolders.delete(folder)) discard(folder);
  };
  return { path, temporary, remove };
}

/**
 * Settings that the file itself keeps.
 * @throws Error for a file in a newer format.
 */
export function prepareFile(database: Database, path: string): void {
  database.exec(`PRAGMA busy_timeout = ${PATIENCE}`);
  requireKnownFormat(database, path);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA user_version = ${FORMAT}`);
}

/** @throws Error for a file in a newer format. */
export function requireKnownFormat(database: Database, path: string): void {
  const format = Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
  if (format > FORMAT)
    throw new Error(`${path} was written by a newer version (format ${format}, known: ${FORMAT})`);
}
