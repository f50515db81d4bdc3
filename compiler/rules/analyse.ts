/** From the syntax tree to the rule form: every operand typed, what the language refuses reported at its place. */
import { ts } from "ts-morph";
import type { Scalar } from "../../runtime/filter/algebra.ts";
import { isOpen, usedAs } from "./claims.ts";
import { comparison, membership, textMatch } from "./comparisons.ts";
import type { Environment } from "./environment.ts";
import type { At, Claim, Condition, Read, Value } from "./form.ts";
import { claimsOf, held } from "./held.ts";
import { textMethods } from "./subset.ts";
import {
  booleanType,
  describe,
  numberType,
  openType,
  scalarType,
  textType,
  type ValueType,
} from "./types.ts";
import { typeOf } from "./values.ts";

/** The rule as a condition; undefined where something in it was reported, here or by an earlier pass. */
export function analyseRule(expression: ts.Expression, environment: Environment): Condition | undefined {
  return conditionOf(expression, "a rule", environment);
}

/** An expression that must be boolean; `part` is what it is in messages. */
function conditionOf(node: ts.Expression, part: string, environment: Environment): Condition | undefined {
  const value = analyseValue(node, environment);
  return value === undefined ? undefined : asCondition(value, part, environment);
}

function asCondition(value: Value, part: string, environment: Environment): Condition | undefined {
  const { at } = value;
  if (value.kind === "condition") return value.of;
  if (value.kind === "literal" && typeof value.value === "boolean")
    return { kind: "constant", holds: value.value, at };
  if (value.kind === "pick") {
    const yes = asCondition(value.yes, part, environment);
    const no = asCondition(value.no, part, environment);
    return yes && no && { kind: "choice", when: value.when, yes, no, at };
  }
  const type = typeOf(value);
  if (type.kinds.length === 1 && type.kinds[0] === "boolean" && type.elements === undefined)
    return { kind: "truth", of: value, at };
  if (isOpen(value)) return { kind: "truth", of: usedAs(value, booleanType), at };
  const what = value.kind === "null" ? "null" : describe(type);
  environment.report("rule-not-boolean", at, { part, type: what }, booleanHint(value, type));
  return undefined;
}

function booleanHint(value: Value, type: ValueType): string | undefined {
  if (value.kind === "read" && value.root === "user" && value.path.length === 0)
    return "write user != null for signed-in callers";
  if (type.elements !== undefined) return "compare its length, or use .includes(x)";
  return value.kind === "read" || value.kind === "claim"
    ? "say what it is compared with, for example != null"
    : undefined;
}

/** Any expression; undefined where something in it was reported. */
export function analyseValue(node: ts.Expression, environment: Environment): Value | undefined {
  const at = environment.at(node);
  if (ts.isParenthesizedExpression(node)) return analyseValue(node.expression, environment);
  if (node.kind === ts.SyntaxKind.NullKeyword) return { kind: "null", at };
  const literal = literalOf(node);
  if (literal !== undefined) return { kind: "literal", value: literal, type: literalType(literal), at };
  if (ts.isArrayLiteralExpression(node)) return listOf(node, environment);
  if (ts.isIdentifier(node)) return nameOf(node, environment);
  if (ts.isPropertyAccessExpression(node))
    return memberOf(node.expression, node.name.text, node, environment);
  if (ts.isElementAccessExpression(node) && ts.isStringLiteral(node.argumentExpression)) {
    return memberOf(node.expression, node.argumentExpression.text, node, environment);
  }
  if (ts.isCallExpression(node)) return callOf(node, environment);
  if (ts.isConditionalExpression(node)) return pickOf(node, environment);
  const condition = operationOf(node, environment);
  return condition && { kind: "condition", of: condition, at };
}

function literalOf(node: ts.Expression): Scalar | undefined {
  if (ts.isStringLiteral(node)) return node.text;
  if (ts.isNumericLiteral(node)) return Number(node.text);
  if (node.kind === ts.SyntaxKind.TrueKeyword) return true;
  if (node.kind === ts.SyntaxKind.FalseKeyword) return false;
  const negative = ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.MinusToken;
  return negative && ts.isNumericLiteral(node.operand) ? -Number(node.operand.text) : undefined;
}

function literalType(value: Scalar): ValueType {
  return typeof value === "string" ? textType : typeof value === "number" ? numberType : booleanType;
}

function listOf(node: ts.ArrayLiteralExpression, { at }: Environment): Value | undefined {
  const items = node.elements.map(literalOf);
  if (!items.every((item) => item !== undefined)) return undefined;
  const elements = [...new Set(items.flatMap((item) => literalType(item).kinds))];
  return { kind: "list", items, places: node.elements.map(at), type: { kinds: [], elements }, at: at(node) };
}

function nameOf(node: ts.Identifier, { scope, types, at }: Environment): Value | undefined {
  const root = node.text;
  if (root === "now") return { kind: "now", at: at(node) };
  if (root !== "document" && root !== "data" && root !== "user" && root !== "appConfig") return undefined;
  if ((root === "document" || root === "data") && !scope[root]) return undefined;
  return { kind: "read", root, path: [], type: types[root], at: at(node) };
}

