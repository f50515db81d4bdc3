/**
 * Where bytes lie while they are taken in and judged: hash and size are counted on the way, and never more than a few
 * pieces of a large body are in memory.
 */
import { createHash, type Hash, randomBytes } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { unavailable } from "./failures.ts";
import type { Spooled } from "./store.ts";

/** Bytes that are not worth a file. */
const SMALL = 65_536;
/** Bytes of a write; while it goes on, the next one is gathered. */
const BATCH = 524_288;
/** Pieces of a write, however small: each has a cost of its own. */
const PIECES = 256;
/** Bytes after which the system begins to write to the device, so that little is left to do at the end. */
const FLUSH = 16_777_216;
const DAY = 86_400_000;

/** There are more bytes than allowed. */
export class TooLarge extends Error {
  readonly limit: number;

  constructor(limit: number) {
    super(`there are more than ${limit} bytes`);
    this.name = "TooLarge";
    this.limit = limit;
  }
}

/** @throws StorageUnavailable where the folder cannot be made */
export async function openSpool(folder: string): Promise<Spool> {
  await failing(folder, () => mkdir(folder, { recursive: true, mode: 0o700 }));
  return new Spool(folder);
}

export class Spool {
  readonly folder: string;
  /** Those whose files are here no longer. */
  readonly #gone = new WeakSet<Spooled>();

  constructor(folder: string) {
    this.folder = folder;
  }

  /**
   * Takes in all that a source gives; nothing is left where that fails.
   * @param limit bytes
   * @throws TooLarge | StorageUnavailable, or what the source throws
   */
  async take(source: AsyncIterable<Uint8Array>, limit: number): Promise<Spooled> {
    const intake = new Intake(this, limit);
    try {
      for await (const piece of source) {
        const busy = intake.add(piece);
        if (busy !== undefined) await busy;
      }
      return await intake.end();
    } catch (error) {
      await intake.abandon();
      throw error;
    }
  }

  /** A path for a file that whoever asks will make; what is left there goes with {@link clean}. */
  newPath(): string {
    return join(this.folder, randomBytes(12).toString("hex"));
  }

  /**
   * What was written to a path of this spool by others.
   * @throws StorageUnavailable
   */
  async adopt(path: string): Promise<Spooled> {
    return failing(this.folder, async () => {
      const hash = createHash("sha256");
      const file = await open(path, "r");
      try {
        const buffer = Buffer.allocUnsafeSlow(BATCH);
        let size = 0;
        for (;;) {
          const { bytesRead } = await file.read(buffer, 0, BATCH, size);
          if (bytesRead === 0) return { kind: "file", path, size, sha256: hash.digest("hex") };
          hash.update(buffer.subarray(0, bytesRead));
          size += bytesRead;
        }
      } finally {
        await file.close();
      }
    });
  }

  /** Drops what was taken in; what is gone already is no mistake. */
  async discard(spooled: Spooled): Promise<void> {
    if (spooled.kind === "memory" || this.#gone.has(spooled)) return;
    await failing(this.folder, () => rm(spooled.path, { force: true }));
    this.#gone.add(spooled);
  }

  /** To be called when the file of what was taken in lies elsewhere now. */
  moved(spooled: Spooled): void {
    this.#gone.add(spooled);
  }

  /**
   * Removes what a process has left that died: files that nobody has written to for a day.
   * @returns how many
   * @throws StorageUnavailable
   */
  async clean(now: number): Promise<number> {
    return failing(this.folder, async () => {
      let removed = 0;
      for (const name of await readdir(this.folder)) {
        const path = join(this.folder, name);
        const of = await stat(path).catch(() => undefined);
        if (of === undefined || of.mtimeMs > now - DAY) continue;
        await rm(path, { recursive: true, force: true });
        removed += 1;
      }
      return removed;
    });
  }
}

/** Bytes of one source on their way. */
class Intake {
  readonly #spool: Spool;
  readonly #limit: number;
  readonly #hash: Hash = createHash("sha256");
  #size = 0;
  #gathered: Uint8Array[] = [];
  #bytes = 0;
  #file: { readonly path: string; readonly handle: FileHandle } | undefined;
  #writing: Promise<void> | undefined;
  #flushing: Promise<void> | undefined;
  #flushed = 0;

  constructor(spool: Spool, limit: number) {
    this.#spool = spool;
    this.#limit = limit;
  }

  /** @returns what to wait for before more is added, if anything */
  add(piece: Uint8Array): Promise<void> | undefined {
    this.#size += piece.byteLength;
    if (this.#size > this.#limit) throw new TooLarge(this.#limit);
    this.#gathered.push(piece);
    this.#bytes += piece.byteLength;
    if (this.#bytes < (this.#writing === undefined ? SMALL + 1 : BATCH)) {
      if (this.#gathered.length >= PIECES) this.#gathered = [Buffer.concat(this.#gathered)];
      return undefined;
    }
    return this.#write();
  }

  async end(): Promise<Spooled> {
    if (this.#writing === undefined) {
      const bytes = Buffer.concat(this.#gathered);
      return { kind: "memory", bytes, size: bytes.length, sha256: this.#hash.update(bytes).digest("hex") };
    }
    if (this.#bytes > 0) await this.#write();
    await this.#writing;
    await this.#flushing;
    const { path, handle } = await this.#open();
    this.#file = undefined;
    await failing(this.#spool.folder, () => handle.close());
    return { kind: "file", path, size: this.#size, sha256: this.#hash.digest("hex") };
  }

  async abandon(): Promise<void> {
    // What went wrong with these is what is being told already.
    await Promise.allSettled([this.#writing, this.#flushing]);
    if (this.#file === undefined) return;
    const { path, handle } = this.#file;
    await Promise.allSettled([handle.close(), rm(path, { force: true })]);
  }

  /** Begins the write of what was gathered, when the one before is over. */
  async #write(): Promise<void> {
    const pieces = this.#gathered;
    const bytes = this.#bytes;
    this.#gathered = [];
    this.#bytes = 0;
    await this.#writing;
    this.#writing = this.#append(pieces, bytes);
    // Told when the next one waits for it; until then nobody does.
    this.#writing.catch(() => undefined);
    for (const piece of pieces) this.#hash.update(piece);
  }

  async #append(pieces: Uint8Array[], bytes: number): Promise<void> {
    await failing(this.#spool.folder, async () => {
      const { handle } = await this.#open();
      const { bytesWritten } = await handle.writev(pieces);
      if (bytesWritten < bytes) await writeRest(handle, pieces, bytesWritten);
    });
    this.#flushed += bytes;
    if (this.#flushed < FLUSH || this.#file === undefined) return;
    this.#flushed = 0;
    const { handle } = this.#file;
    const before = this.#flushing;
    this.#flushing = failing(this.#spool.folder, async () => {
      await before;
      await handle.datasync();
    });
    this.#flushing.catch(() => undefined);
  }

  async #open(): Promise<{ readonly path: string; readonly handle: FileHandle }> {
    if (this.#file === undefined) {
      const path = this.#spool.newPath();
      this.#file = { path, handle: await open(path, "wx", 0o600) };
    }
    return this.#file;
  }
}

/** A device may take less than it is given. */
async function writeRest(handle: FileHandle, pieces: readonly Uint8Array[], written: number): Promise<void> {
  let rest = Buffer.concat(pieces).subarray(written);
  while (rest.length > 0) rest = rest.subarray((await handle.write(rest)).bytesWritten);
}

async function failing<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw unavailable(`the spool ${folder}`, error);
  }
}
