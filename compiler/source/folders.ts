/** Walks the configuration folder: which realms, databases and collections it has, and what does not belong there. */
import { type Dirent, readdirSync, realpathSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { closest } from "../../runtime/suggest.ts";
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic, Staged } from "../diagnostics/diagnostic.ts";
import { fileSpan } from "../diagnostics/span.ts";
import { type MigrationFile, migrationFiles } from "./migration-files.ts";
import { nameProblems } from "./names.ts";
import { reasonOf } from "./reader.ts";
import { type SeedFile, seedFiles, strange } from "./seed-files.ts";

export interface RealmFolder {
  readonly name: string;
  /** The folder itself, free of symbolic links: nothing outside of it is read for this realm. */
  readonly realPath: string;
  readonly databases: readonly DatabaseFolder[];
  /** Documents that collections begin with. */
  readonly seeds: readonly SeedFile[];
  /** Files that look like configuration and have no name that means anything where they stand. */
  readonly strays: readonly Stray[];
  /** Rule tests over several collections: paths relative to the configuration folder, sorted. */
  readonly tests: readonly string[];
}

export interface DatabaseFolder {
  readonly name: string;
  readonly collections: readonly CollectionFolder[];
  readonly functions: readonly FunctionFolder[];
}

export interface FunctionFolder {
  readonly name: string;
  /** Relative to the configuration folder. */
  readonly path: string;
  readonly hasSettings: boolean;
}

export interface CollectionFolder {
  readonly name: string;
  /** Relative to the configuration folder. */
  readonly path: string;
  readonly hasSchema: boolean;
  readonly hasSettings: boolean;
  readonly hasIndexes: boolean;
  /** In their order. */
  readonly migrations: readonly MigrationFile[];
  /** Its rule tests: paths relative to the configuration folder, sorted. */
  readonly tests: readonly string[];
}

export interface Stray {
  readonly path: string;
  readonly diagnostic: Diagnostic;
}

/** The realms of a folder, or the one named. */
export function walk(root: string, only?: string): Staged<readonly RealmFolder[]> {
  const diagnostics: Diagnostic[] = [];
  const top = listTop(root, diagnostics);
  if (top === undefined) return { value: [], diagnostics };
  if (top.files.includes("realm.yaml")) {
    diagnostics.push(diagnose("realm-folder-given", fileSpan("realm.yaml"), {}));
    return { value: [], diagnostics };
  }
  if (only !== undefined && !top.folders.includes(only)) {
    const meant = closest(only, top.folders);
    const hint = meant === undefined ? undefined : `did you mean '${meant}'?`;
    return { value: [], diagnostics: [diagnose("unknown-realm", fileSpan("."), { realm: only }, { hint })] };
  }
  const folders = only === undefined ? top.folders : [only];
  const realms = folders.flatMap(
    (name) => walkRealm({ root, base: realpathSync(join(root, name)), diagnostics }, name) ?? [],
  );
  diagnostics.push(
    ...nameProblems(
      "realm",
      "",
      folders.filter((name) => !isReserved(name)),
    ),
  );
  if (realms.length === 0 && diagnostics.length === 0)
    diagnostics.push(diagnose("no-realms", fileSpan("."), {}));
  return {
    value: realms,
    diagnostics: only === undefined ? diagnostics : diagnostics.filter((each) => isIn(each, only)),
  };
}

function isIn(diagnostic: Diagnostic, realm: string): boolean {
  return diagnostic.span.file === realm || diagnostic.span.file.startsWith(`${realm}/`);
}

interface Walk {
  readonly root: string;
  /** What symbolic links may not leave. */
  readonly base: string;
  readonly diagnostics: Diagnostic[];
}

function listTop(root: string, diagnostics: Diagnostic[]): Listing | undefined {
  try {
    if (!statSync(root).isDirectory()) throw Object.assign(new Error(), { code: "ENOTDIR" });
    return list({ root, base: realpathSync(root), diagnostics }, "");
  } catch (error) {
    diagnostics.push(diagnose("folder-unreadable", fileSpan("."), { reason: reasonOf(error) }));
    return undefined;
  }
}

function walkRealm(walk: Walk, name: string): RealmFolder | undefined {
  if (isReserved(name)) {
    reportReserved(walk, name, name, []);
    return undefined;
  }
  const { files, folders } = list(walk, name);
  const strays = straysOf(name, files, ["realm.yaml"]);
  if (!files.includes("realm.yaml")) {
    if (!reportMisnamed(walk, strays, "realm.yaml")) {
      walk.diagnostics.push(diagnose("missing-realm-file", fileSpan(`${name}/realm.yaml`), { folder: name }));
    }
    return undefined;
  }
  const names = folders.filter((folder) => !isReserved(folder));
  for (const folder of folders)
    reportReserved(walk, `${name}/${folder}`, folder, ["_seed", "_shared", "_tests"]);
  walk.diagnostics.push(...nameProblems("database", name, names));
  if (names.length === 0) {
    walk.diagnostics.push(
      diagnose("empty-folder", fileSpan(`${name}/realm.yaml`), {
        level: "realm",
        name,
        children: "databases",
      }),
    );
  }
  const databases = names.map((database) => walkDatabase(walk, `${name}/${database}`, database, strays));
  const seeds = folders.includes("_seed") ? walkSeeds(walk, `${name}/_seed`) : [];
  const tests = folders.includes("_tests") ? walkTests(walk, `${name}/_tests`) : [];
  return { name, realPath: walk.base, databases, seeds, strays, tests };
}

