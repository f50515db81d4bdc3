/** `rules.ts` of a function: who may call it, and which documents it runs for, each with its own text above it. */
import { collectionOf, type Realm, type RealmFunction } from "../../compiler/model/model.ts";
import type { CompiledFunction, CompiledRule } from "../../compiler/rules/compiled.ts";
import { isKnown } from "../../compiler/rules/form/form.ts";
import { documentType, inputType } from "../../compiler/rules/language/model-types.ts";
import { checkPrinter } from "../../compiler/rules/print/check.ts";
import { helper, type Surroundings } from "../../compiler/rules/print/values.ts";
import { whenName } from "../../compiler/settings/function/triggers.ts";
import {
  type Code,
  code,
  declared,
  type EmittedFile,
  emitModule,
  importedType,
  join,
  lines,
  object,
  property,
} from "../print/code.ts";
import { functionPath, runtime } from "../server/names.ts";
import { byCaller, contextParameter, originComment, reads, ruleObject } from "../server/rules.ts";
import { documentTypeOf } from "../server/types.ts";

/** None where nothing is left to be asked. */
export function functionRulesModules(
  realm: Realm,
  fn: RealmFunction,
  compiled: CompiledFunction,
): readonly EmittedFile[] {
  const { invoke, whens } = compiled;
  const rules = [
    ...(invoke === undefined || invoke.facts.constant === false ? [] : [invokeRule(fn, invoke)]),
    ...whens.flatMap((rule, at) => whenRule(realm, fn, at, rule)),
  ];
  if (rules.length === 0) return [];
  const sources = [`${functionPath(fn)}/function.yaml`];
  return [emitModule({ path: `${functionPath(fn)}/rules.ts`, sources, body: lines(rules) })];
}

function invokeRule({ input }: RealmFunction, rule: CompiledRule): Code {
  const comment = originComment(rule);
  const { constant } = rule.facts;
  if (constant === true) return code`${comment}export const ${declared("invoke")} = ${helper("allowed")};\n`;
  const surroundings: Surroundings = {
    document: { kinds: [] },
    data: inputType(input?.fields ?? [], input?.open ?? []),
    documentMayBeAbsent: false,
  };
  if (isKnown(rule.form.condition))
    return code`${comment}export const ${declared("invoke")} = ${byCaller(rule, surroundings)};\n`;
  const data = code`${importedType("Seen", runtime)}<${importedType("Input", "./$types.ts")}>`;
  return code`${comment}export const ${declared("invoke")}: ${importedType("InvokeRule", runtime)}<${data}> = ${ruleObject(rule, surroundings)};\n`;
}

function whenRule(
  realm: Realm,
  { database, triggers }: RealmFunction,
  at: number,
  rule: CompiledRule | undefined,
): Code[] {
  const trigger = triggers[at];
  if (trigger === undefined) return [];
  const collection = collectionOf(realm, trigger.database, trigger.collection);
  if (rule === undefined || rule.facts.constant !== undefined || collection === undefined) return [];
  const folder =
    trigger.database === database
      ? `../../${trigger.collection}`
      : `../../../${trigger.database}/${trigger.collection}`;
  const seen = documentType(collection, realm.auth);
  const { condition } = rule.form;
  const check = checkPrinter(condition, {
    document: seen,
    previous: seen,
    data: seen,
    documentMayBeAbsent: false,
  });
  const parameters = [contextParameter(condition)];
  if (reads(condition, "document")) parameters.push(code`document`);
  else if (reads(condition, "previous")) parameters.push(code`_document`);
  if (reads(condition, "previous")) parameters.push(code`previous`);
  const type = code`${importedType("TriggerRule", runtime)}<${importedType("Seen", runtime)}<${documentTypeOf(collection, folder)}>>`;
  const body = object([property("check", code`(${join(parameters)}) => ${check(condition).code}`)]);
  return [code`${originComment(rule)}export const ${declared(whenName(at))}: ${type} = ${body};\n`];
}
