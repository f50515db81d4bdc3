/**
 * The stages of the compiler, in their order; whoever compiles anything does it by these functions.
 *
 *     analyse      source -> model -> checks -> rules -> checks of rules
 *     emitRealm    a realm's files, by the templates
 *     emitOutput   all that the output folder is to hold
 *
 * Every mistake of a run is reported. Where one leaves open what was meant, the model says so, and what would only follow
 * from it is not told: roles of an unreadable `roles`, fields of a schema with a wrong `type`.
 */
import type { ClientForm } from "../templates/client/file.ts";
import type { EmittedFile } from "../templates/print/code.ts";
import { checkModel, hints } from "./check/analyze.ts";
import { type Recorded, retiredFields } from "./check/retired.ts";
import { checkRules } from "./check/rules.ts";
import type { Diagnostic, Staged } from "./diagnostics/diagnostic.ts";
import { InternalError, internalError, whileReadingAll } from "./diagnostics/internal-error.ts";
import { hasErrors, sorted } from "./diagnostics/sort.ts";
import type { KnownHandlers } from "./handlers.ts";
import { hasCode } from "./model/migrations.ts";
import type { Realm } from "./model/model.ts";
import { type EmittedRealm, emittedRealm, type Plan, type PlanOptions, planOutput } from "./output/plan.ts";
import { readRuleTests } from "./rule-tests/read.ts";
import type { RuleTestFile } from "./rule-tests/rule-tests.ts";
import type { RulesStage } from "./rules/compiled.ts";
import { compileRules } from "./rules/rules.ts";
import { type ReadOptions, readRealm } from "./settings/read-realms.ts";
import type { ModelledRealm } from "./settings/subject.ts";
import { type RealmFolder, walk } from "./source/folders.ts";

export type { ClientForm };

/** With errors among the diagnostics it is as complete as the files allow. */
export interface AnalysedRealm {
  readonly realm: Realm;
  readonly rules: RulesStage;
  /** The modules that threads load, by their paths in a bundle; absent where the realm has no functions. */
  readonly handlers?: readonly EmittedFile[];
  /** The modules of migrations in TypeScript, by their paths in the output; absent where the realm has no code at all. */
  readonly migrations?: readonly EmittedFile[];
  /** Files of rule tests, of which nothing is emitted. */
  readonly tests?: readonly RuleTestFile[];
  /** What is wrong in these files, which keeps nothing from being emitted. */
  readonly ofTests?: readonly Diagnostic[];
}

export interface Analysis {
  readonly realms: readonly AnalysedRealm[];
  /** Of all stages, sorted. */
  readonly diagnostics: readonly Diagnostic[];
}

/** One realm with what its own files alone say of it. */
export interface CheckedRealm extends AnalysedRealm {
  /** Of folders, files, the model and its checks: what later checks go by. */
  readonly told: readonly Diagnostic[];
  /** Of all stages. */
  readonly diagnostics: readonly Diagnostic[];
}

export interface AnalyseOptions {
  /** The one realm to look at. */
  readonly only?: string | undefined;
  /** What was built before; default: nothing. */
  readonly recorded?: Recorded;
  /** Answers what is known of the realm of a name, or what `make` makes of it. */
  readonly cache?: (realm: string, make: () => Promise<CheckedRealm>) => Promise<CheckedRealm>;
  /** Default: checked and bundled. `read`: only their texts; `none`: functions as what they are to clients. */
  readonly handlers?: "read" | "none";
  /** What is known of a realm's handlers from the time before; it is kept up to date. Default: nothing. */
  readonly known?: ((realm: string) => KnownHandlers) | undefined;
  /** Rule tests are read, and with `checked` what is wrong in them is among the diagnostics. Default: nobody looks at them. */
  readonly tests?: "read" | "checked";
  /** Faults of the compiler reject with an {@link InternalError}. Default: they are diagnostics, and their realm is left out. */
  readonly faults?: "thrown";
  /** Hears of every realm that is looked at. */
  readonly step?: ((what: string) => void) | undefined;
}

