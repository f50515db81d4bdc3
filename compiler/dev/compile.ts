/** The compiler kept warm: realms whose folder has not changed are not looked at again. */
import { kept } from "../../runtime/kept.ts";
import type { EmittedFile } from "../../templates/print/code.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { InternalError, internalError } from "../diagnostics/internal-error.ts";
import { hasErrors, sorted, withoutHints } from "../diagnostics/sort.ts";
import { type Unmigrated, unmigrated } from "../diff/unmigrated.ts";
import { explainedModule } from "../explain/clauses.ts";
import type { KnownHandlers } from "../handlers.ts";
import { identityWithoutHandlers } from "../model/identity.ts";
import type { Realm } from "../model/model.ts";
import { recordedFiles } from "../output/configuration.ts";
import { type EmittedRealm, emittedRealm, type Plan } from "../output/plan.ts";
import { readOutput, type Output as Written } from "../output/read.ts";
import { compilerVersion } from "../package/package.ts";
import {
  type AnalysedRealm,
  analyse,
  type CheckedRealm,
  type ClientForm,
  emitOutput,
  emitRealm,
} from "../pipeline.ts";
import { type Inputs, realmKey } from "./inputs.ts";

/** What was made of a configuration: a plan, unless the diagnostics have errors. */
export interface Compilation {
  /** Errors and warnings of all stages, sorted. */
  readonly diagnostics: readonly Diagnostic[];
  readonly output: Output | undefined;
}

export interface Output {
  readonly plan: Plan;
  /** The modules that threads load. */
  readonly handlers: readonly EmittedFile[];
  /** Modules by which servers explain refusals. */
  readonly explained: readonly EmittedFile[];
  /** By name. */
  readonly realms: ReadonlyMap<string, BuiltRealm>;
}

/** Equal for as long as nothing in the realm's folder changes. */
export interface BuiltRealm {
  readonly analysed: AnalysedRealm;
  readonly model: Realm;
  readonly emitted: EmittedRealm;
}

export class WarmCompiler {
  readonly #config: string;
  readonly #out: string;
  readonly #client: ClientForm;
  /** By name, with a key of the inputs that each was made from. */
  #known: ReadonlyMap<string, { readonly key: string; readonly checked: CheckedRealm }> = new Map();
  readonly #built = new WeakMap<AnalysedRealm, BuiltRealm>();
  /** By name; a realm whose handlers alone changed has the same files. */
  readonly #files = new Map<string, { readonly identity: string; readonly files: readonly EmittedFile[] }>();
  readonly #handlers = new Map<string, KnownHandlers>();
  readonly #apart = new WeakMap<AnalysedRealm, EmittedFile>();

  /** @param out The output folder, whose manifest tells what is no longer emitted. */
  constructor(config: string, out: string, client: ClientForm = {}) {
    this.#config = config;
    this.#out = out;
    this.#client = client;
  }

  async compile(inputs: Inputs): Promise<Compilation> {
    const before = this.#known;
    const written = await readOutput(this.#out);
    const known = new Map<string, { readonly key: string; readonly checked: CheckedRealm }>();
    const { realms, diagnostics: found } = await analyse(this.#config, {
      // What was built last, by whomever, is what documents may hold.
      recorded: recordedFiles(written?.configuration),
      tests: "read",
      known: (name) => kept(this.#handlers, name, () => ({})),
      cache: async (name, make) => {
        const key = realmKey(inputs, name);
        const old = before.get(name);
        const checked = old?.key === key ? old.checked : await make();
        known.set(name, { key, checked });
        return checked;
      },
    });
    this.#known = known;
    const ofEmitting = await this.#whatBecomes(realms, found, written);
    // Mistakes in rule tests are told, and keep nothing from being served.
    const ofTests = withoutHints(sorted(realms.flatMap((each) => each.ofTests ?? [])));
    return { ...ofEmitting, diagnostics: [...ofEmitting.diagnostics, ...ofTests] };
  }

  async #whatBecomes(
    realms: readonly AnalysedRealm[],
    found: readonly Diagnostic[],
    written: Written | undefined,
  ): Promise<Compilation> {
    let diagnostics = withoutHints(found);
    try {
      const behind = unmigrated(written?.configuration, realms);
      diagnostics = withoutHints(sorted([...found, ...behind.diagnostics]));
      const output = hasErrors(diagnostics) ? undefined : await this.#emit(realms, written, behind);
      return { diagnostics, output };
    } catch (error) {
      if (!(error instanceof InternalError)) throw error;
      return { diagnostics: [...diagnostics, internalError(error)], output: undefined };
    }
  }

  async #emit(
    analysed: readonly AnalysedRealm[],
    previous: Written | undefined,
    { schemas }: Unmigrated,
  ): Promise<Output> {
    const realms = new Map<string, BuiltRealm>();
    for (const each of analysed) {
      const built = this.#built.get(each) ?? {
        analysed: each,
        model: each.realm,
        emitted: await this.#emitRealm(each),
      };
      this.#built.set(each, built);
      realms.set(each.realm.name, built);
    }
    const emitted = Array.from(realms.values(), (built) => built.emitted);
    const options = { compiler: compilerVersion(), previous, partial: false, unmigrated: schemas };
    const plan = await emitOutput(emitted, options);
    return {
      plan,
      handlers: analysed.flatMap(({ handlers = [] }) => handlers),
      explained: analysed.flatMap((each) => this.#explained(each)),
      realms,
    };
  }

  #explained(analysed: AnalysedRealm): readonly EmittedFile[] {
    const { realm, rules } = analysed;
    if (!realm.auth) return [];
    return [kept(this.#apart, analysed, () => explainedModule(realm, rules))];
  }

  async #emitRealm(analysed: AnalysedRealm): Promise<EmittedRealm> {
    const { realm } = analysed;
    const identity = identityWithoutHandlers(realm);
    const before = this.#files.get(realm.name);
    const emitted =
      before?.identity === identity
        ? emittedRealm(realm, before.files)
        : await emitRealm(analysed, this.#client);
    this.#files.set(realm.name, { identity, files: emitted.files });
    return emitted;
  }
}
