/** The `rules` stage: every rule of a realm, compiled. */
import { createHash } from "node:crypto";
import { kept, Recent } from "../../runtime/kept.ts";
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { whileReading } from "../diagnostics/internal-error.ts";
import { functionFile, settingsFile } from "../model/declaring-files.ts";
import { declaredFields } from "../model/fields.ts";
import { isServerOwned } from "../model/known-fields.ts";
import type { StepsMigration } from "../model/migrations.ts";
import {
  type Collection,
  collectionOf,
  type Realm,
  type RealmFunction,
  type RuleSource,
  ruleNames,
} from "../model/model.ts";
import { compileRule, type RuleInput, type RuleOutcome } from "./compile.ts";
import type { CompiledFunction, CompiledRule, CompiledRules, RulesStage } from "./compiled.ts";
import { openObject } from "./form/types.ts";
import { configuredType, dataType, documentType, inputType, userType } from "./language/model-types.ts";
import { ruleSpan } from "./language/report.ts";
import {
  fieldReadScope,
  fieldWriteScope,
  invokeScope,
  migrationScope,
  operationScope,
  type RuleScope,
  realmScope,
  triggerScope,
} from "./language/scopes.ts";

/** Compiles every rule of a realm. Rules with errors are left out of the result. */
export function compileRules(realm: Realm): RulesStage {
  const diagnostics: Diagnostic[] = [];
  const ofRealm = seenInRealm(realm);
  const functions = new Map(
    realm.functions.map((fn) => [
      `${fn.database}/${fn.name}`,
      whileReading(functionFile(fn), () =>
        functionRules(fn, realm, (seen) => compiler(seen, diagnostics), ofRealm),
      ),
    ]),
  );
  const all = realm.databases.flatMap((database) => database.collections);
  const migrations = new Map(
    all
      .flatMap((collection) => collection.migrations ?? [])
      .flatMap((each) => {
        if (each.kind !== "steps") return [];
        return [
          [each.path, whileReading(each.path, () => migrationWhens(each, ofRealm, diagnostics))] as const,
        ];
      }),
  );
  // Everything is allowed, but triggers and migrations choose all the same.
  if (!realm.auth) return { collections: new Map(), functions, migrations, diagnostics };
  const collections = all.map((collection) => {
    const compile = compiler(seenInCollection(collection, ofRealm), diagnostics);
    const rules = whileReading(settingsFile(collection), () => collectionRules(collection, compile));
    return [`${collection.database}/${collection.name}`, rules] as const;
  });
  const createOrganization = compiler(ofRealm, diagnostics)(
    realm.organizations?.create,
    "organizations.create",
    realmScope,
  );
  return {
    ...(createOrganization === undefined ? {} : { createOrganization }),
    collections: new Map(collections),
    functions,
    migrations,
    diagnostics: distinct(diagnostics),
  };
}

type Seen = Pick<RuleInput, "types" | "roles">;

/** What rules of realm.yaml see; there are no documents. */
function seenInRealm({ roles, organizations, appConfig, profile, unknown = [] }: Realm): Seen {
  const nameOf = ({ name }: { readonly name: string }) => name;
  const { fields = [], open = [] } = profile === undefined ? {} : declaredFields(profile);
  return {
    types: {
      user: userType(fields, open),
      appConfig: unknown.includes("app_config") ? openObject : configuredType(appConfig),
      document: { kinds: [] },
      previous: { kinds: [] },
      data: { kinds: [] },
    },
    roles: {
      realm: unknown.includes("roles") ? "any" : roles.map(nameOf),
      organization: unknown.includes("organizations.roles") ? "any" : organizations?.roles.map(nameOf),
      team: unknown.includes("organizations.team_roles") ? "any" : organizations?.teamRoles.map(nameOf),
    },
  };
}

function seenInCollection(collection: Collection, { types, roles }: Seen): Seen {
  const own = { document: documentType(collection, true), data: dataType(collection) };
  return { types: { ...types, ...own }, roles };
}

