/** Whether the files of a backup are those that its manifest says. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { BackupFile, Manifest } from "../backup/manifest.ts";
import { piecesOf } from "../backup/restore.ts";
import { messageOf } from "../message-of.ts";
import { sha256Of } from "../transfer/sinks.ts";
import type { Findings } from "./findings.ts";
import type { VerifyProgress } from "./verify.ts";

/** Adds what is not as the manifest says, and answers the realms whose database is. */
export async function checkBackup(
  folder: string,
  manifest: Manifest,
  realm: string | undefined,
  findings: Findings,
  progress: (progress: VerifyProgress) => void,
): Promise<ReadonlySet<string>> {
  const whole = new Set<string>();
  for (const { realm: name, database, files } of manifest.realms) {
    if (realm !== undefined && name !== realm) continue;
    const hash = createHash("sha256");
    let bytes = 0;
    try {
      for await (const piece of piecesOf(folder, database)) {
        hash.update(piece);
        bytes += piece.length;
        progress({ what: `${name} database`, bytes });
      }
      if (hash.digest("hex") === database.sha256) whole.add(name);
      else findings.add({ realm: name, reason: `${database.path} has another hash than ${database.sha256}` });
    } catch (error) {
      findings.add({ realm: name, reason: messageOf(error) });
    }
    if (files !== undefined) await checkFile(name, files);
  }
  if (manifest.keys !== undefined) await checkFile("keys", manifest.keys);
  return whole;

  async function checkFile(of: string, { path, bytes, sha256 }: BackupFile): Promise<void> {
    const found = await sha256Of(join(folder, path), bytes);
    if (found === sha256) return;
    const reason =
      found === undefined ? "is not there, or not in its length" : `has another hash than ${sha256}`;
    findings.add({ realm: of, reason: `${path} ${reason}` });
  }
}
