/** The files that documents of a realm name, equal ones once: brought into a backup, and back from it. */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type BlobCopy, copyBlob } from "../../blobs/copy.ts";
import { openLocalBlobs } from "../../blobs/local/store.ts";
import { openSpool } from "../../blobs/spool.ts";
import type { Digest } from "../../blobs/store.ts";
import { blobsShape, readBlob } from "../../documents/files/records.ts";
import { objectIn } from "../../json.ts";
import { batches } from "../../store/batches.ts";
import type { StoreReader } from "../../store/contract/beside.ts";
import { eachOf } from "../copy/files.ts";
import type { BackupContents } from "./manifest.ts";

const BATCH = { documents: 1_000, characters: 2 ** 20 };

/** Where the files of a realm lie below a data folder, and below a backup. */
export function contentsFolder(folder: string, realm: string): string {
  return join(folder, "files", realm);
}

/** What documents name, in the order of the hashes. */
export async function* namedContents(reader: StoreReader): AsyncGenerator<readonly Digest[]> {
  for await (const batch of batches({ scan: (...from) => reader.scan(blobsShape, ...from) }, BATCH)) {
    const records = batch.map((stored) => readBlob(stored).record).filter(({ refs }) => refs > 0);
    yield records.map(({ id, size }) => ({ sha256: id, size }));
  }
}

/** Whether documents name a content now. */
export async function isNamed(reader: StoreReader, { sha256 }: Digest): Promise<boolean> {
  // Ids come after their own beginning, and sixteen have it at most.
  const alike = await reader.scan(blobsShape, sha256.slice(0, -1), 16);
  const found = alike.find(({ id }) => id === sha256);
  return found !== undefined && readBlob(found).record.refs > 0;
}

/**
 * Writes the list of what documents name, a line each; undefined where they name nothing.
 * @param path of the file; there is none where they name nothing
 */
export async function writeList(
  reader: StoreReader,
  folder: string,
  path: string,
): Promise<BackupContents | undefined> {
  const hash = createHash("sha256");
  let [bytes, contents, total] = [0, 0, 0];
  const file = await open(join(folder, path), "w", 0o600);
  try {
    for await (const batch of namedContents(reader)) {
      const text = batch.map((content) => `${JSON.stringify(content)}\n`).join("");
      hash.update(text);
      bytes += Buffer.byteLength(text);
      contents += batch.length;
      for (const { size } of batch) total += size;
      await file.appendFile(text);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  if (contents > 0) return { path, bytes, sha256: hash.digest("hex"), contents, total };
  await rm(join(folder, path));
  return undefined;
}

/** What a list has. @throws Error for what is no line of one */
export async function* listed(
  folder: string,
  { path }: Pick<BackupContents, "path">,
): AsyncGenerator<readonly Digest[]> {
  const file = await open(join(folder, path), "r");
  try {
    let batch: Digest[] = [];
    for await (const line of createInterface({ input: file.createReadStream({ autoClose: false }) })) {
      const { sha256, size } = objectIn(line) ?? {};
      if (typeof sha256 !== "string" || !/^[0-9a-f]{64}$/.test(sha256) || typeof size !== "number")
        throw new Error(`${join(folder, path)} is damaged`);
      batch.push({ sha256, size });
      if (batch.length < BATCH.documents) continue;
      yield batch;
      batch = [];
    }
    yield batch;
  } finally {
    await file.close();
  }
}

/** What was brought. */
export interface Brought {
  /** Of those that were not there. */
  contents: number;
  bytes: number;
  /** That the source has not, or has with other bytes. */
  readonly lost: Digest[];
}

/** Lost contents that are remembered. */
export const REMEMBERED = 1_000;

export interface Bringing extends Brought {
  /** Brings what is not there; each is hashed on its way. */
  bring(contents: readonly Digest[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * Brings contents from one folder into another.
 * @param isSure whether what is there in its length is not read once more
 * @param progress told after each
 * @throws StorageUnavailable
 */
export async function bringing(
  from: string,
  to: string,
  isSure: boolean,
  progress: (brought: Pick<Brought, "contents" | "bytes">) => void,
): Promise<Bringing> {
  const spool = await openSpool(join(to, "spool"));
  const [source, target] = [
    existsSync(from) ? await openLocalBlobs(from, spool) : undefined,
    await openLocalBlobs(to, spool),
  ];
  const brought: Brought = { contents: 0, bytes: 0, lost: [] };
  const copy: BlobCopy | undefined = source && { from: source, to: target, spool };
  return Object.assign(brought, {
    bring: (contents: readonly Digest[]) =>
      eachOf(contents, async (content) => {
        if (isSure && (await target.size(content.sha256)) === content.size) return;
        const how = copy === undefined ? "missing" : await copyBlob(copy, content);
        if (how === "missing" || how === "damaged") {
          if (brought.lost.length < REMEMBERED) brought.lost.push(content);
          return;
        }
        if (how === "there") return;
        brought.contents += 1;
        brought.bytes += content.size;
        progress(brought);
      }),
    async close() {
      await source?.close();
      await target.close();
      await rm(spool.folder, { recursive: true, force: true });
    },
  });
}

/** Removes what is not in a list; all without one. The list is in the order of its hashes, as shelves are by their first digits. */
export async function removeUnlisted(
  backup: string,
  realm: string,
  list: BackupContents | undefined,
): Promise<void> {
  const folder = contentsFolder(backup, realm);
  if (!existsSync(folder)) return;
  if (list === undefined) return rm(folder, { recursive: true, force: true });
  let shelf = 0;
  let kept = new Set<string>();
  for await (const batch of listed(backup, list)) {
    for (const { sha256 } of batch) {
      const own = Number.parseInt(sha256.slice(0, 2), 16);
      for (; shelf < own; shelf += 1) {
        await clearShelf(folder, shelf, kept);
        kept = new Set();
      }
      kept.add(sha256);
    }
  }
  for (; shelf < 256; shelf += 1) {
    await clearShelf(folder, shelf, kept);
    kept = new Set();
  }
}

async function clearShelf(folder: string, shelf: number, kept: ReadonlySet<string>): Promise<void> {
  const path = join(folder, shelf.toString(16).padStart(2, "0"));
  if (!existsSync(path)) return;
  for (const name of await readdir(path)) {
    if (!kept.has(name)) await rm(join(path, name), { recursive: true, force: true });
  }
}