/** Compiles the realms of a configuration folder up to their rules. */
export async function analyse(folder: string, options: AnalyseOptions = {}): Promise<Analysis> {
  const { only, recorded = {}, cache = (_, make) => make(), tests, faults } = options;
  const walked = walk(folder, only);
  const looked = await Promise.all(
    walked.value.map(async (found) => {
      const file = `${found.name}/realm.yaml`;
      const make = () =>
        whileReadingAll(file, () => checkedRealm(folder, found, walked.diagnostics, options));
      const looking = cache(found.name, make);
      return faults === "thrown" ? looking : orFault(looking);
    }),
  );
  const realms = looked.flatMap((each) => ("realm" in each ? [each] : []));
  const diagnostics = [
    ...looked.flatMap((each) => each.diagnostics),
    ...realms.flatMap(({ realm, rules, told, ofTests = [] }) => [
      ...(tests === "checked" ? ofTests : []),
      ...retiredFields(recorded, realm, rules, told),
    ]),
  ];
  return { realms, diagnostics: sorted([...walked.diagnostics, ...diagnostics]) };
}

/** What is looked at, or the diagnostic of a fault of the compiler. */
async function orFault<T>(looking: Promise<T>): Promise<T | { readonly diagnostics: readonly [Diagnostic] }> {
  try {
    return await looking;
  } catch (error) {
    if (!(error instanceof InternalError)) throw error;
    return { diagnostics: [internalError(error)] };
  }
}

async function checkedRealm(
  folder: string,
  found: RealmFolder,
  ofFolders: readonly Diagnostic[],
  { step, handlers, known, tests: read }: AnalyseOptions,
): Promise<CheckedRealm> {
  const { value: subject, diagnostics } = await checkedModel(folder, found, {
    handlers: handlers !== "none",
  });
  const { realm } = subject;
  const told = [...ofFolders, ...diagnostics];
  step?.(`checking ${realm.name}`);
  const rules = compileRules(realm);
  const ofRules = [...rules.diagnostics, ...checkRules(subject, rules, told)];
  const ofSeeds = hasErrors(told) ? [] : await seedProblems(folder, found, realm);
  const tests = read === undefined ? undefined : readRuleTests(folder, found, realm, told);
  const checked = {
    realm,
    rules,
    ...(tests !== undefined && { tests: tests.value, ofTests: tests.diagnostics }),
    told,
    diagnostics: [...told, ...ofRules, ...ofSeeds],
  };
  const imports = checked.diagnostics.filter(({ code }) => ofImports.has(code));
  // What handlers are written against is of no use while it has mistakes.
  const isKnown = !hasErrors(checked.diagnostics.filter(({ code }) => !ofImports.has(code)));
  if (!hasCode(realm) || handlers !== undefined || !isKnown) return checked;
  step?.(`checking ${realm.functions.length > 0 ? "handlers" : "migrations"} of ${realm.name}`);
  const { handlersOf } = await import("./handlers.ts");
  const { value: bundled, diagnostics: ofHandlers } = await handlersOf(folder, realm, {
    known: known?.(realm.name),
    refused: imports,
  });
  return { ...checked, diagnostics: [...checked.diagnostics, ...ofHandlers], ...bundled };
}

/** Of single imports of handlers and migrations, beside which all else in them is looked at. */
const ofImports: ReadonlySet<string> = new Set(["handler-node-module", "handler-import"]);

/** What checks documents takes time to load. */
async function seedProblems(
  folder: string,
  { seeds }: RealmFolder,
  realm: Realm,
): Promise<readonly Diagnostic[]> {
  if (seeds.length === 0) return [];
  const { checkSeeds } = await import("./check/seeds.ts");
  return checkSeeds(folder, realm, seeds);
}

async function checkedModel(
  folder: string,
  found: RealmFolder,
  options: ReadOptions,
): Promise<Staged<ModelledRealm>> {
  const { value, diagnostics } = await readRealm(folder, found, options);
  const told = [...diagnostics, ...(await checkModel(value))];
  return { value, diagnostics: [...told, ...hints(value, told)] };
}

/**
 * A realm's files. Pure: same model, same bytes.
 * @throws InternalError
 */
export async function emitRealm(
  { realm, rules, migrations = [] }: AnalysedRealm,
  client: ClientForm = {},
): Promise<EmittedRealm> {
  // Templates and formatters take time to load, and who only checks needs none.
  const { realmFiles } = await import("./emit.ts");
  const emitted = await whileReadingAll(`${realm.name}/realm.yaml`, () => realmFiles(realm, rules, client));
  const files = [...emitted, ...migrations];
  return emittedRealm(
    realm,
    files.sort((a, b) => (a.path < b.path ? -1 : 1)),
  );
}

/** What the output folder is to hold. */
export async function emitOutput(
  realms: readonly EmittedRealm[],
  options: Omit<PlanOptions, "server">,
): Promise<Plan> {
  const { serverFile } = await import("./emit.ts");
  return planOutput(realms, { ...options, server: serverFile });
}
