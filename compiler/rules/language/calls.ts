/** Calls: helpers, and the methods of texts and lists. */
import { ts } from "@ts-morph/common";
import { didYouMean } from "../../../runtime/suggest.ts";
import { isOpen } from "../form/claims.ts";
import type { Value } from "../form/form.ts";
import { describe, textType } from "../form/types.ts";
import { typeOf } from "../form/values.ts";
import type { Helper } from "../helpers/index.ts";
import type { Environment } from "./environment.ts";
import { membership, textMatch } from "./inclusion.ts";
import { hasMember, isTextMethod, textMethods, words } from "./members.ts";
import { helperNamed, isValueName, reportName } from "./names.ts";
import { kindsOf, possibleOf } from "./possible.ts";

/** Analyses an expression. */
type Analyse = (node: ts.Expression, environment: Environment) => Value | undefined;

export function callOf(
  node: ts.CallExpression,
  environment: Environment,
  analyse: Analyse,
): Value | undefined {
  const { at, report } = environment;
  const { questionDotToken, typeArguments = [] } = node;
  if (questionDotToken !== undefined) {
    report("rule-construct", at(questionDotToken), { construct: "an optional call" });
  }
  for (const type of typeArguments) report("rule-construct", at(type), { construct: "a type argument" });
  const make = questionDotToken === undefined ? calleeOf(node, environment, analyse) : undefined;
  const values = node.arguments.map((argument) => analyse(argument, environment));
  if (make === undefined || typeArguments.length > 0 || !values.every((value) => value !== undefined))
    return undefined;
  return make(values);
}

/** From the arguments to the value of the call; undefined where something was reported. */
type Make = (values: readonly Value[]) => Value | undefined;

function calleeOf(node: ts.CallExpression, environment: Environment, analyse: Analyse): Make | undefined {
  const { expression: callee } = node;
  return ts.isPropertyAccessExpression(callee)
    ? methodOf(node, callee, environment, analyse)
    : helperOf(node, callee, environment);
}

function helperOf(
  node: ts.CallExpression,
  callee: ts.Expression,
  environment: Environment,
): Make | undefined {
  const { at, report } = environment;
  if (!ts.isIdentifier(callee)) {
    const construct = callee.kind === ts.SyntaxKind.ImportKeyword ? "import" : "a call of an expression";
    report("rule-construct", at(callee), { construct });
    return undefined;
  }
  const name = callee.text;
  if (isValueName(name)) {
    const hint = `write ${name} without parentheses`;
    report("rule-construct", at(callee), { construct: `a call of ${name}` }, hint);
    return undefined;
  }
  const helper = helperNamed(name, environment);
  if (helper === undefined) {
    reportName(callee, environment);
    return undefined;
  }
  if (!isCounted(node, callee, helper, environment)) return undefined;
  return (values) => {
    const fitting = helper.texts ? values.filter((value) => fits(value, ["string"], environment)) : values;
    if (fitting.length < values.length) return undefined;
    return helper.analyse({ values, node }, environment);
  };
}

function methodOf(
  node: ts.CallExpression,
  callee: ts.PropertyAccessExpression,
  environment: Environment,
  analyse: Analyse,
): Make | undefined {
  const { at, report } = environment;
  const { expression: owner } = callee;
  const receiver = analyse(owner, environment);
  const name = callee.name.text;
  const where = at(callee.name);
  if (!isTextMethod(name)) {
    // Of a value that nobody knows it does not matter what is called.
    if (ts.isIdentifier(owner) && !isValueName(owner.text)) return undefined;
    const hint = didYouMean(name, textMethods) ?? "methods are includes, startsWith and endsWith";
    report("rule-construct", where, { construct: `the method ${name}` }, hint);
    return undefined;
  }
  if (receiver === undefined) return undefined;
  const type = typeOf(receiver);
  const isKnown = hasMember({ owner, name, where }, receiver, environment);
  if (Object.hasOwn(type.members ?? {}, name)) {
    report("rule-type", where, { problem: "this expression is not callable" });
    return undefined;
  }
  if (isKnown && !isCounted(node, callee.name, { takes: 1 }, environment)) return undefined;
  return ([part]) => {
    if (part === undefined || (isKnown && !fits(part, wantedBy(receiver), environment))) return undefined;
    const condition =
      name === "includes" && isList(receiver)
        ? membership(receiver, part, at(node), environment)
        : textMatch(name === "includes" ? "contains" : name, receiver, part, at(node), environment);
    return isKnown ? condition && { kind: "condition", of: condition, at: at(node) } : undefined;
  };
}

function isCounted(
  { arguments: given }: ts.CallExpression,
  callee: ts.Node,
  { takes, more }: Pick<Helper, "takes" | "more">,
  { at, report }: Environment,
): boolean {
  const [surplus, last] = [more ? undefined : given[takes], given.at(-1)];
  if (given.length >= takes && surplus === undefined) return true;
  const place =
    surplus === undefined || last === undefined
      ? at(callee)
      : { start: at(surplus).start, end: at(last).end };
  report("rule-type", place, {
    problem: `expected ${more ? "at least " : ""}${takes} arguments, but got ${given.length}`,
  });
  return false;
}

/** What a method takes, in the words of {@link kindsOf}; nothing where that is looked at more closely. */
function wantedBy(receiver: Value): readonly string[] {
  const { kinds, elements, open } = typeOf(receiver);
  if (open || isOpen(receiver) || (elements !== undefined && kinds.length > 0)) return [];
  const can = possibleOf(elements === undefined ? textType : { kinds: elements });
  return can === undefined ? [] : kindsOf(can);
}

/** Whether an argument is of the kinds that are wanted, as far as kinds tell. */
function fits(value: Value, wanted: readonly string[], { report }: Environment): boolean {
  const type = typeOf(value);
  const isUntyped = type.kinds.length === 0 && type.elements === undefined;
  if (wanted.length === 0 || isOpen(value) || isUntyped) return true;
  const can = possibleOf({ kinds: type.kinds.filter((kind) => kind !== "object") });
  const kinds = can === undefined ? [] : kindsOf(can);
  if (type.elements === undefined && kinds.length > 0 && kinds.every((kind) => wanted.includes(kind)))
    return true;
  const given = possibleOf(type) === undefined ? describe(type) : words(kinds);
  report("rule-type", value.at, { problem: `${given} is given where ${words(wanted)} is wanted` });
  return false;
}

/** Claims have elements, unless they stand for a text. */
function isList(value: Value): boolean {
  const { kinds, elements } = typeOf(value);
  return elements !== undefined || (isOpen(value) && kinds.length === 0);
}
