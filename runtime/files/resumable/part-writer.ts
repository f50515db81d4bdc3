/** Parts of an upload into the storage, by the one request that adds to it. */
import { setTimeout } from "node:timers/promises";
import type { Spooled } from "../../blobs/store.ts";
import type { ResumableRecord, UploadWriter } from "../../documents/files/records.ts";
import type { Transaction } from "../../store/contract/transaction.ts";
import { binary, joined, spooledBytes } from "../bytes.ts";
import type { Place } from "../place.ts";
import type { Kept } from "../taking.ts";
import {
  changed,
  closed,
  ended,
  type Found,
  findResumable,
  keyOf,
  lifetime,
  offsetOf,
  partName,
  partsOf,
  uploadLocked,
} from "./records.ts";

const MIB = 1_048_576;
/** Bytes of a part, unless there would be too many. */
const PART = 16 * MIB;
/** Parts of less are put together, where there are so many of them at the end. */
const SMALL = MIB;
const MANY = 64;
/** How many there are at most, about. */
const MOST_PARTS = 5_000;

/** Milliseconds for which an upload is known to be in the works, and after which that is said again. */
const lease = 15_000;
const renewed = 4_000;

/** Bytes that a part may have. */
export function partSize(size: number): number {
  return Math.max(PART, Math.ceil(size / MOST_PARTS));
}

export class PartWriter {
  readonly #place: Place;
  #found: Found;
  /** Null: the upload is no longer ours. */
  #writer: UploadWriter | null;
  /** Bytes may lie there that are no part. */
  #spilt: readonly string[] = [];
  /** Names whose bytes are gone for sure. */
  readonly #gone = new Set<string>();

  private constructor(place: Place, found: Found, writer: UploadWriter) {
    this.#place = place;
    this.#found = found;
    this.#writer = writer;
  }

  /** @throws ApiError `upload_locked` */
  static async claim(place: Place, found: Found): Promise<PartWriter> {
    const writer = { token: partName(), next: partName() };
    const claimed =
      found.record.writer === null && found.record.state.kind === "open"
        ? await changed(place.realm.store, found, { writer })
        : undefined;
    if (claimed === undefined) throw uploadLocked();
    return new PartWriter(place, claimed, writer);
  }

  get record(): ResumableRecord {
    return this.#found.record;
  }

  /** Bytes that are still to come. */
  get left(): number {
    return this.record.size - offsetOf(this.record);
  }

  /**
   * Bytes are acknowledged once this has come back.
   * @param isLast nothing is written after it
   * @throws StorageUnavailable; ApiError `upload_locked` where somebody took the upload over
   */
  async keep(spooled: Spooled, isLast: boolean): Promise<void> {
    const { parts } = this.record;
    await this.#put(spooled, (part) => ({ parts: [...parts, [part, spooled.size]] }), isLast);
  }

  /** Many small parts at the end become one, so that small requests make no long record. @throws as {@link keep} */
  async tidy(): Promise<void> {
    const { parts } = this.record;
    const from = parts.findLastIndex(([, bytes]) => bytes >= SMALL) + 1;
    const small = parts.slice(from);
    if (small.length < MANY) return;
    const { spool, blobs } = this.#place.storage;
    const spooled = await spool.take(this.#bytes(small), small.length * SMALL);
    const names = small.map(([part]) => part);
    const loose = [...this.record.loose, ...names];
    try {
      await this.#put(
        spooled,
        (part) => ({ parts: [...parts.slice(0, from), [part, spooled.size]], loose }),
        false,
      );
    } finally {
      await spool.discard(spooled);
    }
    await blobs.remove(names.map((part) => keyOf(this.record.id, part)));
    for (const part of names) this.#gone.add(part);
  }

