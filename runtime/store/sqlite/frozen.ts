/** Database files held still at one moment, while whoever serves them goes on writing. */
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Clock } from "../../clock.ts";
import type { StoreReader } from "../contract/beside.ts";
import { StoreUnavailable } from "../contract/errors.ts";
import { readerOn } from "./beside.ts";
import { Connection } from "./connection.ts";
import { isBusy } from "./driver.ts";
import { requireKnownFormat } from "./file.ts";
import { valuesOf, wholeNumberOf } from "./rows.ts";

/** A realm's file, as it was at that moment. */
export interface FrozenFile {
  readonly realm: string;
  /** The file's bytes are the database, whole: what is written meanwhile waits beside it. */
  readonly file: FileHandle;
  readonly bytes: number;
  /** Bytes. */
  readonly pageSize: number;
  /** What was in it. */
  readonly reader: StoreReader;
  /** Lets it go; the reader reads no more. */
  release(): Promise<void>;
}

/** Milliseconds that a statement waits for a writer to end its group. */
const PATIENCE = 5_000;
/** Milliseconds between attempts, and attempts: readers of an older moment end within the time limit of queries. */
const PAUSE = 250;
const ATTEMPTS = 240;

/**
 * Holds the files of realms still at one moment for all of them. It takes a few milliseconds in which writers wait; then
 * they write into the log beside the file (WAL), which is not brought into the file until they are released, so that it grows.
 *
 * A checkpoint never goes past the end of what an open transaction reads. So where a transaction has begun while nobody
 * could write, and a checkpoint has brought all of the log into the file since, the file is what the transaction reads.
 * @throws StoreUnavailable where somebody else writes, or reads an older moment, for a minute
 * @throws Error for a file in a newer format
 */
export async function freeze(
  folder: string,
  realms: readonly string[],
  clock: Clock,
): Promise<readonly FrozenFile[]> {
  for (let attempt = 1; ; attempt += 1) {
    const held: Held[] = [];
    let isStill = false;
    try {
      for (const realm of realms) held.push(await hold(folder, realm));
      isStill = stopWriters(held, () => held.every(begins));
      if (isStill) return held.map((one) => frozen(one, clock));
    } finally {
      if (!isStill) for (const one of held) await letGo(one);
    }
    if (attempt === ATTEMPTS)
      throw new StoreUnavailable(new Error(`somebody else has been busy with ${folder} for a minute`));
    await setTimeout(PAUSE);
  }
}

interface Held {
  readonly realm: string;
  /**
   * Opened before SQLite opens the file, closed after SQLite has: POSIX takes all of a process's locks on a file away when
   * it closes any descriptor of it.
   */
  readonly file: FileHandle;
  readonly reading: Connection;
}

async function hold(folder: string, realm: string): Promise<Held> {
  const path = join(folder, `${realm}.sqlite`);
  const file = await open(path, "r");
  let reading: Connection | undefined;
  try {
    reading = new Connection(path, { readOnly: false, busyTimeout: PATIENCE });
    requireKnownFormat(reading.database, path);
    // What is there already is not to be done while writers wait.
    checkpoint(reading);
    return { realm, file, reading };
  } catch (error) {
    reading?.close();
    await file.close();
    throw error;
  }
}

/** Does it while nobody can write to any of the files. False where they could not be stopped. */
function stopWriters(held: readonly Held[], work: () => boolean): boolean {
  const writing: Connection[] = [];
  try {
    for (const { reading } of held) {
      const path = `${reading.database.location()}`;
      const connection = new Connection(path, { readOnly: false, busyTimeout: PATIENCE });
      writing.push(connection);
      connection.database.exec("BEGIN IMMEDIATE");
    }
    return work();
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  } finally {
    for (const connection of writing) endAndClose(connection);
  }
}

/** Begins to read. Whether the file is what is read. */
function begins({ reading }: Held): boolean {
  const path = `${reading.database.location()}`;
  reading.database.exec("BEGIN; SELECT count(*) FROM sqlite_schema");
  // Not by the connection that reads: a transaction makes no checkpoints.
  const other = new Connection(path, { readOnly: false, busyTimeout: PATIENCE });
  try {
    const [log, done] = checkpoint(other);
    return log === done;
  } finally {
    other.close();
  }
}

/** Pages in the log, and of these those that are in the file by now. */
function checkpoint({ database }: Connection): readonly [log: number, done: number] {
  const statement = database.prepare("PRAGMA wal_checkpoint(PASSIVE)");
  statement.setReturnArrays(true);
  const [, log, done] = valuesOf(statement.get());
  return [wholeNumberOf(log), wholeNumberOf(done)];
}

function frozen(held: Held, clock: Clock): FrozenFile {
  const { realm, file, reading } = held;
  const pragma = (name: string) => wholeNumberOf(valuesOf(reading.prepare(`PRAGMA ${name}`).get())[0]);
  const pageSize = pragma("page_size");
  return {
    realm,
    file,
    bytes: pragma("page_count") * pageSize,
    pageSize,
    reader: readerOn(reading, clock),
    release: () => letGo(held),
  };
}

async function letGo({ reading, file }: Held): Promise<void> {
  endAndClose(reading);
  await file.close();
}

/** By closing alone a transaction may last until statements are collected. */
function endAndClose(connection: Connection): void {
  if (connection.database.isTransaction) connection.database.exec("ROLLBACK");
  connection.close();
}
