/** Rules with one clause changed, as emitted code, and whether the rule tests of their realm notice. */

import type { Collection, FieldRules, Realm, RuleName, RuleSource } from "../../compiler/model/model.ts";
import { oneLine } from "../../compiler/model/rule-source.ts";
import { type AnalysedRealm, analyse, emitRealm } from "../../compiler/pipeline.ts";
import { nameOf } from "../../compiler/rule-tests/reading.ts";
import { loadDefinitions } from "../../compiler/rule-tests/run/load.ts";
import { type PlacedRule, placedRules } from "../../compiler/rule-tests/run/places.ts";
import { openStore } from "../../compiler/rule-tests/run/realm.ts";
import { runRealm, type TestedRealm } from "../../compiler/rule-tests/run/run.ts";
import { holds } from "../../compiler/rules/form/evaluate.ts";
import type { At } from "../../compiler/rules/form/form.ts";
import { clausesIn } from "../../compiler/rules/form/trace.ts";
import { compileRules } from "../../compiler/rules/rules.ts";
import { type EmittedRules, emittedRules } from "../../compiler/rules/testing/emitted.ts";
import type { CollectionDefinition, RealmDefinition } from "../../runtime/realm/definition.ts";
import type { FunctionDefinition } from "../../runtime/realm/functions.ts";

/** A rule with a clause that is something else. To remove a clause is to make it constant: true in `&&`, false in `||`. */
export interface Mutant {
  /** `helpdesk support/tickets rules.read: hasRole('lead') -> false` */
  readonly name: string;
  /** A test fails of it. */
  readonly killed: boolean;
}

interface Change {
  readonly name: string;
  readonly rule: PlacedRule;
  /** Of the changed rule. */
  readonly text: string;
}

const changes: readonly (readonly [string, (clause: string) => string])[] = [
  ["negated", (clause) => `(!(${clause}))`],
  ["true", () => "true"],
  ["false", () => "false"],
];

/** Every mutant of the rules of a configuration folder's realms that have rule tests. */
export async function mutantsOf(config: string): Promise<readonly Mutant[]> {
  const { realms } = await analyse(config, { handlers: "none", tests: "checked" });
  const found: Mutant[] = [];
  for (const analysed of realms) {
    if ((analysed.tests ?? []).length === 0) continue;
    const tested = { ...analysed, files: (await emitRealm(analysed)).files };
    const definitions = await loadDefinitions([analysed.realm.name], tested.files);
    const definition = definitions.get(analysed.realm.name);
    if (definition === undefined) throw new Error(`nothing defines ${analysed.realm.name}`);
    found.push(...(await mutantsIn(tested, definition)));
  }
  return found;
}

async function mutantsIn(tested: TestedRealm, definition: RealmDefinition): Promise<readonly Mutant[]> {
  const all = changesOf(tested);
  const ofCollections = all.filter(({ rule }) => /^(?:rules|fields)\./.test(rule.place));
  const emitted = await emittedOf(tested.realm, ofCollections);
  const found: Mutant[] = [];
  const held = await openStore(definition);
  for (const change of all) {
    const rules = emitted.get(change);
    const changed =
      rules === undefined
        ? withoutDocuments(tested, definition, change)
        : withRules(definition, change, rules);
    const { results } = await runRealm(testsAbout(tested, change), changed, "", held);
    found.push({ name: change.name, killed: results.some(({ ok }) => !ok) });
  }
  await held.store.close();
  return found;
}

function changesOf(analysed: AnalysedRealm): readonly Change[] {
  const rules = [...placedRules(analysed).values()];
  // A rule under `write` is three, and stands in its file once.
  const once = rules.filter(
    ({ source }, at) => rules.findIndex((each) => isSame(each.source, source)) === at,
  );
  return once.flatMap((rule) =>
    clausesIn(rule.compiled.written).flatMap((clause): readonly Change[] => {
      if (clause.kind === "constant") return [];
      const { text } = rule.source;
      const written = oneLine(text, clause.at);
      return changes.map(([kind, change]) => ({
        name: `${analysed.realm.name} ${rule.key}: ${written} -> ${kind}`,
        rule,
        text: replaced(text, clause.at, change),
      }));
    }),
  );
}

function replaced(text: string, { start, end }: At, change: (clause: string) => string): string {
  return text.slice(0, start) + change(text.slice(start, end)) + text.slice(end);
}

