/** From folders to what is compared: configurations, or output that was built from one. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { JsonObject } from "../../runtime/json.ts";
import type { Files, RecordedConfiguration } from "../output/configuration.ts";
import { type Output, readOutput } from "../output/read.ts";
import { type AnalysedRealm, type AnalyseOptions, type Analysis, analyse } from "../pipeline.ts";
import { isInside } from "../source/folders.ts";
import { isMeaningOfCode, meaningOf } from "../source/meaning.ts";
import { valueInFile } from "../source/steps.ts";

/** Output that does not tell of what it was built. */
export class UnknownOutput extends Error {}

export interface Sides {
  readonly old: Analysis;
  readonly now: Analysis;
}

/**
 * Both versions, compiled.
 * @throws UnknownOutput
 */
export async function analyseSides(old: string, now: string, step?: AnalyseOptions["step"]): Promise<Sides> {
  const after = await analysed(now, step);
  return { old: await analysed(old, step), now: after };
}

/**
 * What lies in a folder, or what the output in it was built from, with all that is known of handlers' code.
 * @throws UnknownOutput
 */
export async function analysed(folder: string, step?: AnalyseOptions["step"]): Promise<Analysis> {
  step?.(`reading ${folder}`);
  const output = await readOutput(folder);
  if (output === undefined) return analyse(folder, { step, handlers: "read" });
  const { realms, diagnostics } = await configured(folder, output, (configuration) =>
    analyse(configuration, { step, handlers: "none" }),
  );
  const withCode = realms.map((each): AnalysedRealm => {
    const inputs = Object.entries(output.manifest.realms[each.realm.name]?.inputs ?? {});
    const code = inputs.flatMap(([path, meaning]) => (isMeaningOfCode(meaning) ? [{ path, meaning }] : []));
    return { ...each, realm: { ...each.realm, inputs: [...each.realm.inputs, ...code] } };
  });
  return { realms: withCode, diagnostics };
}

/** Gives `use` a folder with the configuration that the output in a folder was built from. */
async function configured<T>(
  folder: string,
  output: Output,
  use: (configuration: string) => Promise<T>,
): Promise<T> {
  return inFolder(filesOf(folder, output), use);
}

/**
 * What files of a configuration come to, by their paths in its folder; of functions and migrations in TypeScript what settings
 * alone say.
 */
export function analysedFiles(files: Files): Promise<Analysis> {
  return inFolder(Object.entries(files), (configuration) =>
    analyse(configuration, { handlers: "none", faults: "thrown" }),
  );
}

/** Gives `use` a folder with these files. */
async function inFolder<T>(
  files: readonly (readonly [string, JsonObject])[],
  use: (configuration: string) => Promise<T>,
): Promise<T> {
  const scratch = await mkdtemp(join(tmpdir(), "realmc-diff-"));
  try {
    for (const [path, value] of files) {
      // Of code there is none, and without its migration what documents were before it belongs nowhere.
      if (/\/_migrations\/[^/]+\.from\.json$/.test(path)) continue;
      const target = join(scratch, path);
      if (!isInside(target, scratch)) throw new UnknownOutput(`${path} leads out of its configuration`);
      await mkdir(dirname(target), { recursive: true });
      // JSON is YAML as well.
      await writeFile(target, JSON.stringify(valueInFile(path, value)));
    }
    return await use(scratch);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/**
 * The configuration that an output folder was built from.
 * @throws UnknownOutput
 */
export async function configurationBehind(folder: string): Promise<RecordedConfiguration> {
  const output = await readOutput(folder);
  if (output === undefined) throw new UnknownOutput(`${folder} holds no output of realmc build`);
  filesOf(folder, output);
  return output.configuration;
}

/** What lies in a folder: of an output what it was built from, of a configuration its files. */
export async function configurationIn(folder: string): Promise<RecordedConfiguration> {
  if ((await readOutput(folder)) !== undefined) return configurationBehind(folder);
  const { realms } = await analyse(folder, { handlers: "none", faults: "thrown" });
  return {
    realms: Object.fromEntries(
      realms.map(({ realm: { name, inputs } }) => [
        name,
        Object.fromEntries(inputs.flatMap(({ path, value }) => (value === undefined ? [] : [[path, value]]))),
      ]),
    ),
  };
}

function filesOf(folder: string, { manifest, configuration }: Output): readonly [string, JsonObject][] {
  return Object.entries(manifest.realms).flatMap(([realm, { inputs }]) => {
    const files = Object.entries(configuration.realms[realm] ?? {});
    const sound = files.every(
      ([path, value]) => inputs[path] === meaningOf(value) && isInside(join(folder, path), folder),
    );
    const settings = Object.values(inputs).filter((meaning) => !isMeaningOfCode(meaning));
    if (!sound || settings.length !== files.length)
      throw new UnknownOutput(
        `the output in ${folder} does not hold the configuration that it was built from (build it anew)`,
      );
    return files;
  });
}