function functionRules(
  fn: RealmFunction,
  realm: Realm,
  compilerOf: (seen: Seen) => Compile,
  { types, roles }: Seen,
): CompiledFunction {
  const { mode, input } = fn;
  // Of what is not there it is told once.
  const none = { document: openObject, previous: openObject, data: openObject };
  const data = mode === "call" ? inputType(input?.fields ?? [], input?.open ?? []) : openObject;
  const invoke =
    mode === "event" || !realm.auth
      ? undefined
      : compilerOf({ types: { ...types, ...none, data }, roles })(fn.invoke, "invoke", invokeScope(mode));
  const whens = fn.triggers.map(({ database, collection, when }, at) => {
    const target = collectionOf(realm, database, collection);
    if (target === undefined) return undefined;
    const document = documentType(target, realm.auth);
    const compile = compilerOf({ types: { ...types, ...none, document, previous: document }, roles });
    return compile(when, `triggers[${at}].when`, triggerScope);
  });
  return { ...(invoke === undefined ? {} : { invoke }), whens };
}

/** What documents were is not declared any more, so of their members nothing is known; nothing else is asked. */
function migrationWhens(
  { steps }: StepsMigration,
  { types, roles }: Seen,
  diagnostics: Diagnostic[],
): readonly (CompiledRule | undefined)[] {
  const compile = compiler(
    { types: { ...types, document: openObject, data: openObject }, roles },
    diagnostics,
  );
  return steps.map(({ when }, at) => {
    const compiled = compile(when, `[${at}].when`, migrationScope);
    if (when === undefined || compiled === undefined) return compiled;
    const { readsClock, readsAppConfig, documentFields } = compiled.facts;
    const server = documentFields.find(isServerOwned);
    const what = server ?? (readsClock ? "the time" : readsAppConfig ? "app_config" : undefined);
    if (what === undefined) return compiled;
    diagnostics.push(diagnose("migration-when", when.span, { what }));
    return undefined;
  });
}

/** The rule of a source, if there is one and it is sound; `key` is where it stands in its file. */
type Compile = (source: RuleSource | undefined, key: string, scope: RuleScope) => CompiledRule | undefined;

/** What this process compiled, by all that it went by. For `realmc dev` and `diff`, where most rules stay as they are. */
const known = new Recent<string, RuleOutcome>(10_000);

function compiler(seen: Seen, diagnostics: Diagnostic[]): Compile {
  const hash = createHash("sha256").update(JSON.stringify(seen)).digest("hex");
  return (source, key, scope) => {
    if (source === undefined) return undefined;
    const own = { text: source.text, origin: `${source.span.file} ${key}`, scope };
    const outcome = kept(known, JSON.stringify([hash, own]), () => compileRule({ ...own, ...seen }));
    for (const { at, diagnostic } of outcome.findings) diagnostics.push(diagnostic(ruleSpan(source, at)));
    return outcome.rule;
  };
}

function collectionRules({ rules, fieldRules }: Collection, compile: Compile): CompiledRules {
  return {
    rules: given(
      ruleNames.map((name) => {
        const source = rules[name];
        const key = source?.key ?? name;
        return [name, compile(source, `rules.${key}`, operationScope(name, key === "write"))];
      }),
    ),
    fieldRules: fieldRules.map(({ path, read, write }) => ({
      path,
      ...given([
        ["read", compile(read, `fields.${path}.read`, fieldReadScope)],
        ["write", compile(write, `fields.${path}.write`, fieldWriteScope)],
      ]),
    })),
  };
}

/** Without the members that are undefined. */
function given<T>(members: readonly (readonly [string, T | undefined])[]): Readonly<Record<string, T>> {
  return Object.fromEntries(members.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/** A rule under `write` is compiled for three operations; what is wrong with it is said once. */
function distinct(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const said = new Map(
    diagnostics.map((diagnostic) => [
      JSON.stringify([diagnostic.code, diagnostic.message, diagnostic.span]),
      diagnostic,
    ]),
  );
  return [...said.values()];
}
