import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { walk } from "../source/folders.ts";
import { ndjsonOf } from "./seeds.ts";

/**
 * Writes the seeds of a configuration without mistakes into a folder, as `export` writes documents.
 * @param only a realm
 * @returns whether there are any
 */
export async function seedsInto(folder: string, config: string, only?: string): Promise<boolean> {
  let hasAny = false;
  for (const { name, seeds } of walk(config, only).value) {
    for (const { path, database, collection, kind } of seeds) {
      hasAny = true;
      const from = join(config, path);
      const to = join(folder, name, database, `${collection}.${kind === "csv" ? "csv" : "ndjson"}`);
      mkdirSync(dirname(to), { recursive: true });
      if (kind === "yaml") writeFileSync(to, ndjsonOf(path, readFileSync(from, "utf8")));
      else copyFileSync(from, to);
    }
  }
  return hasAny;
}
