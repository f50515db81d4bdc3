import { join } from "node:path";
import { openBlobs } from "../blobs/open.ts";
import { openSpool } from "../blobs/spool.ts";
import type { RealmStorage } from "../files/realm.ts";
import type { StorageDefinition } from "../realm/files.ts";
import type { DataFolder } from "./data.ts";
import type { Settings } from "./settings.ts";

/** Where the bytes of a realm's files lie, and those that are on their way there. */
export async function openBytes(
  folder: Pick<DataFolder, "path">,
  realm: string,
  driver: StorageDefinition["driver"],
  { s3Credentials: credentials }: Pick<Settings, "s3Credentials">,
): Promise<Pick<RealmStorage, "blobs" | "spool">> {
  const own = join(folder.path, "files", realm);
  // On the device of the files, where these lie on this machine: they move by their names.
  const spool = await openSpool(
    driver.kind === "local" ? join(own, "spool") : join(folder.path, "spool", realm),
  );
  return { blobs: await openBlobs(driver, { folder: own, spool, credentials }), spool };
}
