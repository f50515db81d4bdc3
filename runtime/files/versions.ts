/**
 * Versions of images: made of the stored bytes once for each content and each thing that is asked for, by whoever wants one
 * first. The storage is what knows of them: what is there is ready, and an empty one says that it cannot be made. Documents
 * repeat that (`version-states.ts`).
 */
import { hash } from "node:crypto";
import type { Spool } from "../blobs/spool.ts";
import { type BlobKey, BlobMissing, type BlobStore, type Spooled } from "../blobs/store.ts";
import { collections, readBlob } from "../documents/files/records.ts";
import { ApiError } from "../errors.ts";
import type { ByteSource, RealmInstance } from "../realm/exchange.ts";
import type { FileMetrics } from "../realm/file-metrics.ts";
import type { FileObject } from "../realm/files.ts";
import { Turns } from "../turns.ts";
import { InvalidImage } from "./content/decoding.ts";
import { rendered } from "./content/images.ts";
import type { DeclaredVersion } from "./declared.ts";

/** A version that is stored. */
export interface ReadyVersion {
  readonly key: BlobKey;
  /** Bytes. */
  readonly size: number;
  /** What tells its bytes from all others. */
  readonly name: string;
}

/** So many are made at once on this machine, and so many wait. */
const turns = new Turns(4, 256, () => new ApiError("unavailable", "Too many images are being worked on."));

/** An image is never empty. */
const unrenderable: Spooled = { kind: "memory", bytes: Buffer.alloc(0), size: 0, sha256: hash("sha256", "") };

interface Bytes {
  readonly blobs: BlobStore;
  readonly spool: Spool;
  readonly metrics?: Pick<FileMetrics, "rendered"> | undefined;
}

type Image = Pick<FileObject, "sha256" | "type">;

export class Versions {
  readonly #store: RealmInstance["store"];
  readonly #storage: Bytes;
  /** What is being made, in bytes: who wants the same waits for it. */
  readonly #underway = new Map<BlobKey, Promise<number>>();

  constructor({ store }: Pick<RealmInstance, "store">, storage: Bytes) {
    this.#store = store;
    this.#storage = storage;
  }

  /**
   * A version, which is made where it is not there yet.
   * @returns `failed`: it cannot be made of this image
   * @throws ApiError `unavailable` where too many images wait; BlobMissing where the image is gone; StorageUnavailable
   */
  async want(image: Image, version: DeclaredVersion): Promise<ReadyVersion | "failed"> {
    const { spec } = version;
    const key = `${image.sha256}/${spec}`;
    const size = (await this.#storage.blobs.size(key)) ?? (await this.#shared(key, image, version));
    return size === 0 ? "failed" : { key, size, name: `${image.sha256}.${spec}` };
  }

  #shared(key: BlobKey, image: Image, version: DeclaredVersion): Promise<number> {
    const underway = this.#underway.get(key);
    if (underway !== undefined) return underway;
    const made = turns.run(() => this.#make(key, image, version)).finally(() => this.#underway.delete(key));
    this.#underway.set(key, made);
    return made;
  }

  /** @returns its bytes */
  async #make(key: BlobKey, image: Image, version: DeclaredVersion): Promise<number> {
    const { blobs, spool, metrics } = this.#storage;
    await this.#requireNamed(image);
    const there = await blobs.size(key);
    if (there !== undefined) return there;
    const made = await this.#rendered(image, version);
    try {
      await blobs.put(key, made, image.type);
      metrics?.rendered(made.size === 0 ? "failed" : "made");
      return made.size;
    } finally {
      await spool.discard(made);
    }
  }

  async #rendered(image: Image, { image: version }: DeclaredVersion): Promise<Spooled> {
    const { blobs, spool } = this.#storage;
    const { source, discard } = await this.#source(image);
    try {
      return (await rendered(source, image.type, version, spool)).spooled;
    } catch (error) {
      if (!(error instanceof InvalidImage)) throw error;
      // It is not said of an image that was taken away meanwhile.
      if ((await blobs.size(image.sha256)) === undefined) throw new BlobMissing(image.sha256);
      return unrenderable;
    } finally {
      await discard();
    }
  }

  /** The image where it lies, or in the spool where that is elsewhere. @throws BlobMissing */
  async #source({ sha256 }: Image): Promise<{ source: Spooled; discard: () => Promise<void> }> {
    const { blobs, spool } = this.#storage;
    const size = await blobs.size(sha256);
    if (size === undefined) throw new BlobMissing(sha256);
    const path = blobs.fileOf?.(sha256);
    if (path !== undefined)
      return { source: { kind: "file", path, size, sha256 }, discard: () => Promise.resolve() };
    // Others may want it, too: it is made whoever goes away.
    const stored = await blobs.open(sha256, undefined, new AbortController().signal);
    const source = await spool.take(bytesOf(stored), size);
    return { source, discard: () => spool.discard(source) };
  }

  /**
   * No sweep removes what is named, nor what was named a moment ago for longer than any version takes: none is left behind
   * of bytes that are gone.
   */
  async #requireNamed({ sha256 }: Image): Promise<void> {
    const stored = await this.#store.collection(collections.blobs).get(sha256, "live");
    if (stored === undefined || readBlob(stored).record.refs === 0) throw new BlobMissing(sha256);
  }
}

async function* bytesOf(source: ByteSource): AsyncGenerator<Uint8Array> {
  for await (const piece of source) yield typeof piece === "string" ? Buffer.from(piece) : piece;
}