function memberOf(
  owner: ts.Expression,
  name: string,
  node: ts.Expression,
  environment: Environment,
): Value | undefined {
  const value = analyseValue(owner, environment);
  if (value === undefined) return undefined;
  const at = environment.at(node);
  const type = typeOf(value);
  const isMethod = textMethods.some((method) => method === name);
  if (value.kind === "claim" && !isMethod) return memberOfOpen(value, name, at);
  if (value.kind === "read" && type.members !== undefined && Object.hasOwn(type.members, name)) {
    const member = type.members[name];
    return member && { kind: "read", root: value.root, path: [...value.path, name], type: member, at };
  }
  if (value.kind === "read" && type.open && !isMethod) return memberOfOpen(value, name, at);
  if (name === "length" && hasLength(type)) return { kind: "length", of: value, at };
  const where = { start: at.end - name.length, end: at.end };
  if (isMethod) {
    const { report } = environment;
    report("rule-construct", where, { construct: `${name} without a call` }, `write .${name}('…')`);
    return undefined;
  }
  if (value.kind === "pick" || value.kind === "condition") {
    environment.report(
      "rule-construct",
      where,
      { construct: "a member of an operation" },
      "choose between members instead",
    );
  } else {
    environment.report("rule-unknown-field", where, { name, owner: describe(type) });
  }
  return undefined;
}

/** The claims are an object, as documents are; whatever stands in it may be a text or a list. */
function memberOfOpen(of: Value & (Claim | Read), name: string, at: At): Value {
  if (name !== "length" || of.path.length === 0)
    return { ...of, path: [...of.path, name], type: openType, at };
  const measured = usedAs(of, { kinds: ["text"], elements: scalarType.kinds });
  return { kind: "length", of: measured, at };
}

function hasLength({ kinds, elements }: ValueType): boolean {
  return elements === undefined
    ? kinds.length > 0 && kinds.every((kind) => kind === "text")
    : kinds.length === 0;
}

function pickOf(node: ts.ConditionalExpression, environment: Environment): Value | undefined {
  const when = conditionOf(node.condition, "the condition of ?:", environment);
  const yes = analyseValue(node.whenTrue, environment);
  const no = analyseValue(node.whenFalse, environment);
  return when && yes && no && { kind: "pick", when, yes, no, at: environment.at(node) };
}

function operationOf(node: ts.Expression, environment: Environment): Condition | undefined {
  const at = environment.at(node);
  if (ts.isPrefixUnaryExpression(node)) {
    const of = conditionOf(node.operand, "the operand of !", environment);
    return of && { kind: "not", of, at };
  }
  if (!ts.isBinaryExpression(node)) return undefined;
  const { left, right, operatorToken } = node;
  switch (operatorToken.kind) {
    case ts.SyntaxKind.AmpersandAmpersandToken:
      return combination("and", "an operand of &&", node, environment);
    case ts.SyntaxKind.BarBarToken:
      return combination("or", "an operand of ||", node, environment);
    default: {
      const a = analyseValue(left, environment);
      const b = analyseValue(right, environment);
      return a && b && comparison(operatorToken.getText(), a, b, at, environment);
    }
  }
}

/** `a && b && c` as one conjunction: both sides are looked at, whatever is wrong with one. */
function combination(
  kind: "and" | "or",
  part: string,
  node: ts.BinaryExpression,
  environment: Environment,
): Condition | undefined {
  const terms: ts.Expression[] = [];
  let rest: ts.Expression = node;
  while (ts.isBinaryExpression(rest) && rest.operatorToken.kind === node.operatorToken.kind) {
    terms.unshift(rest.right);
    rest = rest.left;
  }
  const of = [rest, ...terms].map((term) => conditionOf(term, part, environment));
  return of.every((term) => term !== undefined) ? { kind, of, at: environment.at(node) } : undefined;
}

function callOf(node: ts.CallExpression, environment: Environment): Value | undefined {
  const at = environment.at(node);
  const { expression: callee } = node;
  if (ts.isIdentifier(callee)) {
    if (callee.text === "ago" || callee.text === "ahead") return momentOf(callee.text, node, environment);
    const values = node.arguments.map((argument) => analyseValue(argument, environment));
    if (!values.every((value) => value !== undefined)) return undefined;
    if (callee.text === "orgClaims") return claimsOf(values, at, environment);
    return asValue(held(callee.text, values, at, environment), at);
  }
  const [argument] = node.arguments;
  if (!ts.isPropertyAccessExpression(callee) || argument === undefined || node.arguments.length > 1)
    return undefined;
  const receiver = analyseValue(callee.expression, environment);
  const part = analyseValue(argument, environment);
  if (receiver === undefined || part === undefined) return undefined;
  const method = callee.name.text;
  if (method === "includes" && isList(receiver)) {
    return asValue(membership(receiver, part, at, environment), at);
  }
  if (method !== "includes" && method !== "startsWith" && method !== "endsWith") return undefined;
  return asValue(textMatch(method === "includes" ? "contains" : method, receiver, part, at, environment), at);
}

/** Claims have elements, unless they stand for a text. */
function isList(value: Value): boolean {
  const { kinds, elements } = typeOf(value);
  return elements !== undefined || (isOpen(value) && kinds.length === 0);
}

function asValue(condition: Condition | undefined, at: At): Value | undefined {
  return condition && { kind: "condition", of: condition, at };
}

const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function momentOf(
  helper: "ago" | "ahead",
  node: ts.CallExpression,
  { at, report }: Environment,
): Value | undefined {
  const [argument] = node.arguments;
  if (argument === undefined) return undefined;
  const written = ts.isStringLiteral(argument) ? argument.text : "";
  const [, count = "", unit = ""] = /^(\d+)([smhd])$/.exec(written) ?? [];
  const milliseconds = Number(count) * (units[unit] ?? Number.NaN);
  // Beyond 10,000 years there are no dates.
  if (count === "" || !(milliseconds <= 3_650_000 * 86_400_000)) {
    const hint = count === "" ? undefined : "it is too long; the longest is '3650000d', 10,000 years";
    report("rule-duration", at(argument), { helper, value: argument.getText() }, hint);
    return undefined;
  }
  return { kind: "moment", helper, milliseconds, at: at(node) };
}
