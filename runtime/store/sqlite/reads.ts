import { Connection } from "./connection.ts";
import { prepareFile, type StoreFile } from "./file.ts";

/** Milliseconds for which SQLite may stop the main thread while another process holds a lock. */
const BUSY_TIMEOUT = 2;

/** Pages in the log before it is copied back: four times the default, so that pages written often are copied once. */
const CHECKPOINT_PAGES = 4000;

/**
 * The main thread's two connections, and which of them reads.
 *
 * Reads go to the writing connection, whose cache our own writes keep warm, but to one of their own while a group of
 * writes is open. Locking for a read costs as much as reading a document; so all reads of one turn of the event loop
 * share one snapshot, taken anew after each commit of ours. What another process commits is seen from the next turn on.
 */
export class Reads {
  readonly writing: Connection;
  readonly #path: string;
  #separate: Connection | undefined;
  /** A group of writes is open on the writing connection. */
  #grouping = false;
  #snapshot = false;
  /** `PRAGMA data_version` was consulted in this snapshot. */
  #checked = false;
  #dataVersion: unknown;

  /** @throws Error for a file in a newer format. */
  constructor({ path, temporary }: StoreFile) {
    this.#path = path;
    this.writing = new Connection(path, { readOnly: false, busyTimeout: BUSY_TIMEOUT });
    const { database } = this.writing;
    try {
      prepareFile(database, path);
    } catch (error) {
      database.close();
      throw error;
    }
    // FULL: a commit is on the disk when it returns.
    database.exec(
      `PRAGMA synchronous = ${temporary ? "OFF" : "FULL"}; PRAGMA busy_timeout = ${BUSY_TIMEOUT}`,
    );
    database.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}; PRAGMA journal_size_limit = ${2 ** 26}`);
  }

  /** The connection for reads that see everything committed. */
  reading(): Connection {
    if (this.#grouping) {
      this.#separate ??= new Connection(this.#path, { readOnly: true, busyTimeout: BUSY_TIMEOUT });
      return this.#separate;
    }
    if (!this.#snapshot) {
      this.writing.prepare("BEGIN").run();
      this.#snapshot = true;
      setImmediate(this.#endSnapshot);
    }
    return this.writing;
  }

  /** From here to {@link endGroup} the writing connection belongs to a group of writes. */
  beginGroup(): void {
    this.#endSnapshot();
    this.writing.prepare("BEGIN IMMEDIATE").run();
    this.#grouping = true;
  }

  endGroup(): void {
    this.#grouping = false;
  }

  /** Whether another process has written since this was last asked. */
  foreignWrites(): boolean {
    if (this.#grouping) return false;
    const connection = this.reading();
    if (this.#checked) return false;
    this.#checked = true;
    const before = this.#dataVersion;
    const row: unknown = connection.prepare("PRAGMA data_version").get();
    this.#dataVersion = Array.isArray(row) ? row[0] : undefined;
    return before !== this.#dataVersion;
  }

  close(): void {
    this.#endSnapshot();
    this.#separate?.close();
    // SQLite does this itself when the last connection closes, which may be later: once statements are collected.
    this.writing.database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    this.writing.close();
  }

  readonly #endSnapshot = (): void => {
    if (!this.#snapshot) return;
    this.#snapshot = false;
    this.#checked = false;
    // SQLite itself ends a transaction on some failures.
    if (this.writing.database.isTransaction) this.writing.prepare("COMMIT").run();
  };
}
