/** The pages in which a database differs from the copy of it that an earlier backup has made. */
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename, join } from "node:path";
import type { FrozenFile } from "../../store/sqlite/frozen.ts";
import type { BackupDatabase, BackupFile } from "./manifest.ts";

/** Bytes that are compared at a time: a multiple of every size that pages have. */
export const CHUNK = 2 ** 20;

/** What is copied of a database. */
type Copied = Pick<FrozenFile, "file" | "bytes" | "pageSize">;

/** Where the header of a database says how it is written and read, and that it is so with a rollback journal. */
const VERSIONS = 18;
const JOURNAL = 1;

/**
 * A database's bytes, piece by piece, as a copy has them: one that says that it has a rollback journal, so that whoever
 * opens the copy to read it needs no other file beside it. A server that opens it goes back to the log.
 */
export async function* bytesOf({ file, bytes }: Omit<Copied, "pageSize">): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes; at += CHUNK) {
    const piece = await readExactly(file, at, Math.min(CHUNK, bytes - at));
    if (at === 0) piece.fill(JOURNAL, VERSIONS, VERSIONS + 2);
    yield piece;
  }
}

/** What a backup has written of a database. */
export interface Compared {
  readonly bytes: number;
  readonly sha256: string;
  /** Absent where nothing has changed. */
  readonly changes?: BackupFile | undefined;
}

/**
 * Makes a copy of a database, or goes on with one that was cut short: what is there already is not written again.
 * @param told of the bytes that are done
 * @param written told of bytes that were written
 */
export async function writeWhole(
  source: Copied,
  path: string,
  told: (bytes: number) => void,
  written: (bytes: number) => void,
): Promise<BackupFile> {
  const hash = createHash("sha256");
  const copy = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    let at = 0;
    for await (const piece of bytesOf(source)) {
      hash.update(piece);
      if (!piece.equals(await readUpTo(copy, at, piece.length))) {
        await writeAll(copy, piece, at);
        written(piece.length);
      }
      at += piece.length;
      told(at);
    }
    await copy.truncate(source.bytes);
    await copy.sync();
  } finally {
    await copy.close();
  }
  return { path: basename(path), bytes: source.bytes, sha256: hash.digest("hex") };
}

/**
 * Compares a database with its copy, and writes a file of the pages that differ: each is its number, in four bytes, and
 * what is in it.
 * @param path of that file; there is none afterwards where none differ
 */
export async function writeChanges(
  source: Copied,
  copy: FileHandle,
  path: string,
  told: (bytes: number) => void,
): Promise<Compared> {
  const { pageSize } = source;
  const hash = createHash("sha256");
  const changes = await Changes.create(path);
  try {
    let at = 0;
    for await (const piece of bytesOf(source)) {
      hash.update(piece);
      const before = await readUpTo(copy, at, piece.length);
      if (!piece.equals(before)) {
        for (let offset = 0; offset < piece.length; offset += pageSize) {
          const page = piece.subarray(offset, offset + pageSize);
          if (!page.equals(before.subarray(offset, offset + pageSize)))
            await changes.add((at + offset) / pageSize, page);
        }
      }
      at += piece.length;
      told(at);
    }
    const { size } = await copy.stat();
    const written = await changes.end();
    const isSame = written.bytes === 0 && size === source.bytes;
    return {
      bytes: source.bytes,
      sha256: hash.digest("hex"),
      ...(!isSame && { changes: written }),
    };
  } finally {
    await changes.close();
  }
}

/** A file of changed pages that is being written. */
class Changes {
  readonly #file: FileHandle;
  readonly #path: string;
  readonly #hash = createHash("sha256");
  #gathered: Buffer[] = [];
  #waiting = 0;
  #bytes = 0;

  private constructor(file: FileHandle, path: string) {
    this.#file = file;
    this.#path = path;
  }

  static async create(path: string): Promise<Changes> {
    return new Changes(await open(path, "w", 0o600), path);
  }

  async add(number: number, page: Buffer): Promise<void> {
    const head = Buffer.alloc(4);
    head.writeUInt32BE(number);
    // A copy: the piece that it is part of would stay in memory with it.
    this.#gathered.push(head, Buffer.from(page));
    this.#waiting += head.length + page.length;
    if (this.#waiting >= CHUNK) await this.#write();
  }

  async #write(): Promise<void> {
    const bytes = Buffer.concat(this.#gathered);
    this.#gathered = [];
    this.#waiting = 0;
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    await this.#file.appendFile(bytes);
  }

  async end(): Promise<BackupFile> {
    await this.#write();
    await this.#file.sync();
    return { path: basename(this.#path), bytes: this.#bytes, sha256: this.#hash.digest("hex") };
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

/**
 * Which pages a file of changes has, counted from 0, and where they lie in it.
 * @throws Error for what is no such file
 */
export async function changedPages(
  folder: string,
  { path, bytes }: BackupFile,
  pageSize: number,
): Promise<ReadonlyMap<number, number>> {
  const at = new Map<number, number>();
  const step = 4 + pageSize;
  if (bytes % step !== 0) throw new Error(`${join(folder, path)} is damaged`);
  const file = await open(join(folder, path), "r");
  try {
    for (let offset = 0; offset < bytes; offset += step)
      at.set((await readExactly(file, offset, 4)).readUInt32BE(), offset + 4);
  } finally {
    await file.close();
  }
  return at;
}

/** Puts the pages of a file of changes into the copy that they were compared with. Done again, it comes to the same. */
export async function applyChanges(folder: string, database: BackupDatabase): Promise<void> {
  const { changes, path, bytes, page_size: pageSize } = database;
  if (changes === undefined) return;
  const [from, to] = [await open(join(folder, changes.path), "r"), await open(join(folder, path), "r+")];
  try {
    const step = 4 + pageSize;
    for (let offset = 0; offset < changes.bytes; offset += step) {
      const record = await readExactly(from, offset, step);
      await writeAll(to, record.subarray(4), record.readUInt32BE() * pageSize);
    }
    await to.truncate(bytes);
    await to.sync();
  } finally {
    await from.close();
    await to.close();
  }
}

/** @throws Error where there are fewer bytes */
export async function readExactly(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const read = await readUpTo(file, at, length);
  if (read.length < length) throw new Error("a file of the database is shorter than it has to be");
  return read;
}

export async function readUpTo(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let got = 0;
  while (got < length) {
    const { bytesRead } = await file.read(buffer, got, length - got, at + got);
    if (bytesRead === 0) break;
    got += bytesRead;
  }
  return buffer.subarray(0, got);
}

export async function writeAll(file: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    written += (await file.write(bytes, written, bytes.length - written, at + written)).bytesWritten;
  }
}
