/** The one place where emitted files meet the disk. */
import { mkdir, readFile, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { isJsonObject, type JsonObject } from "../../runtime/json.ts";
import type { EmittedFile } from "../../templates/print/code.ts";
import { type Manifest, manifestPath, type RealmManifest } from "./manifest.ts";
import type { Plan } from "./plan.ts";
import { recordedIn } from "./retired.ts";

/** How an output folder differs from a plan; paths relative to it. */
export interface Difference {
  /** Missing or with another text. */
  readonly changed: readonly EmittedFile[];
  /** Ours, and wanted no longer. */
  readonly stale: readonly string[];
}

/** The manifest of an output folder; undefined where there is none that can be read. */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const text = await readText(join(folder, manifestPath));
  return text === undefined ? undefined : parseManifest(text);
}

/** What an output folder was built from, see {@link recordedIn}, as far as its manifest tells. */
export async function readRecorded(folder: string): Promise<Readonly<Record<string, JsonObject>>> {
  const manifest = await readManifest(folder);
  return manifest === undefined ? {} : recordedIn(manifest);
}

function parseManifest(text: string): Manifest | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isManifest(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isManifest(value: unknown): value is Manifest {
  return (
    isJsonObject(value) &&
    isJsonObject(value["realms"]) &&
    (value["retired"] === undefined || isJsonObject(value["retired"])) &&
    Object.values(value["realms"]).every(isRealmManifest)
  );
}

function isRealmManifest(value: unknown): value is RealmManifest {
  return (
    isJsonObject(value) &&
    typeof value["fingerprint"] === "string" &&
    isJsonObject(value["inputs"]) &&
    isJsonObject(value["outputs"])
  );
}

export async function compareOutput(folder: string, plan: Plan): Promise<Difference> {
  const changed = await filterAsync(
    plan.files,
    async ({ path, text }) => (await readText(join(folder, path))) !== text,
  );
  const ours = plan.stale.filter((path) => isInside(folder, path));
  const stale = await filterAsync(ours, async (path) => (await readText(join(folder, path))) !== undefined);
  return { changed, stale };
}

/**
 * Brings a folder to its plan. Each file appears whole or not at all, and the manifest last, so that after a crash the
 * next run knows of everything that is to be mended.
 */
export async function applyDifference(folder: string, { changed, stale }: Difference): Promise<void> {
  const isManifestFile = ({ path }: EmittedFile): boolean => path === manifestPath;
  await Promise.all(changed.filter((file) => !isManifestFile(file)).map((file) => writeWhole(folder, file)));
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
  const verdicts = await Promise.all(items.map(holds));
  return items.filter((_, at) => verdicts[at]);
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
