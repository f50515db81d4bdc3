import { join } from "node:path";
import { openLocalBlobs } from "../blobs/local/store.ts";
import { openSpool } from "../blobs/spool.ts";
import type { RealmStorage } from "../files/realm.ts";
import type { StorageDefinition } from "../realm/files.ts";
import type { DataFolder } from "./data.ts";

/** Where the bytes of a realm's files lie, and those that are on their way there. */
export async function openBytes(
  folder: Pick<DataFolder, "path">,
  realm: string,
  driver: StorageDefinition["driver"],
): Promise<Pick<RealmStorage, "blobs" | "spool">> {
  if (driver.kind !== "local") throw new Error("no such driver yet");
  const own = join(folder.path, "files", realm);
  const spool = await openSpool(join(own, "spool"));
  return { blobs: await openLocalBlobs(own, spool), spool };
}
