/** A new project: which files it has, what is in their way, and how they are written. */
import { lstatSync, statSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { type JsonObject, objectIn } from "../../runtime/json.ts";
import type { EmittedFile } from "../../templates/print/code.ts";
import { removeFile, writeWhole } from "../output/write.ts";
import { compilerVersion, packageRoot } from "../package/package.ts";
import { completedPackage, newPackage, packageName, usesRealmc } from "./package-json.ts";

/**
 * Its files are named `dot-…` where those of a project start with a dot, which npm and git would heed here, and
 * `….template` where they would be tests of ours.
 */
const template = join(packageRoot, "compiler/init/template");

const settingsFile = "package.json";

export interface Project {
  readonly files: readonly EmittedFile[];
  /** The `package.json` that is there and has realmc installed, with what it lacks. */
  readonly completed?: EmittedFile;
  /** What is there already and stays as it is; sorted paths in the folder. */
  readonly inTheWay: readonly string[];
}

/** What `realmc init` would do in `folder`, which need not be there. */
export async function planProject(folder: string): Promise<Project> {
  const name = packageName(basename(resolve(folder)));
  const files = await templateFiles();
  const settings = objectIn(files.get(settingsFile) ?? "") ?? {};
  const present = await presentPackage(folder);
  const completed =
    present === undefined
      ? undefined
      : settingsText(completedPackage(settings, present.value, name), present.text);
  files.set(settingsFile, settingsText(newPackage(settings, name, compilerVersion())));
  if (completed !== undefined) files.delete(settingsFile);

  const obstacles = new Map([...files.keys()].map((path) => [path, obstacle(folder, path)]));
  return {
    files: [...files]
      .filter(([path]) => obstacles.get(path) === undefined)
      .map(([path, text]) => ({ path, text })),
    ...(completed === undefined || completed === present?.text
      ? {}
      : { completed: { path: settingsFile, text: completed } }),
    inTheWay: [...new Set([...obstacles.values()].filter((path) => path !== undefined))].sort(),
  };
}

/**
 * Writes the files of a project, all or none, over nothing that is there.
 * @throws Error of the file system
 */
export async function writeProject(folder: string, { files, completed }: Project): Promise<void> {
  const made: string[] = [];
  try {
    for (const { path, text } of files) {
      const target = join(folder, path);
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, text, { flag: "wx" });
      made.push(path);
    }
    if (completed !== undefined) await writeWhole(folder, completed);
  } catch (error) {
    for (const path of made) await removeFile(folder, path);
    throw error;
  }
}

/** The template's files: path in the project to text; sorted. */
async function templateFiles(): Promise<Map<string, string>> {
  const entries = await readdir(template, { recursive: true, withFileTypes: true });
  const sources = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(template.length + 1))
    .sort();
  const texts = await Promise.all(sources.map((source) => readFile(join(template, source), "utf8")));
  return new Map(sources.map((source, at) => [projectPath(source), texts[at] ?? ""]));
}

function projectPath(source: string): string {
  return source
    .split(sep)
    .map((name) => name.replace(/^dot-/, ".").replace(/\.template$/, ""))
    .join("/");
}

interface PresentPackage {
  readonly text: string;
  readonly value: JsonObject;
}

/** The `package.json` that is there, if it has realmc installed. */
async function presentPackage(folder: string): Promise<PresentPackage | undefined> {
  const text = await readFile(join(folder, settingsFile), "utf8").catch(() => undefined);
  const value = text === undefined ? undefined : objectIn(text);
  return text === undefined || value === undefined || !usesRealmc(value) ? undefined : { text, value };
}

/** As npm writes it: indented as before, with a line feed at the end. */
function settingsText(value: JsonObject, before = ""): string {
  const indent = /^\{\r?\n([ \t]+)/.exec(before)?.[1] ?? "  ";
  return `${JSON.stringify(value, undefined, indent)}\n`;
}

/** What keeps a file from being made: one of its own name, or something that is no folder where it needs one. */
function obstacle(folder: string, path: string): string | undefined {
  const parts = path.split("/");
  const ways = parts.map((_, at) => parts.slice(0, at + 1).join("/"));
  return ways.find((way) =>
    way === path ? isThere(folder, way) : isThere(folder, way) && !isFolder(folder, way),
  );
}

function isThere(folder: string, path: string): boolean {
  return lstatSync(join(folder, path), { throwIfNoEntry: false }) !== undefined;
}

function isFolder(folder: string, path: string): boolean {
  return statSync(join(folder, path), { throwIfNoEntry: false })?.isDirectory() === true;
}
