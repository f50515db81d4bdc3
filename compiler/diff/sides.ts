/** From folders to what is compared: configurations, or output that was built from one. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { JsonObject } from "../../runtime/json.ts";
import type { Recorded } from "../check/retired.ts";
import { recordedFiles } from "../output/configuration.ts";
import { type Output, readOutput } from "../output/read.ts";
import { type AnalysedRealm, type AnalyseOptions, type Analysis, analyse } from "../pipeline.ts";
import { isInside } from "../source/folders.ts";
import { isMeaningOfCode, meaningOf } from "../source/meaning.ts";

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

/** What lies in a folder, or what the output in it was built from, with all that is known of handlers' code. */
async function analysed(folder: string, step: AnalyseOptions["step"]): Promise<Analysis> {
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
    const settings = Object.values(inputs).filter((meaning) => !isMeaningOfCode(meaning));
    if (!sound || settings.length !== files.length)
      throw new UnknownOutput(
        `the output in ${folder} does not hold the configuration that it was built from (build it anew)`,
      );
    return files;
  });
}
