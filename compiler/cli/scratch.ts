/** A folder for what is tried on a copy of a store: gone when that is over, however it ends. */
import { existsSync, mkdtempSync, realpathSync, rmSync, statfsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { realmsIn } from "../../runtime/instance/backup/backup.ts";
import { contentsFolder } from "../../runtime/instance/backup/contents.ts";
import { messageOf } from "../../runtime/instance/message-of.ts";
import { UsageError } from "./exit.ts";
import { requireFolder } from "./folders.ts";

/** A signal ended the work. */
export class Interrupted extends Error {
  /** Of a process that the signal ends. */
  readonly code: number;
  constructor(signal: NodeJS.Signals) {
    super(`ended by ${signal}`);
    this.name = "Interrupted";
    this.code = 128 + constants.signals[signal];
  }
}

/** How many times the database: its copy, and as much again for what migrations write. */
const COPIES = 2;

export interface CopiedStore {
  readonly folder: string;
  /** The data folder that files lie in. */
  readonly data: string;
  /** Default: all that the folder has. */
  readonly realm: string | undefined;
}

/**
 * Bytes that a copy takes on which migrations run.
 * @throws UsageError where the folder has nothing to copy
 */
export async function bytesToCopy({ folder, data, realm }: CopiedStore): Promise<number> {
  const realms = await realmsIn(folder, realm).catch((error: unknown) => {
    throw new UsageError(`there is nothing to rehearse on: ${messageOf(error)}`);
  });
  let bytes = 0;
  for (const name of realms) {
    for (const suffix of ["", "-wal"])
      bytes += COPIES * (await sizeOf(join(folder, `${name}.sqlite${suffix}`)));
    bytes += await bytesBelow(contentsFolder(data, name));
  }
  return bytes;
}

async function bytesBelow(folder: string): Promise<number> {
  if (!existsSync(folder)) return 0;
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    bytes += entry.isDirectory() ? await bytesBelow(path) : await sizeOf(path);
  }
  return bytes;
}

/** 0 for what is not there, or has just gone. */
async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}

/**
 * The folder that a scratch folder is made in, with room for so many bytes.
 * @param given by `--scratch`; default: the system's
 * @param free what a disk has; a test gives another
 * @throws UsageError
 */
export function scratchPlace(
  given: string | undefined,
  store: string,
  bytes: number,
  free: (folder: string) => number = freeIn,
): string {
  if (given !== undefined) requireFolder(given);
  const place = realpathSync(given ?? tmpdir());
  if (`${place}/`.startsWith(`${realpathSync(store)}/`))
    throw new UsageError(`--scratch: ${place} lies in the store, which a rehearsal leaves as it is`);
  const left = free(place);
  if (left >= bytes) return place;
  throw new UsageError(
    `a rehearsal needs ${megabytes(bytes)} MB, and ${place} has ${megabytes(left)} MB left: name a folder on another disk with --scratch`,
  );
}

function freeIn(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / 1e6);
}

/**
 * Works in a folder of its own.
 * @param work ends soon after the signal is aborted, by what it is aborted with
 * @throws Interrupted
 */
export async function inScratch<T>(
  place: string,
  work: (folder: string, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const end = (signal: NodeJS.Signals) => ending.abort(new Interrupted(signal));
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, end);
  try {
    const folder = mkdtempSync(join(place, "realmc-rehearsal-"));
    try {
      return await work(folder, ending.signal);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  } finally {
    for (const signal of signals) process.off(signal, end);
  }
}
