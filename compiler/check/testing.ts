/** `realmc check` in process, for the tests of diagnostics. */
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { sorted } from "../diagnostics/sort.ts";
import { compileRules } from "../rules/rules.ts";
import { checkRealm, loadRealms } from "./analyze.ts";

/** Every diagnostic of a configuration folder (or of one realm of it): load, model, checks, rules. */
export async function check(folder: string, only?: string): Promise<Diagnostic[]> {
  const { value: realms, diagnostics } = await loadRealms(folder, only);
  const ofRules = realms.flatMap((realm) => {
    const rules = compileRules(realm);
    return [...rules.diagnostics, ...checkRealm(realm, rules, diagnostics)];
  });
  return sorted([...diagnostics, ...ofRules]);
}
