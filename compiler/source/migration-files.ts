/** The files of a collection's folder `_migrations`, by their names. */
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { fileSpan } from "../diagnostics/span.ts";

export interface MigrationFile {
  /** Relative to the configuration folder. */
  readonly path: string;
  /** Four digits. */
  readonly number: string;
  readonly name: string;
  readonly kind: "steps" | "code";
  /** `<number>-<name>.from.json` lies beside it. */
  readonly hasFrom: boolean;
}

const named = /^(?<number>\d{4})-(?<name>[a-z0-9]+(?:-[a-z0-9]+)*)\.(?<kind>yaml|ts)$/;

/** The migrations in a folder, in their order; with what is no migration and looks like one. */
export function migrationFiles(
  folder: string,
  files: readonly string[],
): { readonly migrations: readonly MigrationFile[]; readonly diagnostics: readonly Diagnostic[] } {
  const migrations: MigrationFile[] = [];
  const diagnostics: Diagnostic[] = [];
  const first = new Map<string, string>();
  for (const file of files) {
    const path = `${folder}/${file}`;
    const span = fileSpan(path);
    const { number, name, kind } = named.exec(file)?.groups ?? {};
    if (number === undefined || name === undefined) {
      const problem = problemOf(file, files);
      if (problem !== undefined) diagnostics.push(diagnose("migration-name", span, { name: file, problem }));
      continue;
    }
    const other = first.get(number);
    first.set(number, other ?? file);
    if (number === "0000") {
      const problem = "0000 is what documents are that no migration has changed, so the first is 0001";
      diagnostics.push(diagnose("migration-name", span, { name: file, problem }));
    } else if (other !== undefined) {
      const related = [{ message: "the other one", span: fileSpan(`${folder}/${other}`) }];
      diagnostics.push(diagnose("migration-number", span, { number, other }, { related }));
    } else {
      const hasFrom = files.includes(`${number}-${name}.from.json`);
      migrations.push({ path, number, name, kind: kind === "ts" ? "code" : "steps", hasFrom });
    }
  }
  return { migrations, diagnostics };
}

/** Undefined of files that are none of the configuration's, such as a README. */
function problemOf(file: string, files: readonly string[]): string | undefined {
  if (/\.test\.[cm]?[jt]sx?$/i.test(file)) return undefined;
  const [, stem] = /^(\d{4}-.+)\.from\.json$/.exec(file) ?? [];
  if (stem !== undefined)
    return files.includes(`${stem}.yaml`) || files.includes(`${stem}.ts`)
      ? undefined
      : `it says what documents were before ${stem}, and there is no such migration`;
  if (!/\.(?:ya?ml|json[c5]?|[cm]?[jt]s)$/i.test(file)) return undefined;
  if (/^\d{4}-.+\.yml$/i.test(file)) return "its ending is .yaml";
  if (/^\d{4}-/.test(file)) return "behind the number stand words of a-z and 0-9 with - between them";
  return "it begins with a number of four digits";
}