  /** All of the file: what has come, and the rest. @throws TooLarge | BlobMissing | StorageUnavailable */
  async whole(rest: Spooled): Promise<Spooled> {
    const { parts, size } = this.record;
    if (parts.length === 0) return rest;
    const { spool } = this.#place.storage;
    return spool.take(joined(this.#bytes(parts), spooledBytes(rest)), size);
  }

  /** Does what takes long, and says meanwhile that somebody does: nobody takes the upload over. */
  async whileFinishing<T>(work: () => Promise<T>): Promise<T> {
    const over = new AbortController();
    await this.#renew();
    const renewing = this.#renewing(over.signal);
    try {
      return await work();
    } finally {
      over.abort();
      await renewing;
    }
  }

  /** In the transaction that has the document name the file. @throws ApiError `upload_locked`; Outdated */
  async done(transaction: Transaction, { body, headers }: Kept): Promise<void> {
    const now = await findResumable(transaction, this.record.id);
    if (now === undefined || this.#writer === null || now.record.writer?.token !== this.#writer.token)
      throw uploadLocked();
    const until = this.#place.realm.clock.now() + lifetime;
    const state = { kind: "done", file: body, ...headers } as const;
    await closed(transaction, now, { state, writer: null, until });
  }

  /** Nobody may add to it any longer: it is done, or no attempt would make it better. */
  async end(isDone: boolean): Promise<void> {
    const { storage, realm } = this.#place;
    const { record } = this;
    const token = this.#writer?.token;
    if (!isDone)
      await ended(realm.store, record.id, ({ writer }) => writer?.token === token).catch(() => undefined);
    this.#writer = null;
    // Where that fails, the sweep removes them.
    await storage.blobs.remove(partsOf(record).map((part) => keyOf(record.id, part))).catch(() => undefined);
  }

  /** Lets others add to it. Where that fails, whoever asks where the upload stands takes it over. */
  async release(): Promise<void> {
    if (this.#writer === null) return;
    const loose = [...this.#loose(this.record.loose), ...this.#spilt];
    await changed(this.#place.realm.store, this.#found, { writer: null, loose }).catch(() => undefined);
    this.#writer = null;
  }

  async #put(
    spooled: Spooled,
    change: (part: string) => Pick<ResumableRecord, "parts"> & Partial<ResumableRecord>,
    isLast: boolean,
  ): Promise<void> {
    const { realm, storage } = this.#place;
    if (this.#writer === null) throw uploadLocked();
    const { token, next } = this.#writer;
    const key = keyOf(this.record.id, next);
    try {
      await storage.blobs.put(key, spooled, "application/octet-stream");
    } catch (error) {
      this.#spilt = [...this.#spilt, next];
      throw error;
    }
    const made = change(next);
    const writer = isLast ? null : { token, next: partName() };
    const kept = await changed(realm.store, this.#found, {
      ...made,
      loose: this.#loose(made.loose ?? this.record.loose),
      writer,
      until: realm.clock.now() + lifetime,
    });
    this.#writer = kept === undefined ? null : writer;
    if (kept === undefined) {
      await storage.blobs.remove([key]).catch(() => undefined);
      throw uploadLocked();
    }
    this.#found = kept;
  }

  #loose(loose: readonly string[]): readonly string[] {
    return loose.filter((part) => !this.#gone.has(part));
  }

  async #renew(): Promise<void> {
    const { realm } = this.#place;
    if (this.#writer === null) throw uploadLocked();
    const writer = { ...this.#writer, finishing: realm.clock.now() + lease };
    const until = Math.max(this.record.until, writer.finishing);
    const kept = await changed(realm.store, this.#found, { writer, until });
    if (kept === undefined) return;
    this.#found = kept;
    this.#writer = writer;
  }

  async #renewing(signal: AbortSignal): Promise<void> {
    try {
      // An interval would catch up, one right after the other, on those that a slow renewal left out.
      for (;;) {
        await setTimeout(renewed, undefined, { signal, ref: false });
        await this.#renew();
      }
    } catch {
      // It is over; or the store cannot be reached, and the end will tell.
    }
  }

  async *#bytes(parts: ResumableRecord["parts"]): AsyncGenerator<Uint8Array> {
    const { signal } = new AbortController();
    for (const [part] of parts)
      yield* binary(await this.#place.storage.blobs.open(keyOf(this.record.id, part), undefined, signal));
  }
}
