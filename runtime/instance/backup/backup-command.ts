import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import type { Clock } from "../../clock.ts";
import { describeLocation } from "../../store/location.ts";
import { openFileCheck } from "../../store/sqlite/check.ts";
import { requireRestored } from "../../store/sqlite/file.ts";
import { lockFolder } from "../../store/sqlite/lock.ts";
import { type Program, realmsCalled, type Surroundings, UsageError } from "../command.ts";
import { locationOf, oneOf, optionsAmong, required, requireFolder } from "../command-words.ts";
import { paced } from "../progress.ts";
import { checkBackup } from "../verify/backup.ts";
import { Findings, lineOf } from "../verify/findings.ts";
import { shown as nameShown, type VerifyProgress } from "../verify/verify.ts";
import { type BackupProgress, backUp, keysName } from "./backup.ts";
import { requireEmpty } from "./folder.ts";
import { tellInstead } from "./instead.ts";
import { type Manifest, readManifest } from "./manifest.ts";

export const backupUsage = `backup --store <store> --to <folder> [--realm <realm>] [--data <folder>] [--include-keys]
                [--no-verify] [--format text|json]`;

/**
 * `backup` copies an embedded store into a folder, beside a running server, and prints a line for each realm. Of MongoDB it
 * says what to run instead. Answers the exit code: 1 where files are not in the store that documents name, or the copy is not sound.
 * @throws UsageError | FolderLocked | StoreUnavailable | StorageUnavailable
 */
export async function backupCommand(
  program: Program,
  words: readonly string[],
  surroundings: Surroundings,
  clock: Clock,
): Promise<number> {
  const { environment, out, err } = surroundings;
  const { store, to, realm, data, format, ...flags } = optionsAmong(words, known);
  const location = locationOf("--store", required("--store", store), environment);
  const shown = oneOf("--format", format, ["text", "json"]);
  if (location.engine === "mongodb") return tellInstead("backup", location, program, realm, surroundings);
  const target = resolve(required("--to", to));
  requireFolder("--store", location);
  requireRestored(location.folder);
  const dataFolder = data === undefined ? location.folder : resolve(data);
  if (!existsSync(dataFolder)) throw new UsageError(`--data: there is no folder ${dataFolder}`);
  if (`${target}/`.startsWith(`${location.folder}/`))
    throw new UsageError(`--to: ${target} lies in the store, and would be lost with it`);
  const withKeys = flags["include-keys"] ?? false;
  if (withKeys && !existsSync(join(dataFolder, keysName)))
    throw new UsageError(`--include-keys: there are none in ${dataFolder}; servers have them in SVC_KEYS`);
  const definitions = realmsCalled(undefined, program.realms).map(({ definition }) => definition);
  for (const { name, storage } of definitions) {
    if (storage?.driver.kind === "s3" && (realm === undefined || realm === name))
      err(`${name}: files stay in the bucket ${storage.driver.bucket}; turn its versioning on`);
  }
  // Before a lock is left in somebody else's folder.
  if ((await readManifest(target)) === undefined) await requireEmpty("--to", target);
  const lock = lockFolder(target, `process ${process.pid} on ${hostname()}, backing up`);
  try {
    const progress = paced(({ realm: name, what, bytes }: BackupProgress, seconds) =>
      err(`${name} ${what}: ${megabytes(bytes)} MB, ${Math.round(seconds)} s`),
    );
    const { manifest, realms } = await backUp({
      folder: location.folder,
      store: describeLocation(location),
      data: dataFolder,
      to: target,
      realm,
      withKeys,
      definitions,
      fingerprint: program.fingerprint,
      clock,
      progress,
    });
    const flaws = new Findings((finding) => err(lineOf(finding)));
    const isVerified = flags["no-verify"] !== true;
    if (isVerified) await verifyCopies(target, manifest, flaws, { clock, err });
    if (shown === "json") {
      const verified = isVerified ? flaws.count === 0 : null;
      out(JSON.stringify({ taken_at: manifest.taken_at, to: target, verified, realms }));
    } else {
      for (const { realm: name, database, files } of realms) {
        const copied = `${files.contents} files, ${files.bytes} bytes, ${files.written} written`;
        out(`${name}: database ${database.bytes} bytes, ${database.written} written; ${copied}`);
      }
      out(`backup of ${manifest.taken_at} in ${target}`);
    }
    for (const { realm: name, files } of realms) {
      for (const sha256 of files.lost)
        err(`${name} files: ${sha256} is not in the store, or other bytes are`);
    }
    return flaws.count > 0 || realms.some(({ files }) => files.lost.length > 0) ? 1 : 0;
  } finally {
    lock.release();
  }
}

/**
 * Reads back what was written: each database byte for byte as it was read at the moment of the backup, and sound for the engine.
 * @param flaws gets what is wrong
 */
async function verifyCopies(
  folder: string,
  manifest: Manifest,
  flaws: Findings,
  { clock, err }: { readonly clock: Clock; readonly err: (line: string) => void },
): Promise<void> {
  const progress = paced(({ what, bytes = 0 }: VerifyProgress, seconds) =>
    err(`verifying ${what}: ${megabytes(bytes)} MB, ${Math.round(seconds)} s`),
  );
  const whole = await checkBackup(folder, manifest, undefined, flaws, progress);
  for (const { realm, database } of manifest.realms) {
    if (!whole.has(realm)) continue;
    const check = openFileCheck(join(folder, database.path), clock);
    try {
      for (const { collection, ...flaw } of check.engine())
        flaws.add({ realm, collection: collection && nameShown(collection), ...flaw });
    } finally {
      check.close();
    }
  }
}

export function megabytes(bytes: number): number {
  return Math.round(bytes / 1e6);
}

const known = {
  store: { type: "string" },
  to: { type: "string" },
  realm: { type: "string" },
  data: { type: "string" },
  "include-keys": { type: "boolean" },
  "no-verify": { type: "boolean" },
  format: { type: "string" },
} as const;
