import { readdirSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { migrationName, migrationNumber } from "../../runtime/realm/migrations.ts";
import { didYouMean } from "../../runtime/suggest.ts";
import { jsonText } from "../../templates/print/format.ts";
import { type Narrowing, narrowings } from "../diff/narrowed.ts";
import { configurationIn, UnknownOutput } from "../diff/sides.ts";
import { schemaBefore } from "../diff/unmigrated.ts";
import { type Collection, collectionOf } from "../model/model.ts";
import type { RecordedConfiguration } from "../output/configuration.ts";
import { analyse } from "../pipeline.ts";
import { type ExitCode, exit, UsageError } from "./exit.ts";
import { onDisk, requireFolder, requireRealm } from "./folders.ts";
import type { Terminal } from "./terminal.ts";

export interface MigrationNewOptions {
  readonly yaml?: true;
  /** A configuration, or output: what was before. */
  readonly old: string;
}

/**
 * `realmc migration new`: the next migration of a collection, to be filled in, and the schema that its documents had.
 * @throws UsageError
 */
export async function migrationNew(
  place: string,
  { name, config, yaml, old }: MigrationNewOptions & { readonly name: string; readonly config: string },
  terminal: Terminal,
): Promise<ExitCode> {
  requireFolder(config);
  requireName(name);
  const collection = await collectionAt(place, config);
  terminal.step(`reading ${old}`);
  const before = schemaBefore(await configurationOf(old), collection);
  if (before === undefined)
    throw new UsageError(`${old} knows no collection ${place}, so there are no documents to migrate`);
  const path = `${place}/schema.json`;
  const reasons = narrowings(
    { path, pointer: "", document: before, files: [{ path, document: before }] },
    collection.schema,
  );
  const folder = join(config, place, "_migrations");
  const number = nextNumber(folder);
  const stem = join(folder, migrationName({ number, name }));
  const written = yaml ? `${stem}.yaml` : `${stem}.ts`;
  await onDisk(folder, async () => {
    await mkdir(folder, { recursive: true });
    await writeFile(`${stem}.from.json`, jsonText(before), { flag: "wx" });
    await writeFile(written, yaml ? stepsText(folder, reasons) : codeText(number, reasons), { flag: "wx" });
  });
  terminal.out(written);
  terminal.out(`${stem}.from.json`);
  terminal.err(
    reasons.length === 0
      ? `every document that fitted ${old} fits schema.json`
      : `what documents need is in ${written}: fill it in, then realmc build ${config}`,
  );
  return exit.ok;
}

function requireName(name: string): void {
  if (/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)) return;
  throw new UsageError(
    `'${name}' is no name of a migration: it has words of a-z and 0-9 with - between them`,
  );
}

async function collectionAt(place: string, config: string): Promise<Collection> {
  const [realm = "", database = "", name = "", ...others] = place.split("/");
  if (realm === "" || database === "" || name === "" || others.length > 0)
    throw new UsageError(`'${place}' names no collection: write <realm>/<database>/<collection>`);
  requireRealm(config, realm);
  const { realms } = await analyse(config, { only: realm, handlers: "none", faults: "thrown" });
  const found = realms.find((each) => each.realm.name === realm)?.realm;
  const collection = found && collectionOf(found, database, name);
  if (collection !== undefined) return collection;
  const all = found?.databases.flatMap(({ collections }) => collections) ?? [];
  const hint = didYouMean(
    place,
    all.map((each) => `${realm}/${each.database}/${each.name}`),
  );
  throw new UsageError(
    `there is no collection ${place} in ${config}${hint === undefined ? "" : `; ${hint}`}`,
  );
}

async function configurationOf(folder: string): Promise<RecordedConfiguration> {
  try {
    requireFolder(folder);
    return await configurationIn(folder);
  } catch (error) {
    if (!(error instanceof UsageError) && !(error instanceof UnknownOutput)) throw error;
    throw new UsageError(`${error.message} (--old names a configuration or output from before the change)`);
  }
}

/** @throws UsageError where there is none left */
function nextNumber(folder: string): string {
  const last = filesIn(folder)
    .flatMap((name) => /^(\d{4})-/.exec(name)?.[1] ?? [])
    .sort()
    .at(-1);
  const next = Number(last ?? "0000") + 1;
  if (next > 9999) throw new UsageError(`${folder} has a migration of the number ${last}, the last one`);
  return migrationNumber(next);
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Why documents do not fit, as the lines of a comment. */
function reasonLines(reasons: readonly Narrowing[], start: string): readonly string[] {
  const lines = reasons.map(({ field, message }) => (field === "" ? message : `${field}: ${message}`));
  return lines.length === 0
    ? []
    : ["What documents do not fit any longer:", ...lines.map((each) => `  ${each}`)].map(
        (each) => start + each.replace(/\s+/g, (space) => (space.length > 2 ? " " : space)),
      );
}

function codeText(number: string, reasons: readonly Narrowing[]): string {
  return `${[
    'import { migrate } from "realmc/migrations";',
    `import type { From${number} as From, To${number} as To } from "./$types.ts";`,
    "",
    ...reasonLines(reasons, "// "),
    "export default migrate<From, To>({",
    "  forward: (document) => ({ ...document }),",
    "  // With a way back old and new servers may share a store, and realmc migrate --back undoes it:",
    "  // back: (document) => ({ ...document }),",
    "});",
  ].join("\n")}\n`;
}

function stepsText(folder: string, reasons: readonly Narrowing[]): string {
  const schema = relative(folder, "node_modules/realmc/docs/schemas/migration.schema.json");
  return `${[
    `# yaml-language-server: $schema=${schema.split(sep).join("/")}`,
    ...reasonLines(reasons, "# "),
    "# Steps, one after another: rename, default, convert, map, drop, set; each may have a when. As in",
    "# - default: { field: priority, value: 3 }",
    "# - rename: { from: mail, to: contact.email }",
  ].join("\n")}\n`;
}
