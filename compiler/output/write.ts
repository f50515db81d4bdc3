/** The one place where emitted files are written. */
import { mkdir, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import type { EmittedFile } from "../../templates/print/code.ts";
import { manifestPath } from "./manifest.ts";
import type { Plan } from "./plan.ts";
import { readText } from "./read.ts";
import { straysIn } from "./strays.ts";

/** How an output folder differs from a plan; paths relative to it. */
export interface Difference {
  /** Missing or with another text. */
  readonly changed: readonly EmittedFile[];
  /** Ours, and wanted no longer. */
  readonly stale: readonly string[];
  /** Nobody's, as far as one can tell: they stay. */
  readonly foreign: readonly string[];
}

export async function compareOutput(folder: string, plan: Plan): Promise<Difference> {
  const changed = await filterAsync(
    plan.files,
    async ({ path, text }) => (await readText(join(folder, path))) !== text,
  );
  const ours = plan.stale.filter((path) => isInside(folder, path));
  const known = await filterAsync(ours, async (path) => (await readText(join(folder, path))) !== undefined);
  // Without a manifest, what is of the other realms cannot be told from what is of none.
  if (plan.partial) return { changed, stale: known, foreign: [] };
  const wanted = [...plan.files.map(({ path }) => path), ...known];
  const strays = await straysIn(folder, new Set(wanted));
  return { changed, stale: [...known, ...strays.ours].sort(), foreign: strays.others };
}

/**
 * Brings a folder to its plan. Each file appears whole or not at all, and the manifest last, so that after a crash the
 * next run knows of everything that is to be mended.
 */
export async function applyDifference(
  folder: string,
  { changed, stale }: Pick<Difference, "changed" | "stale">,
): Promise<void> {
  const isManifestFile = ({ path }: EmittedFile): boolean => path === manifestPath;
  await fewAtOnce(
    changed.filter((file) => !isManifestFile(file)),
    (file) => writeWhole(folder, file),
  );
  for (const path of stale) await removeFile(folder, path);
  for (const file of changed.filter(isManifestFile)) await writeWhole(folder, file);
}

/** Writes a file so that it is never seen half written. */
export async function writeWhole(folder: string, { path, text }: EmittedFile): Promise<void> {
  const target = join(folder, path);
  const draft = `${target}.new`;
  await mkdir(dirname(target), { recursive: true });
  await writeFile(draft, text);
  await rename(draft, target);
}

/** Removes a file, and the folders that are empty then. */
export async function removeFile(folder: string, path: string): Promise<void> {
  await rm(join(folder, path), { force: true });
  for (let parent = dirname(path); parent !== "."; parent = dirname(parent)) {
    try {
      await rmdir(join(folder, parent));
    } catch {
      // Something else is in it.
      return;
    }
  }
}

function isInside(folder: string, path: string): boolean {
  return resolve(folder, path).startsWith(resolve(folder) + sep);
}

async function filterAsync<T>(items: readonly T[], holds: (item: T) => Promise<boolean>): Promise<T[]> {
  const verdicts = await fewAtOnce(items, holds);
  return items.filter((_, at) => verdicts[at]);
}

/** Files that are read or written at once, whose texts are in memory for that. */
const AT_ONCE = 16;

async function fewAtOnce<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE)
    done.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(work))));
  return done;
}
