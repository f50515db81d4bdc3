/**
 * The `rules` stage: rule texts are parsed and type-checked by TypeScript, checked against the language, analysed into
 * the rule form, and judged: facts, and for rules that filter lists whether they can.
 */

import { createHash } from "node:crypto";
import { Recent } from "../../runtime/kept.ts";
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { lookAlikeIn } from "../diagnostics/look-alikes.ts";
import { declaredFields } from "../model/fields.ts";
import type { Collection, Realm, RuleName, RuleSource } from "../model/model.ts";
import type { CompiledRule, CompiledRules, RulesStage } from "./compiled.ts";
import { ruleFacts, ruleForm } from "./facts.ts";
import { type Condition, type Leaf, operands, type RuleForm, valuesIn } from "./form.ts";
import { membershipHelpers } from "./helpers.ts";
import { analyseRule } from "./language/analyse.ts";
import type { DeclaredRoles } from "./language/environment.ts";
import { start } from "./language/flow.ts";
import { parseRule } from "./language/parse.ts";
import { type Report, reporter, ruleSpan } from "./language/reporter.ts";
import type { RuleScope } from "./language/scopes.ts";
import { checkFilter, lower, withEnds } from "./lower.ts";
import { absentNegation, certain, isOfUsers } from "./partial.ts";
import { configuredType, dataType, documentType, openObject, userType, type ValueType } from "./types.ts";

/** Compiles every rule of a realm. Rules with errors are left out of the result. */
export function compileRules(realm: Realm): RulesStage {
  if (!realm.auth) return { collections: new Map(), diagnostics: [] };
  const collections = realm.databases.flatMap((database) => database.collections);
  const types: RealmTypes = {
    user: userOf(realm),
    appConfig: realm.unknown?.includes("app_config") ? openObject : configuredType(realm.appConfig),
    collections: [
      ...collections.map((collection) => ({
        document: documentType(collection, realm.auth),
        data: dataType(collection),
      })),
      noDocuments,
    ],
  };
  const tasks = [...collections.flatMap(collectionTasks), ...realmTasks(realm, collections.length)];
  const outcomes = compileTasks(tasks, types, declaredRoles(realm));
  const compiled = outcomes.map(({ rule }) => rule);
  const diagnostics = outcomes.flatMap((outcome) => outcome.diagnostics);
  const createOrganization = compiled[tasks.findIndex(({ scope }) => scope === createOrganizationScope)];
  return {
    ...(createOrganization === undefined ? {} : { createOrganization }),
    collections: new Map(
      collections.map((collection, number) => {
        const byPlace = new Map(
          tasks.flatMap((task, at) => (task.collection === number ? [[task.place, compiled[at]]] : [])),
        );
        return [`${collection.database}/${collection.name}`, collectionRules(collection, byPlace)];
      }),
    ),
    diagnostics: distinct(diagnostics),
  };
}

function userOf({ profile }: Realm): ValueType {
  if (profile === undefined) return userType([], []);
  const { fields, open } = declaredFields(profile);
  return userType(fields, open);
}

function declaredRoles({ roles, organizations, unknown = [] }: Realm): DeclaredRoles {
  const nameOf = ({ name }: { readonly name: string }) => name;
  return {
    realm: unknown.includes("roles") ? "any" : roles.map(nameOf),
    organization: unknown.includes("organizations.roles") ? "any" : organizations?.roles.map(nameOf),
    team: unknown.includes("organizations.team_roles") ? "any" : organizations?.teamRoles.map(nameOf),
  };
}

function collectionRules(
  collection: Collection,
  byPlace: ReadonlyMap<string, CompiledRule | undefined>,
): CompiledRules {
  return {
    rules: given(Object.fromEntries(names.map((name) => [name, byPlace.get(name)]))),
    fieldRules: collection.fieldRules.map(({ path }) => ({
      path,
      ...given({ read: byPlace.get(`fields.${path}.read`), write: byPlace.get(`fields.${path}.write`) }),
    })),
  };
}

