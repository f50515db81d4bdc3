/** `rules.ts`: the access rules of a collection, or of a realm, each with its own text above it. */

import { type Collection, type Realm, type RuleName, ruleNames } from "../../compiler/model/model.ts";
import type { CompiledRule, CompiledRules, RulePlace, RulesStage } from "../../compiler/rules/compiled.ts";
import {
  asksMemberships,
  type Condition,
  isKnown,
  leavesIn,
  type Root,
  valuesIn,
} from "../../compiler/rules/form/form.ts";
import { dataType, documentType } from "../../compiler/rules/language/model-types.ts";
import { printBasis } from "../../compiler/rules/print/basis.ts";
import { checkPrinter } from "../../compiler/rules/print/check.ts";
import { printFilter } from "../../compiler/rules/print/filter.ts";
import { helper, type Surroundings } from "../../compiler/rules/print/values.ts";
import {
  array,
  type Code,
  code,
  declared,
  docComment,
  type EmittedFile,
  emitModule,
  importedType,
  join,
  lines,
  nothing,
  object,
  property,
  when,
} from "../print/code.ts";
import { collectionPath, runtime } from "./names.ts";
import { dataTypeOf, documentTypeOf } from "./types.ts";

/** Exports `rules` and, where the collection has field-level rules, `fieldRules`. */
export function rulesModule(collection: Collection, compiled: CompiledRules): EmittedFile {
  const seen = { document: documentType(collection, true), data: dataType(collection) };
  const groups = ruleGroups(compiled);
  return emitModule({
    path: `${collectionPath(collection)}/rules.ts`,
    sources: sourcesOf(collection),
    body: lines([
      seenTypes(collection),
      ...groups
        .filter(({ rule }) => rule.facts.constant === undefined)
        .map((group) => ruleDeclaration(group, seen)),
      rulesObject(groups),
      ...(collection.fieldRules.length === 0 ? [] : [fieldRulesArray(compiled, seen)]),
    ]),
  });
}

/** What the module has of one rule, alone; nothing of one that it leaves out, being the same for all. */
export function ruleCode(collection: Collection, compiled: CompiledRules, place: RulePlace): Code {
  const seen = { document: documentType(collection, true), data: dataType(collection) };
  if (typeof place !== "string") {
    const rule = compiled.fieldRules.find(({ path }) => path === place.field)?.[place.of];
    return join(fieldRule(place.of, rule, seen).map((member) => code`const fieldRule = { ${member} };`));
  }
  const group = ruleGroups(compiled).find(({ operations: of }) => of.includes(place));
  if (group === undefined || group.rule.facts.constant === false) return nothing;
  return group.rule.facts.constant === true
    ? code`${originComment(group.rule)}const ${declared(group.name)} = ${helper("allowed")};`
    : ruleDeclaration(group, seen);
}

/** Exports `createOrganization`: who may create one. None where that is everybody or nobody. */
export function realmRulesModules(
  realm: Realm,
  { createOrganization: rule }: RulesStage,
): readonly EmittedFile[] {
  return rule === undefined || rule.facts.constant !== undefined ? [] : [realmRulesModule(realm, rule)];
}

function realmRulesModule(realm: Realm, rule: CompiledRule): EmittedFile {
  const { condition } = rule.form;
  const none = { kinds: [] };
  const check = checkPrinter(condition, { document: none, data: none, documentMayBeAbsent: false });
  return emitModule({
    path: `${realm.name}/rules.ts`,
    sources: [`${realm.name}/realm.yaml`],
    body: code`${originComment(rule)}export const createOrganization = (${contextParameter(condition)}: ${importedType("RuleContext", runtime)}): boolean => ${check(condition).code};`,
  });
}

export function allRules({ rules, fieldRules }: CompiledRules): readonly CompiledRule[] {
  const ofFields = fieldRules.flatMap(({ read, write }) => [read, write]);
  return [...Object.values(rules), ...ofFields].filter((rule) => rule !== undefined);
}

/** The files that rules stand in. */
function sourcesOf({ rules, fieldRules, sources }: Collection): readonly string[] {
  const all = [...Object.values(rules), ...fieldRules.flatMap(({ read, write }) => [read, write])];
  const files = new Set(all.flatMap((rule) => (rule === undefined ? [] : [rule.span.file])));
  return files.size === 0 ? sources : [...files].sort();
}

/** What rules see of documents and of what is written. */
type SeenTypes = Pick<Surroundings, "document" | "data">;

function seenTypes(collection: Collection): Code {
  const seen = importedType("Seen", runtime);
  return lines([
    code`type ${declared("Document")} = ${seen}<${documentTypeOf(collection)}>;`,
    code`type ${declared("Data")} = ${seen}<${dataTypeOf(collection)}>;\n`,
  ]);
}

/** One rule text and the operations that it decides: under `write` several. */
interface RuleGroup {
  readonly name: string;
  readonly operations: readonly RuleName[];
  readonly rule: CompiledRule;
}

function ruleGroups({ rules }: CompiledRules): readonly RuleGroup[] {
  const groups = new Map<string, { operations: RuleName[]; rule: CompiledRule }>();
  for (const operation of ruleNames) {
    const rule = rules[operation];
    if (rule === undefined) continue;
    const known = groups.get(rule.origin);
    if (known === undefined) groups.set(rule.origin, { operations: [operation], rule });
    else known.operations.push(operation);
  }
  return [...groups.values()].map(({ operations: of, rule }) => {
    const [only = "read"] = of;
    return { name: of.length > 1 ? "write" : only === "delete" ? "remove" : only, operations: of, rule };
  });
}

