/** Who loads or reads which file of the checkout. */
import { dirname, join } from "node:path";
import { importsIn } from "./imports.ts";
import { namedPaths } from "./named-paths.ts";

/** What import specifiers and file texts say of a checkout. */
export interface Tree {
  /** All files, from the root of the checkout. */
  readonly paths: readonly string[];
  textOf(path: string): string;
  /** Package names that mean a source: `realmc/runtime`. */
  readonly aliases: Readonly<Record<string, string>>;
  /** By source: files and folders that it loads or reads without naming them in its text. */
  readonly unnamed: Readonly<Record<string, readonly string[]>>;
}

/** By file or folder: the sources that load, run or read it. */
export type Users = ReadonlyMap<string, ReadonlySet<string>>;

/** Whether a file is the project's code: what lies under `testdata`, and what `realmc init` writes, is read and not loaded. */
export function isSource(path: string): boolean {
  return /\.(?:ts|mjs|js)$/.test(path) && !/\/testdata\/|^compiler\/init\/template\//.test(path);
}

/** Type-only imports do not count: what they mean is gone at run time, and `tsc` checks it. */
export function usersOf(tree: Tree): Users {
  const files = new Set(tree.paths);
  const folders = new Set(tree.paths.flatMap(foldersAround));
  const users = new Map<string, Set<string>>();
  const use = (path: string, user: string): void => {
    if (path !== user) users.set(path, (users.get(path) ?? new Set()).add(user));
  };
  for (const path of tree.paths) {
    if (!isSource(path)) continue;
    const text = tree.textOf(path);
    for (const { specifier, isType } of importsIn(text)) {
      const to = specifier.startsWith(".") ? join(dirname(path), specifier) : tree.aliases[specifier];
      if (!isType && to !== undefined) use(to, path);
    }
    const isFolder = (found: string): boolean => folders.has(found);
    for (const found of namedPaths(path, text, (named) => files.has(named), isFolder)) use(found, path);
    for (const found of tree.unnamed[path] ?? []) use(found, path);
  }
  return users;
}

/** The folders that a path lies in, from the innermost; the root is none of them. */
export function foldersAround(path: string): readonly string[] {
  const words = path.split("/").slice(0, -1);
  return words.map((_, end) => words.slice(0, words.length - end).join("/"));
}