/** A folder for each database. */
function walkSeeds(walk: Walk, path: string): readonly SeedFile[] {
  const { files, folders } = list(walk, path);
  const misplaced = seedFiles(path, "", files);
  walk.diagnostics.push(...misplaced.diagnostics);
  for (const { path: file } of misplaced.seeds)
    walk.diagnostics.push(
      strange(
        file,
        file.slice(path.length + 1),
        "it stands in a folder of its database: _seed/<database>/<collection>",
      ),
    );
  return folders.flatMap((database) => {
    const { seeds, diagnostics } = seedFiles(
      `${path}/${database}`,
      database,
      list(walk, `${path}/${database}`).files,
    );
    walk.diagnostics.push(...diagnostics);
    return seeds;
  });
}

function walkDatabase(walk: Walk, path: string, name: string, strays: Stray[]): DatabaseFolder {
  const { files, folders } = list(walk, path);
  strays.push(...straysOf(path, files, []));
  for (const folder of folders) reportReserved(walk, `${path}/${folder}`, folder, ["_shared", "_func"]);
  const names = folders.filter((folder) => !isReserved(folder));
  walk.diagnostics.push(...nameProblems("collection", path, names));
  if (names.length === 0 && !folders.includes("_func")) {
    walk.diagnostics.push(
      diagnose("empty-folder", fileSpan(path), { level: "database", name, children: "collections" }),
    );
  }
  return {
    name,
    collections: names.map((collection) => walkCollection(walk, `${path}/${collection}`, collection, strays)),
    functions: folders.includes("_func") ? walkFunctions(walk, `${path}/_func`, strays) : [],
  };
}

function walkFunctions(walk: Walk, path: string, strays: Stray[]): FunctionFolder[] {
  const { files, folders } = list(walk, path);
  strays.push(...straysOf(path, files, []));
  for (const folder of folders) reportReserved(walk, `${path}/${folder}`, folder, ["_shared"]);
  const names = folders.filter((folder) => !isReserved(folder));
  walk.diagnostics.push(...nameProblems("function", path, names));
  return names.map((name) => walkFunction(walk, `${path}/${name}`, name, strays));
}

/** Folders inside of it are the handler's own. */
function walkFunction(walk: Walk, path: string, name: string, strays: Stray[]): FunctionFolder {
  const { files } = list(walk, path);
  const hasSettings = files.includes("function.yaml");
  const hasHandler = files.includes("handler.ts");
  // What is called almost like the handler is only then meant for it when there is none.
  const own = straysOf(path, files, hasHandler ? ["function.yaml"] : ["function.yaml", "handler.ts"]);
  strays.push(...own);
  if (!hasSettings && !reportMisnamed(walk, own, "function.yaml"))
    walk.diagnostics.push(
      diagnose("missing-function", fileSpan(`${path}/function.yaml`), { function: name }),
    );
  return { name, path, hasSettings };
}

const collectionFiles = ["schema.json", "collection.yaml", "indexes.json"];

function walkCollection(walk: Walk, path: string, name: string, strays: Stray[]): CollectionFolder {
  const { files, folders } = list(walk, path);
  for (const folder of folders) {
    if (isReserved(folder))
      reportReserved(walk, `${path}/${folder}`, folder, ["_shared", "_migrations", "_tests"]);
    else
      walk.diagnostics.push(
        diagnose("unexpected-folder", fileSpan(`${path}/${folder}`), { parent: "collection", name: folder }),
      );
  }
  const own = straysOf(path, files, collectionFiles);
  strays.push(...own);
  const hasSchema = files.includes("schema.json");
  if (!hasSchema && !reportMisnamed(walk, own, "schema.json")) {
    walk.diagnostics.push(diagnose("missing-schema", fileSpan(`${path}/schema.json`), { collection: name }));
  }
  const hasSettings = files.includes("collection.yaml");
  const hasIndexes = files.includes("indexes.json");
  const migrations = folders.includes("_migrations") ? walkMigrations(walk, `${path}/_migrations`) : [];
  const tests = folders.includes("_tests") ? walkTests(walk, `${path}/_tests`) : [];
  return { name, path, hasSchema, hasSettings, hasIndexes, migrations, tests };
}

/** Folders inside of it are the migrations' own. */
function walkMigrations(walk: Walk, path: string): readonly MigrationFile[] {
  const { migrations, diagnostics } = migrationFiles(path, list(walk, path).files);
  walk.diagnostics.push(...diagnostics);
  return migrations;
}

