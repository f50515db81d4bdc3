/** `realmc check` in process, for the tests of diagnostics. */
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { analyse } from "../../pipeline.ts";
import type { Recorded } from "../retired.ts";

/**
 * Every diagnostic of a configuration folder (or of one realm of it): load, model, checks, rules; compared with the folder
 * `before`, if one is given.
 */
export async function check(folder: string, only?: string, before?: string): Promise<readonly Diagnostic[]> {
  const recorded = before === undefined ? {} : await recordedIn(before);
  return (await analyse(folder, { only, recorded })).diagnostics;
}

async function recordedIn(folder: string): Promise<Recorded> {
  const { realms } = await analyse(folder);
  return Object.fromEntries(
    realms.flatMap(({ realm }) =>
      realm.inputs.flatMap(({ path, value }) => (value === undefined ? [] : [[path, value] as const])),
    ),
  );
}
