/** What a configuration folder holds, so that two looks at it can be compared. */
import { createHash } from "node:crypto";
import { type Dirent, readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { isInside } from "../source/folders.ts";
import { reasonOf } from "../source/reader.ts";

export interface Inputs {
  /** Path in the configuration folder, of a folder with `/` at its end, to what tells its content from another. */
  readonly entries: ReadonlyMap<string, string>;
  /** Folders in which something may change, the configuration folder included: real paths to what tells a folder from a later one there. */
  readonly folders: ReadonlyMap<string, string>;
}

export interface Change {
  readonly path: string;
  readonly kind: "added" | "changed" | "removed";
}

/** Bytes beyond which a file is told by its size and time: the compiler refuses it anyway. */
const longest = 1024 * 1024;

/** Looks at everything in a configuration folder. One that cannot be read is empty. */
export function readInputs(config: string): Inputs {
  const entries = new Map<string, string>();
  const folders = new Map<string, string>();
  try {
    const base = realpathSync(config);
    visit(base, "", base);
  } catch {
    // It is gone; the compiler says so.
  }
  return { entries, folders };

  function visit(folder: string, path: string, base: string): void {
    const { dev, ino, birthtimeMs } = statSync(folder);
    folders.set(folder, `${dev} ${ino} ${birthtimeMs}`);
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const place = path + entry.name;
      try {
        look(join(folder, entry.name), place, entry, base);
      } catch (error) {
        entries.set(place, reasonOf(error));
      }
    }
  }

  function look(location: string, path: string, entry: Dirent, base: string): void {
    const link = entry.isSymbolicLink() ? `${readlinkSync(location)} ` : "";
    const status = statSync(location);
    if (!status.isDirectory()) {
      entries.set(path, link + contentOf(location, status));
      return;
    }
    entries.set(`${path}/`, link);
    const real = realpathSync(location);
    // Nothing is read there, and of `.git` there is much.
    if (entry.name.startsWith(".") || !isInside(real, base) || folders.has(real)) return;
    visit(real, `${path}/`, base);
  }
}

function contentOf(location: string, { size, mtimeMs }: { size: number; mtimeMs: number }): string {
  if (size > longest) return `${size} ${mtimeMs}`;
  return createHash("sha256").update(readFileSync(location)).digest("hex");
}

/** What differs, sorted by path. */
export function changesBetween(before: Inputs, after: Inputs): readonly Change[] {
  const changes: Change[] = [];
  for (const [path, content] of after.entries) {
    const old = before.entries.get(path);
    if (old === undefined) changes.push({ path, kind: "added" });
    else if (old !== content) changes.push({ path, kind: "changed" });
  }
  for (const path of before.entries.keys()) {
    if (!after.entries.has(path)) changes.push({ path, kind: "removed" });
  }
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** One text for everything that a realm can be made from: equal for equal input. */
export function realmKey({ entries }: Inputs, realm: string): string {
  const hash = createHash("sha256");
  const own = [...entries].filter(([path]) => path.startsWith(`${realm}/`));
  for (const entry of own.sort(([a], [b]) => (a < b ? -1 : 1))) hash.update(JSON.stringify(entry));
  return hash.digest("hex");
}
