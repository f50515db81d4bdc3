/** The folder that backups are made into. */
import { access, constants, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { type FolderLock, lockFiles, lockFolder } from "../../store/sqlite/lock.ts";
import { UsageError } from "../command.ts";
import { removeUnlisted } from "./contents.ts";
import { type BackupRealm, type Manifest, manifestName, readManifest, writeManifest } from "./manifest.ts";
import { applyChanges } from "./pages.ts";

/**
 * The folder's manifest, for one who backs up into it; made for the first one.
 * @param asked what the backups are of: they go on only as they began
 * @throws UsageError where the folder holds anything else
 */
export async function openFolder(
  folder: string,
  asked: Pick<Manifest, "store" | "only" | "fingerprint">,
): Promise<Manifest> {
  const found = await readManifest(folder);
  if (found === undefined) {
    await requireEmpty("--to", folder);
    const begun: Manifest = { format: 1, generation: 0, ...asked, taken_at: null, realms: [] };
    await writeManifest(folder, begun);
    return begun;
  }
  const { store, only } = found;
  if (store === asked.store && only === asked.only) return settle(folder, found);
  const what = only === null ? store : `realm ${only} of ${store}`;
  throw new UsageError(`--to: ${folder} holds a backup of ${what}; name another folder`);
}

/** @throws UsageError where there is anything but locks in a folder */
export async function requireEmpty(option: string, folder: string): Promise<void> {
  const found = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error.code === "ENOTDIR" ? new UsageError(`${option}: ${folder} is no folder`) : error;
  });
  const others = found.filter((name) => !lockFiles.has(name) && name !== `${manifestName}.part`);
  if (others.length > 0) throw new UsageError(`${option}: ${folder} is not empty`);
}

/** Takes the folder for this process, unless it may not write there. @throws FolderLocked */
export async function lockBackup(folder: string, holder: string): Promise<FolderLock | undefined> {
  const isWritable = await access(folder, constants.W_OK).then(
    () => true,
    () => false,
  );
  return isWritable ? lockFolder(folder, holder) : undefined;
}

/**
 * Ends what a backup has begun that was cut short after it was whole: pages that have changed are put into their copies,
 * and what no manifest names any longer is removed.
 */
export async function settle(folder: string, manifest: Manifest): Promise<Manifest> {
  if (manifest.taken_at === null) return manifest;
  let settled = manifest;
  if (manifest.realms.some(({ database }) => database.changes !== undefined)) {
    const realms: BackupRealm[] = [];
    for (const realm of manifest.realms) {
      await applyChanges(folder, realm.database);
      realms.push({ ...realm, database: { ...realm.database, changes: undefined } });
    }
    settled = { ...manifest, realms };
    await writeManifest(folder, settled);
  }
  await clean(folder, settled);
  return settled;
}

async function clean(folder: string, { realms, keys }: Manifest): Promise<void> {
  const named = new Set<string | undefined>([manifestName, "files", ...lockFiles, keys?.path]);
  for (const { database, files } of realms) {
    named.add(database.path);
    named.add(files?.path);
  }
  for (const name of await readdir(folder)) {
    if (!named.has(name) && isOurs(name)) await rm(join(folder, name));
  }
  const held = await readdir(join(folder, "files")).catch(() => []);
  for (const realm of held)
    await removeUnlisted(folder, realm, realms.find((each) => each.realm === realm)?.files);
}

/** Whether a backup may have made it. */
function isOurs(name: string): boolean {
  return /^(?:[a-z][a-z0-9-]*(?:\.\d+)?\.(?:sqlite|changes|files\.ndjson)|keys\.\d+)(?:\.part)?$/.test(name);
}

/** Whether a file has but one name: what else has it, as `cp -l` makes it, is to stay as it is. */
export async function isAlone(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.nlink === 1;
}