/** Every `.yaml` in it is a file of rule tests; what looks like one and is none would never run. */
function walkTests(walk: Walk, path: string): readonly string[] {
  const { files, folders } = list(walk, path);
  for (const name of folders)
    walk.diagnostics.push(
      diagnose("unexpected-folder", fileSpan(`${path}/${name}`), { parent: "folder of rule tests", name }),
    );
  for (const name of files.filter((file) => /\.(?:yml|json[c5]?)$/i.test(file))) {
    const hint = "rule tests are files whose names end with .yaml";
    walk.diagnostics.push(diagnose("unexpected-file", fileSpan(`${path}/${name}`), { name }, { hint }));
  }
  return files.filter((file) => file.endsWith(".yaml")).map((file) => `${path}/${file}`);
}

/** True when a stray file clearly is the missing one under another name: then that says it all. */
function reportMisnamed(walk: Walk, strays: readonly Stray[], missing: string): boolean {
  const misnamed = strays.find((stray) => stray.diagnostic.hint === `did you mean '${missing}'?`);
  if (misnamed !== undefined) walk.diagnostics.push(misnamed.diagnostic);
  return misnamed !== undefined;
}

function straysOf(path: string, files: readonly string[], known: readonly string[]): Stray[] {
  return files.flatMap((name) => {
    if (known.includes(name)) return [];
    const meant = meantFile(name, known);
    if (meant === undefined && !/\.(?:ya?ml|json[c5]?)$/i.test(name)) return [];
    const hint =
      meant !== undefined
        ? `did you mean '${meant}'?`
        : known.length === 0
          ? collectionFiles.includes(name)
            ? "it belongs into a collection's folder: <realm>/<database>/<collection>"
            : "files that schemas refer to by $ref belong in a _shared folder"
          : `here belong ${known.join(", ")}, and files that a $ref names`;
    return [
      {
        path: `${path}/${name}`,
        diagnostic: diagnose("unexpected-file", fileSpan(`${path}/${name}`), { name }, { hint }),
      },
    ];
  });
}

/** Of the known names the one that was meant: another extension, another case, or a slip of the finger. */
function meantFile(name: string, known: readonly string[]): string | undefined {
  const stem = (file: string): string => file.toLowerCase().replace(/\.[^.]*$/, "");
  return (
    known.find((each) => stem(each) === stem(name) && /\.(?:ya?ml|json[c5]?)$/i.test(name)) ??
    (/\.(?:ya?ml|json)$/i.test(name)
      ? known.find((each) => closest(stem(name), [stem(each)]) !== undefined)
      : undefined) ??
    known.find((each) => closest(name, [each]) !== undefined && Math.abs(name.length - each.length) < 3)
  );
}

function reportReserved(walk: Walk, path: string, name: string, known: readonly string[]): void {
  if (!isReserved(name) || known.includes(name)) return;
  const hint = Object.hasOwn(belonging, name) ? belonging[name] : undefined;
  const parameters = { start: name.charAt(0), name };
  walk.diagnostics.push(diagnose("reserved-folder", fileSpan(path), parameters, { hint }));
}

/** Where folders belong that some other folder has. */
const belonging: Readonly<Record<string, string>> = {
  _func: "functions belong into a database: <realm>/<database>/_func/<function>",
  _tests:
    "rule tests belong into a collection, <realm>/<database>/<collection>/_tests, or into the realm: <realm>/_tests",
};

function isReserved(name: string): boolean {
  return name.startsWith("_") || name.startsWith(".");
}

interface Listing {
  /** Sorted, so that the order of the file system never shows. */
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

function list(walk: Walk, path: string): Listing {
  const files: string[] = [];
  const folders: string[] = [];
  for (const entry of readdirSync(join(walk.root, path), { withFileTypes: true })) {
    const kind = kindOf(walk, path, entry);
    if (kind === "file") files.push(entry.name);
    if (kind === "folder") folders.push(entry.name);
  }
  return { files: files.sort(), folders: folders.sort() };
}

function kindOf(walk: Walk, path: string, entry: Dirent): "file" | "folder" | undefined {
  if (!entry.isSymbolicLink()) return entry.isDirectory() ? "folder" : "file";
  const location = join(walk.root, path, entry.name);
  const span = fileSpan(path === "" ? entry.name : `${path}/${entry.name}`);
  try {
    const target = realpathSync(location);
    if (isInside(target, walk.base)) return statSync(target).isDirectory() ? "folder" : "file";
    walk.diagnostics.push(
      diagnose("symlink-outside", span, { name: entry.name, problem: "leads out of the realm's folder" }),
    );
  } catch {
    walk.diagnostics.push(diagnose("symlink-outside", span, { name: entry.name, problem: "leads nowhere" }));
  }
  return undefined;
}

/** Whether a real path lies in a real folder. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
