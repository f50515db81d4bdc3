import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Database, isBusy, openDatabase } from "./driver.ts";

/** Another process serves the folder. */
export class FolderLocked extends Error {
  /** What the other process called itself. */
  readonly holder: string;

  constructor(folder: string, holder: string) {
    super(`${folder} is in use by ${holder}`);
    this.name = "FolderLocked";
    this.holder = holder;
  }
}

export interface FolderLock {
  release(): void;
}

const LOCK = "lock.sqlite";
const HOLDER = "lock.holder";

/** What taking a folder leaves in it. */
export const lockFiles: ReadonlySet<string> = new Set([LOCK, HOLDER, `${LOCK}-journal`]);

/** Connections that hold locks; one that nothing refers to would be collected, and its lock with it. */
const held = new Set<Database>();

/** Milliseconds that a second process waits: one that is just ending gives the folder up, one just starting says its name. */
const PATIENCE = 200;

/**
 * Takes the folder for this process, until `release` or its death: the lock is one that SQLite holds on `lock.sqlite`,
 * and the kernel drops it with the process. `lock.holder` says to those who come too late who has it; it means nothing
 * by itself.
 *
 * @param holder What to call this process in the message to others.
 * @throws FolderLocked
 */
export function lockFolder(folder: string, holder: string): FolderLock {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const name = join(folder, HOLDER);
  const database = openDatabase(join(folder, LOCK), { readOnly: false });
  try {
    database.exec(`PRAGMA busy_timeout = ${PATIENCE}`);
    database.exec("BEGIN IMMEDIATE");
    writeFileSync(name, holder);
  } catch (error) {
    database.close();
    throw isBusy(error) ? new FolderLocked(folder, readFileSync(name, "utf8")) : error;
  }
  held.add(database);
  return {
    release: () => {
      if (held.delete(database)) database.close();
    },
  };
}
