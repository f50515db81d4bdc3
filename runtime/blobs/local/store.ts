/** Bytes in a folder of this machine. What is stored is on the device before `put` answers. */
import { constants } from "node:fs";
import { access, mkdir, opendir, rename, rm, stat, unlink } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { ByteSource } from "../../realm/exchange.ts";
import { codeOf, unavailable } from "../failures.ts";
import type { Spool } from "../spool.ts";
import {
  type BlobKey,
  BlobMissing,
  type BlobStore,
  type ByteRange,
  type Spooled,
  StorageUnavailable,
} from "../store.ts";
import { closed, opened } from "./descriptors.ts";
import { synced, writeNew } from "./durable.ts";
import { keyAt, placeOf } from "./places.ts";
import { openFile } from "./read.ts";

/**
 * @param folder for this realm alone
 * @param spool on the same device: files move from there by their names
 * @throws StorageUnavailable where the folder cannot be made or used
 */
export async function openLocalBlobs(folder: string, spool: Spool): Promise<BlobStore> {
  const store = new LocalBlobs(folder, spool);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw unavailable(folder, error);
  }
  await store.health();
  return store;
}

class LocalBlobs implements BlobStore {
  readonly #folder: string;
  readonly #spool: Spool;
  /** Descriptors of the shelves that are there, on the device too: at most 256, each synced with every file in it. */
  readonly #shelves = new Map<string, number>();

  constructor(folder: string, spool: Spool) {
    this.#folder = folder;
    this.#spool = spool;
  }

  put(key: BlobKey, spooled: Spooled): Promise<void> {
    const { path, folders } = placeOf(this.#folder, key);
    return this.#attempt(async () => {
      const written = await this.#written(spooled);
      try {
        await this.#move(written, path, folders);
        this.#spool.moved(spooled);
      } catch (error) {
        // What the spool took in is its caller's.
        if (spooled.kind === "memory") await rm(written, { force: true });
        throw error;
      }
      await this.#sync(dirname(path));
    });
  }

  async size(key: BlobKey): Promise<number | undefined> {
    const { path } = placeOf(this.#folder, key);
    return this.#attempt(async () => {
      try {
        return (await stat(path)).size;
      } catch (error) {
        await this.#expectMissing(error);
        return undefined;
      }
    });
  }

  open(key: BlobKey, range: ByteRange | undefined, signal: AbortSignal): Promise<ByteSource> {
    const { path } = placeOf(this.#folder, key);
    return this.#attempt(async () => {
      try {
        return await openFile(path, range, signal);
      } catch (error) {
        if (signal.aborted) throw error;
        await this.#expectMissing(error);
        throw new BlobMissing(key);
      }
    }, signal);
  }

  remove(keys: readonly BlobKey[]): Promise<void> {
    const places = keys.map((key) => placeOf(this.#folder, key));
    return this.#attempt(async () => {
      const changed = new Set<string>();
      for (const { path, below } of places) {
        try {
          if (below !== undefined) await rm(below, { recursive: true, force: true });
          await unlink(path);
          changed.add(dirname(path));
        } catch (error) {
          await this.#expectMissing(error);
        }
      }
      for (const folder of changed) await this.#sync(folder);
    });
  }

  fileOf(key: BlobKey): string {
    return placeOf(this.#folder, key).path;
  }

  async *list(): AsyncGenerator<{ key: BlobKey; size: number; changedAt: number }, void, undefined> {
    try {
      const folders = [this.#folder];
      for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
        for await (const entry of await opendir(folder)) {
          const path = join(folder, entry.name);
          if (entry.isDirectory()) {
            if (path !== this.#spool.folder) folders.push(path);
            continue;
          }
          const key = keyAt(relative(this.#folder, path));
          // It may go while this reads.
          const of = key === undefined ? undefined : await stat(path).catch(() => undefined);
          if (key !== undefined && of !== undefined) yield { key, size: of.size, changedAt: of.mtimeMs };
        }
      }
    } catch (error) {
      throw unavailable(this.#folder, error);
    }
  }

  /** They are in the spool. */
  async removeLeftovers(): Promise<number> {
    return 0;
  }

  async health(): Promise<void> {
    await this.#attempt(() => access(this.#folder, constants.R_OK | constants.W_OK | constants.X_OK));
  }

  async close(): Promise<void> {
    const descriptors = [...this.#shelves.values()];
    this.#shelves.clear();
    for (const descriptor of descriptors) await closed(descriptor);
  }

  /** A file of the spool with all of the bytes, on the device. */
  async #written(spooled: Spooled): Promise<string> {
    if (spooled.kind === "file") {
      await synced(spooled.path);
      return spooled.path;
    }
    const path = this.#spool.newPath();
    await writeNew(path, spooled.bytes);
    return path;
  }

  async #move(from: string, to: string, folders: readonly string[]): Promise<void> {
    await this.#makeAll(folders);
    try {
      await rename(from, to);
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw error;
      // Somebody took the folders away.
      for (const folder of folders) await this.#forget(folder);
      await this.#makeAll(folders);
      await rename(from, to);
    }
  }

  async #makeAll(folders: readonly string[]): Promise<void> {
    for (const folder of folders) {
      if (this.#shelves.has(folder)) continue;
      try {
        // Not what is above: where the folder of all is gone, its device may be, too.
        await mkdir(folder, { mode: 0o700 });
      } catch (error) {
        if (codeOf(error) !== "EEXIST") throw error;
      }
      await this.#sync(dirname(folder));
      // Folders of versions are as many as files.
      if (dirname(folder) === this.#folder) await this.#keep(folder);
    }
  }

  async #keep(folder: string): Promise<void> {
    const descriptor = await opened(folder);
    // Another put may have been faster.
    if (this.#shelves.has(folder)) await closed(descriptor);
    else this.#shelves.set(folder, descriptor);
  }

  async #forget(folder: string): Promise<void> {
    const descriptor = this.#shelves.get(folder);
    this.#shelves.delete(folder);
    if (descriptor !== undefined) await closed(descriptor);
  }

  /** Names in a folder are on the device. */
  #sync(folder: string): Promise<void> {
    return synced(this.#shelves.get(folder) ?? folder);
  }

  /** @throws the error, unless it says that a file is not there while the folder of all is */
  async #expectMissing(error: unknown): Promise<void> {
    const code = codeOf(error);
    if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
    await access(this.#folder);
  }

  async #attempt<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof BlobMissing || error instanceof StorageUnavailable || signal?.aborted) throw error;
      throw unavailable(this.#folder, error);
    }
  }
}
