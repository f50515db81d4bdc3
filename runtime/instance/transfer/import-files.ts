/** Brings the bytes of files from an exported folder into the storage of a realm. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { taken } from "../../blobs/copy.ts";
import { openLocalBlobs } from "../../blobs/local/store.ts";
import { openSpool } from "../../blobs/spool.ts";
import type { Clock } from "../../clock.ts";
import type { BroughtFile, FileBringer } from "../../documents/importing/brought.ts";
import { isAccepted } from "../../files/content/media-types.ts";
import { announced } from "../../files/keeping.ts";
import type { FileField } from "../../realm/files.ts";
import type { Store } from "../../store/contract/store.ts";
import { openPlace } from "../copy/file-ways.ts";
import { describePlace, type FilePlace } from "../copy/places.ts";
import type { Environment } from "../settings.ts";

export interface BringerOptions {
  readonly place: FilePlace;
  readonly realm: string;
  readonly environment: Environment;
  readonly store: Store;
  readonly clock: Clock;
}

/** Contents that are known to be brought. */
const REMEMBERED = 50_000;

/**
 * @param folder of the bytes
 * @throws StorageUnavailable | BadSettings
 */
export async function fileBringer(
  folder: string,
  { place, realm, environment, store, clock }: BringerOptions,
): Promise<FileBringer & { close(): Promise<void> }> {
  const passing = place.kind === "s3" ? await mkdtemp(join(tmpdir(), "realmc-import-")) : undefined;
  // On the device of the files, where these lie on this machine: they move by their names.
  const spool = await openSpool(passing ?? join(describePlace(place, realm), "spool"));
  const to = await openPlace(place, realm, { spool, environment });
  const from = await openLocalBlobs(folder, spool);
  const brought = new Set<string>();
  return {
    async bring(file, field) {
      const key = [file.sha256, file.size, file.type, field.name].join(" ");
      if (brought.has(key)) {
        await announced({ store, clock }, file);
        if ((await to.size(file.sha256)) === file.size) return undefined;
      }
      const reason = await stored(file, field);
      if (reason !== undefined) return reason;
      if (brought.size >= REMEMBERED) brought.clear();
      brought.add(key);
      return undefined;
    },
    async close() {
      await from.close();
      await to.close();
      if (passing !== undefined) await rm(passing, { recursive: true, force: true });
    },
  };

  /** Hashed, whether or not the storage has them already. */
  async function stored(file: BroughtFile, field: FileField): Promise<string | undefined> {
    const spooled = await taken(from, spool, file);
    if (spooled === "missing") return `names a file whose bytes, ${file.sha256}, the folder does not have`;
    if (spooled === "damaged") return `names a file whose bytes, ${file.sha256}, are others in the folder`;
    try {
      if (!isAccepted(file.type, field.accept))
        return `names a file of type ${file.type}, which the field does not take`;
      if (spooled.size !== file.size) return `names a file of ${file.size} bytes which has ${spooled.size}`;
      // Before they are there, so that none are nobody's.
      await announced({ store, clock }, file);
      await to.put(file.sha256, spooled, "application/octet-stream");
      return undefined;
    } finally {
      await spool.discard(spooled);
    }
  }
}