function ruleDeclaration({ name, rule }: RuleGroup, seen: SeenTypes): Code {
  const surroundings = { ...seen, documentMayBeAbsent: false };
  if (isKnown(rule.form.condition))
    return code`${originComment(rule)}const ${declared(name)} = ${byCaller(rule, surroundings)};\n`;
  return code`${originComment(rule)}const ${declared(name)}: ${ruleType(rule)} = ${ruleObject(rule, surroundings)};\n`;
}

/** The rule's text and where it stands, on lines of their own where they are long. */
export function originComment({ text, origin }: CompiledRule): Code {
  const rule = `\`${text.trim().replace(/\s+/g, " ")}\``;
  return docComment(rule.length + origin.length > 90 ? `${rule}\n${origin}` : `${rule}: ${origin}`);
}

export function byCaller({ form, facts }: CompiledRule, surroundings: Surroundings): Code {
  const { condition, possible } = form;
  const functions = [callerFunction(condition, surroundings)];
  if (facts.memberships) functions.push(callerFunction(possible, surroundings));
  return code`${helper("byCaller")}(${join(functions)})`;
}

export function callerFunction(condition: Condition, surroundings: Surroundings): Code {
  return code`(${ownContext(condition)}) => ${checkPrinter(condition, surroundings)(condition).code}`;
}

function ruleType({ form }: CompiledRule): Code {
  return form.filter === undefined
    ? code`${importedType("WriteRule", runtime)}<${declared("Document")}, ${declared("Data")}>`
    : code`${importedType("ReadRule", runtime)}<${declared("Document")}>`;
}

export function ruleObject({ form, facts }: CompiledRule, surroundings: Surroundings): Code {
  const { condition, possible, filter, certain } = form;
  const parameters = [contextParameter(condition)];
  if (reads(condition, "document")) parameters.push(code`document`);
  else if (reads(condition, "data")) parameters.push(code`_document`);
  if (reads(condition, "data")) parameters.push(code`data`);
  const functions = [
    property(
      "check",
      code`(${join(parameters)}) => ${checkPrinter(condition, surroundings)(condition).code}`,
    ),
  ];
  if (filter !== undefined) {
    functions.unshift(
      // The filter of a caller who is in no organization may be FALSE, and says nothing of whether the rule is possible.
      when(facts.memberships, () => property("possible", callerFunction(possible, surroundings))),
      property("filter", code`(${ownContext(filter)}) => ${printFilter(filter, surroundings)}`),
    );
  } else if (certain !== undefined) {
    functions.unshift(
      ofCaller("certain", certain, surroundings),
      property("basis", code`(${ownContext(condition)}) => ${printBasis(condition, surroundings)}`),
    );
  } else functions.unshift(ofCaller("possible", possible, surroundings));
  return object(functions);
}

/** What only the caller decides; left out where it is decided already. */
function ofCaller(name: string, condition: Condition, surroundings: Surroundings): Code {
  return when(condition.kind !== "constant", () => property(name, callerFunction(condition, surroundings)));
}

/** The parts of the context that a function uses; parameters follow, so there is always something. */
export function contextParameter(condition: Condition): Code {
  const names = contextNames(condition);
  return names.length === 0 ? code`_context` : code`{ ${join(names)} }`;
}

export function ownContext(condition: Condition): Code {
  return contextNames(condition).length === 0 ? nothing : contextParameter(condition);
}

function contextNames(condition: Condition): readonly Code[] {
  const values = [...valuesIn(condition)];
  const usesUser =
    reads(condition, "user") || [...leavesIn(condition)].some(({ kind }) => kind === "hasRole");
  const usesNow = values.some(({ kind }) => kind === "now" || kind === "moment");
  return [
    ...(usesUser ? [code`user`] : []),
    ...(asksMemberships(condition) ? [code`memberships`] : []),
    ...(usesNow ? [code`now`] : []),
    ...(reads(condition, "appConfig") ? [code`appConfig`] : []),
  ];
}

export function reads(condition: Condition, root: Root): boolean {
  return [...valuesIn(condition)].some((value) => value.kind === "read" && value.root === root);
}

/** Rules that allow nobody are left out, as if they were not declared. */
function rulesObject(groups: readonly RuleGroup[]): Code {
  const members = groups.flatMap(({ name, operations: of, rule }) => {
    const { constant } = rule.facts;
    if (constant === false) return [];
    const value = constant === true ? helper("allowed") : declared(name);
    return of.map(
      (operation) => code`${constant === true ? originComment(rule) : nothing}${property(operation, value)}`,
    );
  });
  return code`export const rules = ${object(members)} satisfies ${importedType("Rules", runtime)}<${declared("Document")}, ${declared("Data")}>;\n`;
}

/** A rule that allows everybody is left out: it is what a field has by default. */
function fieldRulesArray({ fieldRules }: CompiledRules, seen: SeenTypes): Code {
  const entries = fieldRules.flatMap(({ path, read, write }) => {
    const members = [...fieldRule("read", read, seen), ...fieldRule("write", write, seen)];
    return members.length === 0 ? [] : [object([property("path", path.split(".")), ...members])];
  });
  return code`export const fieldRules: readonly ${importedType("FieldRule", runtime)}<${declared("Document")}, ${declared("Data")}>[] = ${array(entries)};\n`;
}

function fieldRule(name: "read" | "write", rule: CompiledRule | undefined, seen: SeenTypes): readonly Code[] {
  if (rule === undefined || rule.facts.constant === true) return [];
  return [
    code`${originComment(rule)}${property(name, fieldRuleValue(rule, { ...seen, documentMayBeAbsent: name === "write" }))}`,
  ];
}

function fieldRuleValue(rule: CompiledRule, surroundings: Surroundings): Code {
  if (rule.facts.constant === false) return helper("denied");
  if (isKnown(rule.form.condition)) return byCaller(rule, surroundings);
  return ruleObject(rule, surroundings);
}
