/** The files of a realm's folder `_seed`, by their names. */
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { fileSpan } from "../diagnostics/span.ts";

/** Documents for a collection that is empty. */
export interface SeedFile {
  /** Relative to the configuration folder. */
  readonly path: string;
  readonly database: string;
  readonly collection: string;
  readonly kind: "ndjson" | "csv" | "yaml";
}

const named = /^(?<collection>[^.]+)\.(?<kind>ndjson|csv|yaml)$/;

/** @param folder of a database in `_seed` */
export function seedFiles(
  folder: string,
  database: string,
  files: readonly string[],
): { readonly seeds: readonly SeedFile[]; readonly diagnostics: readonly Diagnostic[] } {
  const seeds: SeedFile[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const file of files) {
    const path = `${folder}/${file}`;
    const { collection, kind } = named.exec(file)?.groups ?? {};
    const other = seeds.find((seed) => seed.collection === collection);
    if (collection !== undefined && (kind === "ndjson" || kind === "csv" || kind === "yaml")) {
      if (other === undefined) seeds.push({ path, database, collection, kind });
      else diagnostics.push(strange(path, file, `${other.path} is the collection's seed already`));
    } else if (/\.(?:ya?ml|json[cl5]?|nd[a-z]*|csv|tsv)$/i.test(file))
      diagnostics.push(strange(path, file, "a seed is called <collection>.ndjson, .csv or .yaml"));
  }
  return { seeds, diagnostics };
}

export function strange(path: string, name: string, problem: string): Diagnostic {
  return diagnose("seed-name", fileSpan(path), { name, problem });
}
