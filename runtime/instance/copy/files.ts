/** The bytes of a realm's files, as far as documents name them. */
import { type BlobCopied, type BlobCopy, copyBlob } from "../../blobs/copy.ts";
import { type BlobRecord, collections, readBlob, readNames } from "../../documents/files/records.ts";
import { batches } from "../../store/batches.ts";
import type { Store } from "../../store/contract/store.ts";

/** What a copy of files has come to. */
export interface FileCount {
  /** Contents: equal files are one. */
  readonly contents: number;
  readonly bytes: number;
}

export interface CopiedFiles extends FileCount {
  /** Contents that the source does not have, or has with other bytes. */
  readonly lost: number;
  /** The first ten of these. */
  readonly examples: readonly LostContent[];
}

export interface LostContent {
  readonly sha256: string;
  readonly how: Extract<BlobCopied, "missing" | "damaged">;
  /** `<database>.<collection>/<document> <field>`; of the first ten names. */
  readonly names: readonly string[];
}

export interface FileCopy extends BlobCopy {
  /** Where from and where to, as people read it. */
  readonly way: string;
  /** Told after each content. */
  readonly progress: (count: FileCount) => void;
}

/** Contents up to `after` were copied by a run before this one. */
export interface FilePosition {
  readonly after: string;
  /** Told after each batch, as long as nothing was lost: what was is told by each run again. */
  reached(after: string): Promise<void>;
}

/** Contents after which the position is kept. */
const BATCH = { documents: 100, characters: 1024 ** 2 };
/** Contents on their way at a time: a request to a bucket takes its time, however few bytes it is about. */
const AT_ONCE = 8;
const EXAMPLES = 10;

/**
 * Copies what documents of the source name. What cannot be copied is counted, and the rest goes on.
 * @throws StorageUnavailable
 */
export async function copyFiles(
  source: Store,
  copy: FileCopy,
  { after, reached }: FilePosition,
): Promise<CopiedFiles> {
  let [contents, bytes, lost] = [0, 0, 0];
  const examples: Omit<LostContent, "names">[] = [];
  const bring = async ({ id: sha256, size }: BlobRecord) => {
    const how = sha256 <= after ? "there" : await copyBlob(copy, { sha256, size });
    if (how === "missing" || how === "damaged") {
      lost += 1;
      if (examples.length < EXAMPLES) examples.push({ sha256, how });
      return;
    }
    contents += 1;
    bytes += size;
    copy.progress({ contents, bytes });
  };
  for await (const batch of batches(source.collection(collections.blobs), BATCH)) {
    const named = batch.map((document) => readBlob(document).record).filter(({ refs }) => refs > 0);
    await eachOf(named, bring);
    const newest = batch.at(-1)?.id ?? "";
    if (lost === 0 && newest > after) await reached(newest);
  }
  return { contents, bytes, lost, examples: await withNames(source, examples) };
}

/** Whether documents name any bytes at all. */
export async function namesFiles(source: Store): Promise<boolean> {
  const [first] = await source.collection(collections.names).scan(undefined, 1);
  return first !== undefined;
}

/** {@link AT_ONCE} at a time; where one fails no other begins, and those under way are waited for. */
export async function eachOf<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const rest = all.values();
  let hasFailed = false;
  const lane = async () => {
    for (const one of rest) {
      if (hasFailed) return;
      try {
        await work(one);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, lane));
  const failed = ended.find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

async function withNames(
  source: Store,
  lost: readonly Omit<LostContent, "names">[],
): Promise<readonly LostContent[]> {
  const names = new Map(lost.map(({ sha256 }) => [sha256, [] as string[]]));
  if (lost.length > 0) {
    for await (const batch of batches(source.collection(collections.names), BATCH)) {
      for (const document of batch) {
        const { id, files } = readNames(document).record;
        for (const { field, sha256 } of files) {
          const found = names.get(sha256);
          if (found !== undefined && found.length < EXAMPLES) found.push(`${id} ${field}`);
        }
      }
    }
  }
  return lost.map((content) => ({ ...content, names: names.get(content.sha256) ?? [] }));
}
