/** From the syntax tree to the rule form: every operand typed, what the language refuses reported at its place. */
import { ts } from "@ts-morph/common";
import type { Scalar } from "../../../runtime/filter/algebra.ts";
import { isOpen, usedAs } from "../form/claims.ts";
import type { Condition, Value } from "../form/form.ts";
import { booleanType, describe, numberType, textType, type ValueType } from "../form/types.ts";
import { typeOf } from "../form/values.ts";
import { callOf } from "./calls.ts";
import { comparison, isComparison, isMisplacedNegation } from "./comparisons.ts";
import { constructName } from "./constructs.ts";
import type { Environment } from "./environment.ts";
import { after } from "./flow.ts";
import { memberOf } from "./members.ts";
import { isAvailable, isRoot, reportName } from "./names.ts";
import type { Report } from "./report.ts";

/** The rule as a condition; of no use where anything was reported. */
export function analyseRule(
  text: string,
  expression: ts.Expression,
  environment: Environment,
): Condition | undefined {
  checkComments(text, environment.report);
  return conditionOf(expression, "a rule", environment);
}

function checkComments(text: string, report: Report): void {
  const scanner = ts.createScanner(ts.ScriptTarget.ES2022, false, ts.LanguageVariant.Standard, text);
  for (let token = scanner.scan(); token !== ts.SyntaxKind.EndOfFileToken; token = scanner.scan()) {
    if (token === ts.SyntaxKind.SingleLineCommentTrivia || token === ts.SyntaxKind.MultiLineCommentTrivia) {
      const at = { start: scanner.getTokenStart(), end: scanner.getTokenEnd() };
      const hint = "write comments outside of the expression, after #";
      report("rule-construct", at, { construct: "a comment" }, hint);
    }
  }
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

/** Any expression; undefined where something in it was reported that leaves its value open. */
function analyseValue(node: ts.Expression, environment: Environment): Value | undefined {
  const { report } = environment;
  const at = environment.at(node);
  if (ts.isParenthesizedExpression(node)) return analyseValue(node.expression, environment);
  if (node.kind === ts.SyntaxKind.NullKeyword) return { kind: "null", at };
  const literal = literalOf(node);
  if (typeof literal === "number" && !Number.isFinite(literal)) {
    report("rule-construct", at, { construct: "a number that overflows" });
    return undefined;
  }
  if (literal !== undefined) return { kind: "literal", value: literal, type: literalType(literal), at };
  if (ts.isArrayLiteralExpression(node)) return listOf(node, environment);
  if (ts.isIdentifier(node)) return nameOf(node, environment);
  if (ts.isPropertyAccessExpression(node)) return propertyOf(node, environment);
  if (ts.isElementAccessExpression(node)) return elementOf(node, environment);
  if (ts.isCallExpression(node)) return callOf(node, environment, analyseValue);
  if (ts.isConditionalExpression(node)) return pickOf(node, environment);
  if (isNegation(node))
    return asValue(negationOf(node, analyseValue(node.operand, environment), environment));
  if (ts.isBinaryExpression(node)) return asValue(operationOf(node, environment));
  report("rule-construct", at, { construct: constructName(node) });
  return undefined;
}

function asValue(condition: Condition | undefined): Value | undefined {
  return condition && { kind: "condition", of: condition, at: condition.at };
}

/** Numbers may have a sign. */
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

function listOf(node: ts.ArrayLiteralExpression, environment: Environment): Value | undefined {
  const values = node.elements.map((element) => itemOf(element, environment));
  const items = values.flatMap((value) => (value === undefined ? [] : [value]));
  if (items.length < values.length) return undefined;
  const elements = [...new Set(items.flatMap((item) => literalType(item).kinds))];
  const { at } = environment;
  return { kind: "list", items, places: node.elements.map(at), type: { kinds: [], elements }, at: at(node) };
}

function itemOf(node: ts.Expression, environment: Environment): Scalar | undefined {
  const { at, report } = environment;
  if (literalOf(node) !== undefined) {
    const value = analyseValue(node, environment);
    return value?.kind === "literal" ? value.value : undefined;
  }
  if (node.kind === ts.SyntaxKind.NullKeyword) {
    const hint = "nothing equals it there; write x == null || […].includes(x)";
    report("rule-construct", at(node), { construct: "null in a list" }, hint);
  } else {
    const construct = ts.isOmittedExpression(node) ? "a gap in a list" : "a list of anything but literals";
    report("rule-construct", at(node), { construct }, "combine comparisons with ||");
  }
  return undefined;
}

function nameOf(node: ts.Identifier, environment: Environment): Value | undefined {
  const { scope, types } = environment;
  const at = environment.at(node);
  const root = node.text;
  if (root === "now") return { kind: "now", at };
  if (!isRoot(root)) {
    reportName(node, environment);
    return undefined;
  }
  // Members of what is not there are looked at all the same.
  if (!isAvailable(root, scope)) reportName(node, environment);
  return { kind: "read", root, path: [], type: types[root], at };
}

function propertyOf(node: ts.PropertyAccessExpression, environment: Environment): Value | undefined {
  const { at, report } = environment;
  const { expression: owner, name } = node;
  const value = analyseValue(owner, environment);
  if (ts.isPrivateIdentifier(name)) {
    report("rule-construct", at(name), { construct: "a private member" });
    return undefined;
  }
  return value && memberOf({ owner, name: name.text, where: at(name), at: at(node) }, value, environment);
}

/** `document['due-at']` is the one way to write a member whose name is not an identifier, and only that. */
function elementOf(node: ts.ElementAccessExpression, environment: Environment): Value | undefined {
  const { at, report } = environment;
  const { expression: owner, argumentExpression: name } = node;
  const value = analyseValue(owner, environment);
  if (!ts.isStringLiteral(name)) {
    const hint = "name the field, as in document.title";
    report("rule-construct", at(name), { construct: "a computed member" }, hint);
    return undefined;
  }
  if (/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name.text)) {
    report("rule-construct", at(name), { construct: "a member in brackets" }, `write .${name.text}`);
    return undefined;
  }
  return value && memberOf({ owner, name: name.text, where: at(name), at: at(node) }, value, environment);
}

