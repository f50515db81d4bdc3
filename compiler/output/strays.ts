/** What lies in an output folder and belongs to no realm. */
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isHeader } from "../../templates/print/comments.ts";
import { readText } from "./read.ts";

/** Paths in the folder, sorted. */
export interface Strays {
  /** Of a build that no manifest tells of any more: they say that we made them. */
  readonly ours: readonly string[];
  readonly others: readonly string[];
}

/** Hidden files, and packages of their own below, are not looked at. */
export async function straysIn(folder: string, known: ReadonlySet<string>): Promise<Strays> {
  const ours: string[] = [];
  const others: string[] = [];
  for (const path of await filesIn(folder)) {
    if (known.has(path)) continue;
    const [first = ""] = ((await readText(join(folder, path))) ?? "").split("\n", 1);
    (first.startsWith("// ") && isHeader(first.slice(3)) ? ours : others).push(path);
  }
  return { ours, others };
}

async function filesIn(folder: string, below = ""): Promise<readonly string[]> {
  if (!existsSync(join(folder, below))) return [];
  const entries = await readdir(join(folder, below), { withFileTypes: true });
  if (below !== "" && entries.some(({ name }) => name === "package.json")) return [];
  const paths: string[] = [];
  for (const entry of entries) {
    const path = `${below}${entry.name}`;
    if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
    if (entry.isDirectory()) paths.push(...(await filesIn(folder, `${path}/`)));
    else if (entry.isFile()) paths.push(path);
  }
  return paths.sort();
}
