/** From folders to what is compared: configurations, or output that was built from one. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { JsonObject } from "../../runtime/json.ts";
import type { Recorded } from "../check/retired.ts";
import { hasErrors } from "../diagnostics/sort.ts";
import { canonicalJson, meaningOf } from "../model/meaning.ts";
import type { Collection, Realm, RuleSource } from "../model/model.ts";
import { recordedFiles } from "../output/configuration.ts";
import { type Output, readOutput } from "../output/read.ts";
import { type AnalysedRealm, type AnalyseOptions, type Analysis, analyse } from "../pipeline.ts";
import type { CompiledRules, RulesStage } from "../rules/compiled.ts";
import { compileRules } from "../rules/rules.ts";
import { isInside } from "../source/folders.ts";

/** Output that does not tell of what it was built. */
export class UnknownOutput extends Error {}

export interface Sides {
  readonly old: Analysis;
  readonly now: Analysis;
}

/**
 * Both versions, compiled; the rules of collections that are the same to the compiler only once.
 * @throws UnknownOutput
 */
export async function analyseSides(old: string, now: string, step?: AnalyseOptions["step"]): Promise<Sides> {
  return withConfiguration(old, (before) =>
    withConfiguration(now, async (after) => {
      step?.(`reading ${now}`);
      const analysed = await analyse(after, { step });
      const rules = (realm: Realm): RulesStage =>
        compiledBeside(
          realm,
          analysed.realms.find((side) => side.realm.name === realm.name),
        );
      step?.(`reading ${old}`);
      return { old: await analyse(before, { step, rules }), now: analysed };
    }),
  );
}

/** Gives `use` a folder with the configuration that lies in a folder, or that the output in it was built from. */
async function withConfiguration<T>(folder: string, use: (configuration: string) => Promise<T>): Promise<T> {
  const output = await readOutput(folder);
  if (output === undefined) return use(folder);
  const files = filesOf(folder, output);
  const scratch = await mkdtemp(join(tmpdir(), "realmc-diff-"));
  try {
    for (const [path, value] of files) {
      const target = join(scratch, path);
      await mkdir(dirname(target), { recursive: true });
      // JSON is YAML as well.
      await writeFile(target, JSON.stringify(value));
    }
    return await use(scratch);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/**
 * The files that an output folder was built from, by their paths.
 * @throws UnknownOutput
 */
export async function filesBehind(folder: string): Promise<Recorded> {
  const output = await readOutput(folder);
  if (output === undefined) throw new UnknownOutput(`${folder} holds no output of realmc build`);
  filesOf(folder, output);
  return recordedFiles(output.configuration);
}

function filesOf(folder: string, { manifest, configuration }: Output): readonly [string, JsonObject][] {
  return Object.entries(manifest.realms).flatMap(([realm, { inputs }]) => {
    const files = Object.entries(configuration.realms[realm] ?? {});
    const sound = files.every(
      ([path, value]) => inputs[path] === meaningOf(value) && isInside(join(folder, path), folder),
    );
    if (!sound || Object.keys(inputs).length !== files.length)
      throw new UnknownOutput(
        `the output in ${folder} does not hold the configuration that it was built from (build it anew)`,
      );
    return files;
  });
}

function compiledBeside(realm: Realm, twin: AnalysedRealm | undefined): RulesStage {
  if (twin === undefined || hasErrors(twin.rules.diagnostics)) return compileRules(realm);
  const known = new Map(collectionsOf(twin.realm).map((each) => [inputOf(twin.realm, each), placeOf(each)]));
  const shared = new Map<string, CompiledRules>();
  for (const collection of collectionsOf(realm)) {
    const place = known.get(inputOf(realm, collection));
    const compiled = place === undefined ? undefined : twin.rules.collections.get(place);
    if (compiled !== undefined) shared.set(placeOf(collection), compiled);
  }
  const databases = realm.databases.map((database) => ({
    ...database,
    collections: database.collections.filter((each) => !shared.has(placeOf(each))),
  }));
  const { collections, ...rest } = compileRules({ ...realm, databases });
  return { ...rest, collections: new Map([...shared, ...collections]) };
}

function collectionsOf({ databases }: Realm): readonly Collection[] {
  return databases.flatMap(({ collections }) => collections);
}

function placeOf({ database, name }: Collection): string {
  return `${database}/${name}`;
}

/** Equal where the rules of two collections are compiled to the same. */
function inputOf({ auth, roles, profile, appConfig, organizations }: Realm, collection: Collection): string {
  const text = (source: RuleSource | undefined): string | null => source?.text ?? null;
  const { rules, fieldRules, fields, softDelete, customId, organization } = collection;
  return canonicalJson([
    placeOf(collection),
    auth,
    roles.map(({ name }) => name),
    profile === undefined
      ? null
      : [profile.pointer, ...profile.files.map(({ path, document }) => [path, document])],
    appConfig,
    organizations === undefined
      ? null
      : [organizations.roles, organizations.teamRoles].map((all) => all.map(({ name }) => name)),
    Object.entries(rules).map(([name, source]) => [name, source.key, source.text]),
    fieldRules.map(({ path, read, write }) => [path, text(read), text(write)]),
    fields.map(({ path, kinds, arrays, scalar, nullable, values }) => [
      path,
      [...kinds],
      [...arrays],
      scalar,
      nullable,
      values === undefined ? null : [...values],
    ]),
    softDelete !== undefined,
    customId !== undefined,
    organization !== undefined,
    organization?.teams !== undefined,
  ]);
}
