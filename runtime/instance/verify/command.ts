import { existsSync } from "node:fs";
import { access, constants } from "node:fs/promises";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import type { Clock } from "../../clock.ts";
import { parseLocation } from "../../store/location.ts";
import { openSqliteReader } from "../../store/sqlite/beside.ts";
import { requireRestored } from "../../store/sqlite/file.ts";
import { realmsIn } from "../backup/backup.ts";
import { megabytes } from "../backup/backup-command.ts";
import { isNamed } from "../backup/contents.ts";
import { lockBackup, settle } from "../backup/folder.ts";
import { tellInstead } from "../backup/instead.ts";
import { type Manifest, manifestName, readManifest } from "../backup/manifest.ts";
import { type Program, type Surroundings, UsageError } from "../command.ts";
import { locationOf, oneOf, optionsAmong, requireFolder, textOf } from "../command-words.ts";
import { paced } from "../progress.ts";
import { checkBackup } from "./backup.ts";
import { Findings, lineOf } from "./findings.ts";
import { type Verified, type VerifyOptions, type VerifyProgress, verifyRealm } from "./verify.ts";

export const verifyUsage =
  "verify <backup's folder or store> [--realm <realm>] [--data <folder>] [--format text|json]";

/**
 * `verify` looks at all that a backup or an embedded store holds, beside a running server too, and prints what is wrong. Of
 * MongoDB it says what to run instead. Answers the exit code: 1 where anything is wrong.
 * @throws UsageError | FolderLocked
 */
export async function verifyCommand(
  program: Program,
  words: readonly string[],
  surroundings: Surroundings,
  clock: Clock,
): Promise<number> {
  const { environment, out, err } = surroundings;
  const [place, ...rest] = words;
  if (place === undefined || place.startsWith("-"))
    throw new UsageError("verify takes the folder of a backup, or a store such as sqlite:<folder>");
  const { realm, data, format } = optionsAmong(rest, known);
  const shown = oneOf("--format", format, ["text", "json"]);
  const text = textOf("verify", place, environment);
  if (parseLocation(text)?.engine === "mongodb") {
    const location = locationOf("verify", place, environment);
    if (location.engine === "mongodb") return tellInstead("verify", location, program, realm, surroundings);
  }
  const notes: string[] = [];
  const findings = new Findings((finding) => {
    if (shown === "text") out(lineOf(finding));
  });
  const progress = paced((at: VerifyProgress, seconds) => err(`${progressOf(at)}, ${Math.round(seconds)} s`));
  const looking: Looking = {
    program,
    realm,
    data,
    clock,
    findings,
    progress,
    note(line) {
      notes.push(line);
      err(line);
    },
  };
  const { of, realms } = text.startsWith("sqlite:")
    ? await verifyStore(place, looking, environment)
    : await verifyBackup(resolve(text), looking);
  if (shown === "json") {
    const { first, count, misfits } = findings;
    out(JSON.stringify({ of, realms, findings: first, count, misfits, notes }));
  } else {
    for (const { realm: name, collections, files } of realms) {
      const documents = collections.reduce((sum, one) => sum + one.documents, 0);
      out(`${name}: ${documents} documents in ${collections.length} collections, ${files.contents} files`);
    }
    const { count } = findings;
    out(`${of}: ${count === 0 ? "nothing is wrong" : count === 1 ? "1 finding" : `${count} findings`}`);
  }
  return findings.count === 0 ? 0 : 1;
}

function progressOf({ what, documents, bytes }: VerifyProgress): string {
  if (documents !== undefined) return `${what}: ${documents} documents`;
  return bytes === undefined ? what : `${what}: ${megabytes(bytes)} MB`;
}

interface Looking extends Pick<VerifyOptions, "clock" | "findings" | "progress" | "note"> {
  readonly program: Program;
  readonly realm: string | undefined;
  readonly data: string | undefined;
}

interface LookedAt {
  /** As people read it. */
  readonly of: string;
  readonly realms: readonly Verified[];
}

async function verifyStore(
  place: string,
  looking: Looking,
  environment: Surroundings["environment"],
): Promise<LookedAt> {
  const location = locationOf("verify", place, environment);
  if (location.engine !== "sqlite") throw new UsageError(`verify: ${place} is no embedded store`);
  requireFolder("verify", location);
  const { folder } = location;
  requireRestored(folder);
  const data = looking.data === undefined ? folder : resolve(looking.data);
  const realms: Verified[] = [];
  for (const realm of await realmsIn(folder, looking.realm)) {
    const options = optionsOf(looking, realm, join(folder, `${realm}.sqlite`), data);
    const isNamedNow: VerifyOptions["isNamedNow"] = async (content) => {
      const reader = openSqliteReader(folder, realm, looking.clock);
      try {
        return await isNamed(reader, content);
      } finally {
        await reader.close();
      }
    };
    realms.push(await verifyRealm({ ...options, isNamedNow }));
  }
  return { of: `sqlite:${folder}`, realms };
}

async function verifyBackup(folder: string, looking: Looking): Promise<LookedAt> {
  const { realm, findings, progress, note } = looking;
  const manifest = await readManifest(folder);
  if (manifest === undefined) throw new UsageError(notThere(folder));
  if (manifest.taken_at === null)
    throw new UsageError(
      `the first backup into ${folder} has not come to its end; there is nothing to verify`,
    );
  if (realm !== undefined && !manifest.realms.some((each) => each.realm === realm))
    throw new UsageError(`--realm: the backup has no realm ${realm}`);
  const lock = await lockBackup(folder, `process ${process.pid} on ${hostname()}, verifying`);
  try {
    const whole = await checkBackup(folder, manifest, realm, findings, progress);
    const settled = await settledOf(folder, manifest, whole);
    const realms: Verified[] = [];
    for (const { realm: name, database } of settled.realms) {
      if (!whole.has(name)) continue;
      if (database.changes !== undefined) {
        note(
          `${name}: by hash alone, for a backup was cut short and this process may not write here to end it`,
        );
        continue;
      }
      realms.push(await verifyRealm(optionsOf(looking, name, join(folder, database.path), folder)));
    }
    return { of: `backup of ${manifest.taken_at} in ${folder}`, realms };
  } finally {
    lock?.release();
  }
}

/** Changed pages are in their copies, where all is well and this process may write. */
async function settledOf(folder: string, manifest: Manifest, whole: ReadonlySet<string>): Promise<Manifest> {
  const isPending = manifest.realms.some(({ database }) => database.changes !== undefined);
  if (!isPending || manifest.realms.some(({ realm }) => !whole.has(realm))) return manifest;
  const isWritable = await access(folder, constants.W_OK).then(
    () => true,
    () => false,
  );
  return isWritable ? settle(folder, manifest) : manifest;
}

function notThere(folder: string): string {
  if (!existsSync(folder)) return `there is no folder ${folder}`;
  const hint = existsSync(join(folder, "lock.sqlite")) ? `; of a store say sqlite:${folder}` : "";
  return `there is no backup in ${folder} (no ${manifestName})${hint}`;
}

function optionsOf(
  { program, clock, findings, progress, note }: Looking,
  realm: string,
  path: string,
  data: string,
): VerifyOptions {
  const definition = program.realms.find((each) => each.definition.name === realm)?.definition;
  const { fingerprint } = program;
  return { realm, path, data, definition, fingerprint, clock, findings, progress, note };
}

const known = {
  realm: { type: "string" },
  data: { type: "string" },
  format: { type: "string" },
} as const;
