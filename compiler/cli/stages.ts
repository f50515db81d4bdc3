/** The stages that every command runs before it does anything: load, model, check, rules. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { didYouMean } from "../../runtime/suggest.ts";
import { checkRealm, loadRealms } from "../check/analyze.ts";
import { type Recorded, retiredFields } from "../check/retired.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { sorted } from "../diagnostics/sort.ts";
import type { Realm } from "../model/model.ts";
import type { RulesStage } from "../rules/compiled.ts";
import { compileRules } from "../rules/rules.ts";
import { UsageError } from "./exit.ts";
import type { Terminal } from "./terminal.ts";

export interface AnalysedRealm {
  readonly realm: Realm;
  readonly rules: RulesStage;
}

export interface Analysis {
  readonly realms: readonly AnalysedRealm[];
  /** Of all stages, sorted. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Loads and checks the realms of a configuration folder, or the one named.
 * @param recorded what was built before
 * @throws UsageError when there is no such folder or realm.
 */
export async function analyse(
  config: string,
  only: string | undefined,
  terminal: Terminal,
  recorded: Recorded = {},
): Promise<Analysis> {
  requireFolder(config);
  if (only !== undefined) requireRealm(config, only);
  terminal.step(`reading ${config}`);
  const loaded = await loadRealms(config, only);
  const diagnostics = [...loaded.diagnostics];
  const realms = loaded.value.map((realm) => {
    terminal.step(`checking ${realm.name}`);
    const rules = compileRules(realm);
    diagnostics.push(
      ...rules.diagnostics,
      ...checkRealm(realm, rules, loaded.diagnostics),
      ...retiredFields(recorded, realm, rules, loaded.diagnostics),
    );
    return { realm, rules };
  });
  return { realms, diagnostics: sorted(diagnostics) };
}

/** @throws UsageError */
export function requireFolder(config: string): void {
  if (!existsSync(config)) throw new UsageError(`there is no folder ${config || "''"}`);
  if (!statSync(config).isDirectory()) throw new UsageError(`${config} is not a folder of realms`);
}

function requireRealm(config: string, name: string): void {
  if (existsSync(join(config, name, "realm.yaml"))) return;
  const others = readdirSync(config).filter((entry) => existsSync(join(config, entry, "realm.yaml")));
  const hint = didYouMean(name, others) ?? `there are: ${others.join(", ")}`;
  throw new UsageError(`there is no realm '${name}' in ${config} (${hint})`);
}
