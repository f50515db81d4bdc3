/** The bytes of the files that exported documents name. */
import { mkdtempSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { copyBlob } from "../../blobs/copy.ts";
import { openLocalBlobs } from "../../blobs/local/store.ts";
import { openSpool } from "../../blobs/spool.ts";
import type { Digest } from "../../blobs/store.ts";
import { filesAmong } from "../../documents/importing/brought.ts";
import type { CollectionDefinition, RealmDefinition } from "../../realm/definition.ts";
import { openDatabase } from "../../store/sqlite/driver.ts";
import { openPlace } from "../copy/file-ways.ts";
import { eachOf } from "../copy/files.ts";
import type { FilePlace } from "../copy/places.ts";
import type { Environment } from "../settings.ts";
import type { Part } from "./export.ts";
import { filesName } from "./file-contents.ts";
import { ndjsonInput } from "./import-sources.ts";
import { pathOf } from "./selection.ts";

export interface FilesExport {
  /** The exported folder. */
  readonly folder: string;
  readonly place: FilePlace;
  readonly environment: Environment;
  /** Told of contents that the storage does not have, or has with other bytes. */
  readonly lost: (sha256: string) => void;
}

/** Contents of a batch. */
const BATCH = 100;

/**
 * Lists the contents that the exported documents of a realm name, once these are all written, a line each in the order of their
 * hashes; a line is given when its bytes are in the folder, each hashed on its way. So what was interrupted goes on after them.
 */
export function filesPart(
  { name: realm }: RealmDefinition,
  collections: readonly CollectionDefinition[],
  options: FilesExport,
): Part {
  return { realm, path: filesName, lines: (after) => contentLines(realm, collections, options, after) };
}

async function* contentLines(
  realm: string,
  collections: readonly CollectionDefinition[],
  { folder, place, environment, lost }: FilesExport,
  after: string | undefined,
): AsyncGenerator<readonly (string | undefined)[]> {
  const own = join(folder, realm, filesName);
  const named = await namedIn(join(folder, realm), collections);
  try {
    if (named.isEmpty) return;
    const spool = await openSpool(join(own, "spool"));
    const to = await openLocalBlobs(own, spool);
    const from = await openPlace(place, realm, { spool, environment });
    try {
      for (let at = after; ; ) {
        const batch = named.after(at ?? "", BATCH);
        if (batch.length === 0) return;
        const missing = new Set<string>();
        await eachOf(batch, async (content) => {
          const how = await copyBlob({ from, to, spool }, content);
          if (how === "missing" || how === "damaged") missing.add(content.sha256);
        });
        for (const sha256 of missing) lost(sha256);
        const there = batch.filter(({ sha256 }) => !missing.has(sha256));
        yield there.map(({ sha256, size }) => `${JSON.stringify({ id: sha256, size })}\n`);
        at = batch.at(-1)?.sha256;
      }
    } finally {
      await from.close();
      await to.close();
      await rm(spool.folder, { recursive: true, force: true });
    }
  } finally {
    named.close();
  }
}

interface NamedContents {
  readonly isEmpty: boolean;
  /** In the order of hashes. @param after a hash */
  after(after: string, most: number): readonly Digest[];
  close(): void;
}

/** Reads the exported documents for what they name, into a passing file: however many, they are not in memory. */
async function namedIn(folder: string, collections: readonly CollectionDefinition[]): Promise<NamedContents> {
  const passing = mkdtempSync(join(tmpdir(), "realmc-export-"));
  const database = openDatabase(join(passing, "contents"), { readOnly: false });
  const close = () => {
    database.close();
    rmSync(passing, { recursive: true, force: true });
  };
  try {
    database.exec(
      "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; CREATE TABLE contents (sha256 TEXT PRIMARY KEY, size INTEGER) WITHOUT ROWID; BEGIN",
    );
    const insert = database.prepare("INSERT OR IGNORE INTO contents VALUES (?, ?)");
    for (const definition of collections) {
      const { files = [] } = definition;
      if (files.length === 0) continue;
      const input = ndjsonInput(join(folder, `${pathOf(definition)}.ndjson`));
      for await (const some of input.documents()) {
        for (const incoming of some)
          for (const { sha256, size } of filesAmong(files, incoming.read().value)) insert.run(sha256, size);
        await setImmediate();
      }
    }
    database.exec("COMMIT");
    const select = database.prepare(
      "SELECT sha256, size FROM contents WHERE sha256 > ? ORDER BY sha256 LIMIT ?",
    );
    const after = (from: string, most: number) =>
      select.all(from, most).map(({ sha256, size }) => ({ sha256: String(sha256), size: Number(size) }));
    return { isEmpty: after("", 1).length === 0, after, close };
  } catch (error) {
    close();
    throw error;
  }
}
