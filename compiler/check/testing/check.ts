/** `realmc check` in process, for the tests of diagnostics. */
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { sorted } from "../../diagnostics/sort.ts";
import { configurationIn } from "../../diff/sides.ts";
import { unmigrated } from "../../diff/unmigrated.ts";
import { recordedFiles } from "../../output/configuration.ts";
import { analyse } from "../../pipeline.ts";

/**
 * Every diagnostic of a configuration folder (or of one realm of it): load, model, checks, rules; compared with the folder
 * `before`, if one is given.
 */
export async function check(folder: string, only?: string, before?: string): Promise<readonly Diagnostic[]> {
  const previous = before === undefined ? undefined : await configurationIn(before);
  const recorded = recordedFiles(previous);
  const { realms, diagnostics } = await analyse(folder, { only, recorded, tests: "checked" });
  return sorted([...diagnostics, ...unmigrated(previous, realms).diagnostics]);
}
