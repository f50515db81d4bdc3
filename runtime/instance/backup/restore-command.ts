import { hostname } from "node:os";
import { resolve } from "node:path";
import { lockFolder } from "../../store/sqlite/lock.ts";
import { type Program, type Surroundings, UsageError } from "../command.ts";
import { locationOf, oneOf, optionsAmong, required } from "../command-words.ts";
import { paced } from "../progress.ts";
import { megabytes } from "./backup-command.ts";
import { lockBackup } from "./folder.ts";
import { tellInstead } from "./instead.ts";
import { manifestName, readManifest } from "./manifest.ts";
import { restore } from "./restore.ts";

export const restoreUsage = `restore --from <folder> --to <store> [--realm <realm>] [--data <folder>] [--format text|json]`;

/**
 * `restore` puts a backup into an empty folder, as an embedded store, and prints a line for each realm. Of MongoDB it says
 * what to run instead. Answers the exit code.
 * @throws UsageError | FolderLocked | BackupDamaged | StorageUnavailable
 */
export async function restoreCommand(
  program: Program,
  words: readonly string[],
  surroundings: Surroundings,
): Promise<number> {
  const { environment, out, err } = surroundings;
  const { from, to, realm, data, format } = optionsAmong(words, known);
  const location = locationOf("--to", required("--to", to), environment);
  const shown = oneOf("--format", format, ["text", "json"]);
  if (location.engine === "mongodb") return tellInstead("restore", location, program, realm, surroundings);
  const source = resolve(required("--from", from));
  const manifest = await readManifest(source);
  if (manifest === undefined)
    throw new UsageError(`--from: there is no backup in ${source} (no ${manifestName})`);
  if (manifest.taken_at === null)
    throw new UsageError(
      `--from: the first backup into ${source} has not come to its end; there is nothing to restore`,
    );
  const backup = await lockBackup(source, `process ${process.pid} on ${hostname()}, restoring from it`);
  try {
    const lock = lockFolder(location.folder, `process ${process.pid} on ${hostname()}, restoring into it`);
    try {
      const progress = paced(
        ({ realm: name, what, bytes }: { realm: string; what: string; bytes: number }, seconds) =>
          err(`${name} ${what}: ${megabytes(bytes)} MB, ${Math.round(seconds)} s`),
      );
      const dataFolder = data === undefined ? location.folder : resolve(data);
      const options = { from: source, manifest, folder: location.folder, data: dataFolder, realm, progress };
      const realms = await restore(options);
      if (shown === "json") out(JSON.stringify({ taken_at: manifest.taken_at, realms }));
      else {
        for (const { realm: name, bytes, contents, total } of realms)
          out(`${name}: database ${bytes} bytes; ${contents} files, ${total} bytes`);
        out(`restored the backup of ${manifest.taken_at} to ${location.folder}`);
      }
      if (manifest.keys === undefined)
        err(
          `the backup has no keys: before a server starts, put the file ${dataFolder}/keys back, or set SVC_KEYS; a server makes new ones otherwise, and cannot read secrets and second factors`,
        );
      return 0;
    } finally {
      lock.release();
    }
  } finally {
    backup?.release();
  }
}

const known = {
  from: { type: "string" },
  to: { type: "string" },
  realm: { type: "string" },
  data: { type: "string" },
  format: { type: "string" },
} as const;