/** Without the members that are undefined. */
function given<T>(members: Readonly<Record<string, T | undefined>>): Readonly<Record<string, T>> {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
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

/** What the rules of a realm see, by the places of their collections. */
interface RealmTypes {
  readonly user: ValueType;
  readonly appConfig: ValueType;
  readonly collections: readonly { readonly document: ValueType; readonly data: ValueType }[];
}

interface Task {
  /** Number of the collection; of rules of the realm, one past the last. */
  readonly collection: number;
  /** Key of the rule in the collection: `read`, `fields.salary.write`. */
  readonly place: string;
  readonly source: RuleSource;
  readonly scope: RuleScope;
  readonly origin: string;
}

const names: readonly RuleName[] = ["create", "read", "update", "delete", "restore", "purge"];

function collectionTasks(collection: Collection, number: number): readonly Task[] {
  const task = (
    place: string,
    key: string,
    source: RuleSource | undefined,
    scope: RuleScope,
  ): readonly Task[] => taskOf(number, place, key, source, scope);
  return [
    ...names.flatMap((name) => {
      const source = collection.rules[name];
      return task(name, `rules.${source?.key ?? name}`, source, ruleScope(name, source?.key === "write"));
    }),
    ...collection.fieldRules.flatMap(({ path, read, write }) => [
      ...task(`fields.${path}.read`, `fields.${path}.read`, read, fieldReadScope),
      ...task(`fields.${path}.write`, `fields.${path}.write`, write, fieldWriteScope),
    ]),
  ];
}

/** The rules of realm.yaml, which see no document. */
function realmTasks({ organizations }: Realm, number: number): readonly Task[] {
  const key = "organizations.create";
  return taskOf(number, key, key, organizations?.create, createOrganizationScope);
}

function taskOf(
  collection: number,
  place: string,
  key: string,
  source: RuleSource | undefined,
  scope: RuleScope,
): readonly Task[] {
  if (source === undefined) return [];
  const origin = `${source.span.file} ${key}`;
  return [{ collection, place, source, scope, origin }];
}

/** What became of a task; without a rule where the diagnostics have errors. */
interface Outcome {
  readonly rule: CompiledRule | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** What this process compiled, by everything that bears on it. For `realmc dev`, where most rules stay as they are. */
const known = new Recent<string, Outcome>(10_000);

/** The outcomes of the tasks, in their order. */
function compileTasks(tasks: readonly Task[], types: RealmTypes, roles: DeclaredRoles): readonly Outcome[] {
  const common = textHash(JSON.stringify([types.user, types.appConfig, roles]));
  const own = types.collections.map((each) => textHash(JSON.stringify(each)));
  const keys = tasks.map(({ collection, ...task }) => JSON.stringify([common, own[collection], task]));
  return tasks.map((task, at) => {
    const key = keys[at] ?? "";
    const outcome = known.get(key) ?? compileTask(task, types, roles);
    known.set(key, outcome);
    return outcome;
  });
}

function textHash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function ruleScope(name: RuleName, underWrite: boolean): RuleScope {
  return {
    name,
    document: name !== "create",
    data: name === "create" || name === "update",
    documentMayBeAbsent: false,
    underWrite,
    filtered: name === "read" || name === "restore",
  };
}

const fieldReadScope: RuleScope = {
  name: "field read",
  document: true,
  data: false,
  documentMayBeAbsent: false,
  underWrite: false,
  filtered: false,
};
const fieldWriteScope: RuleScope = {
  name: "field write",
  document: true,
  data: true,
  documentMayBeAbsent: true,
  underWrite: false,
  filtered: false,
};

const createOrganizationScope: RuleScope = {
  name: "realm",
  document: false,
  data: false,
  documentMayBeAbsent: false,
  underWrite: false,
  filtered: false,
};
/** What rules of the realm see of documents. */
const noDocuments = { document: { kinds: [] }, data: { kinds: [] } } as const;

function compileTask(
  { collection, source, scope, origin }: Task,
  types: RealmTypes,
  roles: DeclaredRoles,
): Outcome {
  const { report, diagnostics: found } = reporter(source);
  const condition = analysed(source.text);
  const form = condition && found.length === 0 ? formOf(condition, scope, report) : undefined;
  if (form !== undefined && found.length === 0) warn(form, report);
  const isSound = form !== undefined && found.every(({ severity }) => severity !== "error");
  const strange = isSound ? undefined : lookAlikeIn(outsideOfTexts(source.text));
  if (strange !== undefined) {
    const problem = `${strange.words} stands here`;
    const span = ruleSpan(source, { start: strange.at, end: strange.at + 1 });
    return { rule: undefined, diagnostics: [diagnose("rule-syntax", span, { problem })] };
  }
  return {
    rule:
      isSound && condition !== undefined
        ? { text: source.text, origin, written: condition, form, facts: ruleFacts(form) }
        : undefined,
    diagnostics: found,
  };

  function analysed(text: string): Condition | undefined {
    const rule = parseRule(text);
    if (rule.kind === "too-large") {
      report("rule-too-large", { start: 0, end: text.length }, { problem: rule.problem });
      return undefined;
    }
    if (rule.kind === "broken") {
      report("rule-syntax", rule.at, { problem: rule.problem }, rule.hint);
      return undefined;
    }
    const own = types.collections[collection];
    if (own === undefined) return undefined;
    const all = { user: types.user, appConfig: types.appConfig, ...own };
    const environment = { scope, types: all, roles, flow: start, at: rule.at, report };
    return analyseRule(text, rule.expression, environment);
  }
}

/** With blanks for what stands in quotes, so that places stay. */
function outsideOfTexts(rule: string): string {
  return rule.replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, (text) => " ".repeat(text.length));
}

function formOf(condition: Condition, scope: RuleScope, report: Report): RuleForm {
  if (scope === fieldReadScope) {
    const form = ruleForm(condition);
    return { ...form, certain: certain(form.condition) };
  }
  if (!scope.filtered) return ruleForm(condition);
  const form = ruleForm(withEnds(condition));
  const filter = lower(form.condition);
  checkFilter(filter, scope.name, report);
  return { ...form, filter };
}

function warn({ condition }: RuleForm, report: Report): void {
  const leaf = absentNegation(condition);
  if (leaf !== undefined) report("rule-absent-negation", leaf.at, { value: absentValue(leaf) });
}

/** What is absent in the comparison, as written in rules. */
function absentValue(leaf: Leaf): string {
  if (leaf.kind === "membership") return membershipHelpers[leaf.helper].of.replace(/^an?/, "every");
  const values = operands(leaf).flatMap((operand) => [...valuesIn(operand)]);
  const absent = values.find(isOfUsers);
  if (absent?.kind === "claim") return ["orgClaims(…)", ...absent.path].join(".");
  return absent?.kind === "read" ? [absent.root, ...absent.path].join(".") : "every role";
}
