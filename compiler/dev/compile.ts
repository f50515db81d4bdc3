/** The compiler kept warm: realms whose folder has not changed are not looked at again. */

import { checkRealm, loadRealm } from "../check/analyze.ts";
import { retiredFields } from "../check/retired.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { hasErrors, sorted, withoutHints } from "../diagnostics/sort.ts";
import type { Realm } from "../model/model.ts";
import { type EmittedRealm, type Plan, planOutput, planRealm } from "../output/plan.ts";
import { readManifest, readRecorded } from "../output/write.ts";
import { compilerVersion } from "../package/package.ts";
import type { RulesStage } from "../rules/compiled.ts";
import { compileRules } from "../rules/rules.ts";
import { type RealmFolder, walk } from "../source/folders.ts";
import { type Inputs, realmKey } from "./inputs.ts";

/** What was made of a configuration: a plan, unless the diagnostics have errors. */
export interface Compilation {
  /** Errors and warnings of all stages, sorted. */
  readonly diagnostics: readonly Diagnostic[];
  readonly output: Output | undefined;
}

export interface Output {
  readonly plan: Plan;
  /** By name. */
  readonly realms: ReadonlyMap<string, BuiltRealm>;
}

/** Equal for as long as nothing in the realm's folder changes. */
export interface BuiltRealm {
  readonly model: Realm;
  readonly emitted: EmittedRealm;
}

interface KnownRealm {
  /** Of the inputs that it was made from. */
  readonly key: string;
  readonly diagnostics: readonly Diagnostic[];
  readonly analysed: { readonly realm: Realm; readonly rules: RulesStage };
  built?: BuiltRealm;
}

export class WarmCompiler {
  readonly #config: string;
  readonly #out: string;
  #known: ReadonlyMap<string, KnownRealm> = new Map();

  /** @param out The output folder, whose manifest tells what is no longer emitted. */
  constructor(config: string, out: string) {
    this.#config = config;
    this.#out = out;
  }

  async compile(inputs: Inputs): Promise<Compilation> {
    const walked = walk(this.#config);
    const realms = new Map<string, KnownRealm>();
    for (const folder of walked.value) {
      const key = realmKey(inputs, folder.name);
      const known = this.#known.get(folder.name);
      realms.set(folder.name, known?.key === key ? known : await this.#analyse(folder, key));
    }
    this.#known = realms;
    const found = [...realms.values()].flatMap(({ diagnostics }) => diagnostics);
    const all = [...walked.diagnostics, ...found, ...(await this.#retired())];
    const diagnostics = sorted(withoutHints(all));
    return { diagnostics, output: hasErrors(diagnostics) ? undefined : await this.#emit() };
  }

  /** What was built last, by whomever, is what documents may hold. */
  async #retired(): Promise<Diagnostic[]> {
    const recorded = await readRecorded(this.#out);
    return [...this.#known.values()].flatMap(({ analysed, diagnostics }) =>
      retiredFields(recorded, analysed.realm, analysed.rules, diagnostics),
    );
  }

  async #analyse(folder: RealmFolder, key: string): Promise<KnownRealm> {
    const { value: realm, diagnostics } = await loadRealm(this.#config, folder);
    const rules = compileRules(realm);
    const more = [...rules.diagnostics, ...checkRealm(realm, rules, diagnostics)];
    return { key, diagnostics: [...diagnostics, ...more], analysed: { realm, rules } };
  }

  async #emit(): Promise<Output> {
    const realms = new Map<string, BuiltRealm>();
    for (const [name, known] of this.#known) {
      const { realm, rules } = known.analysed;
      known.built ??= { model: realm, emitted: await planRealm(realm, rules) };
      realms.set(name, known.built);
    }
    const emitted = Array.from(realms.values(), (built) => built.emitted);
    const previous = await readManifest(this.#out);
    const plan = await planOutput(emitted, { compiler: compilerVersion(), previous, partial: false });
    return { plan, realms };
  }
}