/** The rules of each collection with its change, emitted together: each in a copy of the collection under a name of its own. */
async function emittedOf(realm: Realm, all: readonly Change[]): Promise<ReadonlyMap<Change, EmittedRules>> {
  const copies = all.map((change, at) => ({ ...changedCollection(realm, change), name: `mutant${at}` }));
  const databases = realm.databases.map((each) => ({
    ...each,
    collections: copies.filter(({ database }) => database === each.name),
  }));
  const emitted = await emittedRules(copies, compileRules({ ...realm, databases }));
  return new Map(
    all.flatMap((change, at) => {
      const own = emitted[at];
      return own === undefined ? [] : [[change, own] as const];
    }),
  );
}

function changedCollection(realm: Realm, { rule, text }: Change): Collection {
  const [name = "", place = ""] = rule.key.split(" ");
  const collection = realm.databases
    .flatMap(({ collections }) => collections)
    .find((each) => nameOf(each) === name);
  if (collection === undefined) throw new Error(`there is no collection ${name}`);
  const source: RuleSource = { ...rule.source, text };
  const operation = place.replace(/^rules\./, "");
  if (isRuleName(operation)) {
    const shared = Object.entries(collection.rules).filter(([, own]) => isSame(own, rule.source));
    const changed = Object.fromEntries([[operation, source], ...shared.map(([each]) => [each, source])]);
    return { ...collection, rules: { ...collection.rules, ...changed } };
  }
  const fieldRules = collection.fieldRules.map((each): FieldRules => {
    if (place === `fields.${each.path}.read`) return { ...each, read: source };
    return place === `fields.${each.path}.write` ? { ...each, write: source } : each;
  });
  return { ...collection, fieldRules };
}

/** Whether two stand at one place: under `write`. */
function isSame({ span: one }: RuleSource, { span: other }: RuleSource): boolean {
  return one.file === other.file && one.line === other.line && one.column === other.column;
}

function isRuleName(name: string): name is RuleName {
  return ["create", "read", "update", "delete", "restore", "purge"].includes(name);
}

function withRules(definition: RealmDefinition, { rule }: Change, emitted: EmittedRules): RealmDefinition {
  const [name] = rule.key.split(" ");
  const collections = definition.collections.map((each): CollectionDefinition => {
    if (nameOf(each) !== name) return each;
    const { fieldRules, ...others } = each;
    return {
      ...others,
      rules: emitted.rules,
      ...(emitted.fieldRules !== undefined && { fieldRules: emitted.fieldRules }),
    };
  });
  return { ...definition, collections };
}

/** Rules of functions and of organizations, which have no filter, by their form. */
function withoutDocuments(
  { realm }: TestedRealm,
  definition: RealmDefinition,
  { rule, text }: Change,
): RealmDefinition {
  const source: RuleSource = { ...rule.source, text };
  const own = realm.functions.map((fn) =>
    `${nameOf(fn)} invoke` === rule.key ? { ...fn, invoke: source } : fn,
  );
  const organizations = realm.organizations && { ...realm.organizations, create: source };
  const isCreate = rule.key === "organizations.create";
  const compiled = compileRules({
    ...realm,
    functions: own,
    ...(isCreate && organizations !== undefined && { organizations }),
  });
  if (isCreate) {
    const written = compiled.createOrganization?.written;
    const { accounts } = definition;
    if (written === undefined || accounts?.organizations === undefined) throw new Error("no organizations");
    const create = (context: Parameters<NonNullable<typeof accounts.organizations.create>>[0]) =>
      holds(written, { context, document: undefined, data: undefined });
    return { ...definition, accounts: { ...accounts, organizations: { ...accounts.organizations, create } } };
  }
  const functions = (definition.functions ?? []).map((fn): FunctionDefinition => {
    const written = compiled.functions.get(nameOf(fn))?.invoke?.written;
    if (fn.mode === "event" || written === undefined || `${nameOf(fn)} invoke` !== rule.key) return fn;
    return {
      ...fn,
      invoke: { check: (context, _document, data) => holds(written, { context, document: undefined, data }) },
    };
  });
  return { ...definition, functions };
}

/** The files that are about the rule's collection, and those of the realm. */
function testsAbout(tested: TestedRealm, { rule }: Change): TestedRealm {
  const [name] = rule.key.split(" ");
  const tests = (tested.tests ?? []).filter(
    ({ collection }) => collection === undefined || collection === name,
  );
  return { ...tested, tests };
}