function pickOf(node: ts.ConditionalExpression, environment: Environment): Value | undefined {
  const { flow } = environment;
  const when = conditionOf(node.condition, "the condition of ?:", environment);
  const { yes: held, no: failed } = when === undefined ? { yes: flow, no: flow } : after(when, flow);
  const yes = analyseValue(node.whenTrue, { ...environment, flow: held });
  const no = analyseValue(node.whenFalse, { ...environment, flow: failed });
  return when && yes && no && { kind: "pick", when, yes, no, at: environment.at(node) };
}

function isNegation(node: ts.Expression): node is ts.PrefixUnaryExpression {
  return ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken;
}

function negationOf(
  node: ts.PrefixUnaryExpression,
  operand: Value | undefined,
  environment: Environment,
): Condition | undefined {
  const of = operand && asCondition(operand, "the operand of !", environment);
  return of && { kind: "not", of, at: environment.at(node) };
}

const operatorHints: Readonly<Record<string, string>> = {
  "=": "compare with ==",
  "&": "combine conditions with &&",
  "|": "combine conditions with ||",
  "??": "compare with null and choose with ?:",
  in: "write ['a', 'b'].includes(x)",
};

function operationOf(node: ts.BinaryExpression, environment: Environment): Condition | undefined {
  const { left, right, operatorToken: token } = node;
  const operator = token.getText();
  if (operator === "&&") return combination("and", "an operand of &&", node, environment);
  if (operator === "||") return combination("or", "an operand of ||", node, environment);
  if (isComparison(operator)) {
    const at = environment.at(node);
    const [a, b] = [isNegation(left) ? left.operand : left, right].map((side) =>
      analyseValue(side, environment),
    );
    if (isNegation(left) && b && isMisplacedNegation(operator, b, at, environment)) return undefined;
    const first = isNegation(left) ? asValue(negationOf(left, a, environment)) : a;
    return first && b && comparison(operator, first, b, at, environment);
  }
  const construct = `the operator ${operator}`;
  environment.report("rule-construct", environment.at(token), { construct }, operatorHints[operator]);
  // What `in` and assignments stand between is no use to look at.
  if (token.kind < ts.SyntaxKind.FirstAssignment || token.kind > ts.SyntaxKind.LastAssignment) {
    analyseValue(left, environment);
    if (token.kind !== ts.SyntaxKind.InKeyword) analyseValue(right, environment);
  }
  return undefined;
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
  let { flow } = environment;
  const of = [rest, ...terms].map((term) => {
    const condition = conditionOf(term, part, { ...environment, flow });
    if (condition !== undefined) flow = after(condition, flow)[kind === "and" ? "yes" : "no"];
    return condition;
  });
  return of.every((term) => term !== undefined) ? { kind, of, at: environment.at(node) } : undefined;
}
