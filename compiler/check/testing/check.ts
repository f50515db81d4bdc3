/** `realmc check` in process, for the tests of diagnostics. */
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { sorted } from "../../diagnostics/sort.ts";
import { compileRules } from "../../rules/rules.ts";
import { checkRealm, loadRealms } from "../analyze.ts";
import { type Recorded, retiredFields } from "../retired.ts";

/**
 * Every diagnostic of a configuration folder (or of one realm of it): load, model, checks, rules; compared with the folder
 * `before`, if one is given.
 */
export async function check(folder: string, only?: string, before?: string): Promise<Diagnostic[]> {
  const { value: realms, diagnostics } = await loadRealms(folder, only);
  const recorded = before === undefined ? {} : await recordedIn(before);
  const ofRules = realms.flatMap((realm) => {
    const rules = compileRules(realm);
    return [
      ...rules.diagnostics,
      ...checkRealm(realm, rules, diagnostics),
      ...retiredFields(recorded, realm, rules, diagnostics),
    ];
  });
  return sorted([...diagnostics, ...ofRules]);
}

async function recordedIn(folder: string): Promise<Recorded> {
  const { value: realms } = await loadRealms(folder);
  return Object.fromEntries(realms.flatMap(({ inputs }) => inputs.map(({ path, value }) => [path, value])));
}
