/** Which part of TypeScript rules are: everything else is refused by the name of its construct. */
import { ts } from "ts-morph";
import { didYouMean } from "../diagnostics/suggest.ts";
import { constructName } from "./constructs.ts";
import type { At } from "./form.ts";
import { membershipHelpers } from "./helpers.ts";
import type { Report } from "./reporter.ts";

/** What a rule can see and when; `name` is how messages call it. */
export interface RuleScope {
  readonly name: string;
  readonly document: boolean;
  readonly data: boolean;
  /** A field's write rule, which also runs when there is no document yet. */
  readonly documentMayBeAbsent: boolean;
  /** The text serves create, update and delete alike. */
  readonly underWrite: boolean;
  /** Also compiled to a filter. */
  readonly filtered: boolean;
}

export const textMethods = ["includes", "startsWith", "endsWith"] as const;
const helpers = ["hasRole", "ago", "ahead"];
/** In realms with organizations. */
const organizationHelpers = [...Object.keys(membershipHelpers), "orgClaims"];
const names = ["document", "data", "user", "now", "appConfig"];

/** What other languages and services say, with what says the same here. */
const otherNames: Readonly<Record<string, string>> = {
  true: "write true",
  false: "write false",
  null: "write null",
  yes: "write true",
  no: "write false",
  date: "write now, ago('7d') or ahead('1h')",
  auth: "the caller is user",
  request: "the caller is user, what is written is data",
  resource: "what is stored is document",
  doc: "what is stored is document",
};

const operators: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.AmpersandAmpersandToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.EqualsEqualsToken,
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
  ts.SyntaxKind.LessThanToken,
  ts.SyntaxKind.LessThanEqualsToken,
  ts.SyntaxKind.GreaterThanToken,
  ts.SyntaxKind.GreaterThanEqualsToken,
]);

const operatorHints: Readonly<Record<string, string>> = {
  "=": "compare with ==",
  "&": "combine conditions with &&",
  "|": "combine conditions with ||",
  "??": "compare with null and choose with ?:",
  in: "write ['a', 'b'].includes(x)",
};

interface Context {
  readonly scope: RuleScope;
  /** At the top of documents. */
  readonly fields: readonly string[];
  /** Whether the realm has organizations. */
  readonly organizations: boolean;
  readonly at: (node: ts.Node) => At;
  readonly report: Report;
}

/** Reports every part of a rule that is not in the language, and every name that this rule does not have. */
export function checkSubset(text: string, expression: ts.Expression, context: Context): void {
  checkComments(text, context.report);
  visit(expression, context);
}

function checkComments(text: string, report: Report): void {
  const scanner = ts.createScanner(ts.ScriptTarget.ES2022, false, ts.LanguageVariant.Standard, text);
  for (let token = scanner.scan(); token !== ts.SyntaxKind.EndOfFileToken; token = scanner.scan()) {
    if (token === ts.SyntaxKind.SingleLineCommentTrivia || token === ts.SyntaxKind.MultiLineCommentTrivia) {
      const at = { start: scanner.getTokenStart(), end: scanner.getTokenEnd() };
      report(
        "rule-construct",
        at,
        { construct: "a comment" },
        "write comments outside of the expression, after #",
      );
    }
  }
}

function visit(node: ts.Expression, context: Context): void {
  if (ts.isParenthesizedExpression(node)) visit(node.expression, context);
  else if (isLiteral(node)) checkLiteral(node, context);
  else if (isNegation(node)) visit(node.operand, context);
  else if (ts.isArrayLiteralExpression(node)) checkList(node, context);
  else if (ts.isBinaryExpression(node)) checkBinary(node, context);
  else if (ts.isIdentifier(node)) checkName(node, context);
  else if (ts.isPropertyAccessExpression(node)) checkMember(node, context);
  else if (ts.isElementAccessExpression(node)) checkElement(node, context);
  else if (ts.isCallExpression(node)) checkCall(node, context);
  else if (ts.isConditionalExpression(node)) {
    for (const part of [node.condition, node.whenTrue, node.whenFalse]) visit(part, context);
  } else context.report("rule-construct", context.at(node), { construct: constructName(node) });
}

function isNegation(node: ts.Expression): node is ts.PrefixUnaryExpression {
  return ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken;
}

/** Numbers may have a sign. */
function isLiteral(node: ts.Expression): boolean {
  if (ts.isPrefixUnaryExpression(node))
    return node.operator === ts.SyntaxKind.MinusToken && ts.isNumericLiteral(node.operand);
  return ts.isStringLiteral(node) || ts.isNumericLiteral(node) || isKeyword(node);
}

function isKeyword(node: ts.Node): boolean {
  return [ts.SyntaxKind.TrueKeyword, ts.SyntaxKind.FalseKeyword, ts.SyntaxKind.NullKeyword].includes(
    node.kind,
  );
}

function checkLiteral(node: ts.Expression, { at, report }: Context): void {
  const number = ts.isPrefixUnaryExpression(node) ? node.operand : node;
  if (ts.isNumericLiteral(number) && !Number.isFinite(Number(number.text))) {
    report("rule-construct", at(node), { construct: "a number that overflows" });
  }
}

function checkList(node: ts.ArrayLiteralExpression, context: Context): void {
  const { at, report } = context;
  for (const element of node.elements) {
    if (element.kind === ts.SyntaxKind.NullKeyword) {
      report(
        "rule-construct",
        at(element),
        { construct: "null in a list" },
        "nothing equals it there; write x == null || […].includes(x)",
      );
    } else if (isLiteral(element)) {
      checkLiteral(element, context);
    } else {
      const construct = ts.isOmittedExpression(element)
        ? "a gap in a list"
        : "a list of anything but literals";
      report("rule-construct", at(element), { construct }, "combine comparisons with ||");
    }
  }
}

function checkBinary(node: ts.BinaryExpression, context: Context): void {
  const { operatorToken } = node;
  if (operators.has(operatorToken.kind)) {
    visit(node.left, context);
    visit(node.right, context);
    return;
  }
  const operator = operatorToken.getText();
  context.report(
    "rule-construct",
    context.at(operatorToken),
    { construct: `the operator ${operator}` },
    operatorHints[operator],
  );
  // What `in` and assignments stand between is no use to look at.
  if (
    operatorToken.kind < ts.SyntaxKind.FirstAssignment ||
    operatorToken.kind > ts.SyntaxKind.LastAssignment
  ) {
    visit(node.left, context);
    if (operatorToken.kind !== ts.SyntaxKind.InKeyword) visit(node.right, context);
  }
}

function checkName(node: ts.Identifier, context: Context): void {
  const { scope, fields, organizations, at, report } = context;
  const name = node.text;
  if (name === "undefined") {
    report(
      "rule-construct",
      at(node),
      { construct: "undefined" },
      "write null: null and missing are the same",
    );
  } else if (organizationHelpers.includes(name) && !organizations) {
    report("rule-no-organizations", at(node), { name });
  } else if (isHelper(name, context)) {
    const argument = helpers.includes(name) ? "'…'" : "…";
    const hint = `write ${name}(${argument})`;
    report("rule-construct", at(node), { construct: `${name} without a call` }, hint);
  } else if ((name === "document" && !scope.document) || (name === "data" && !scope.data)) {
    report("rule-unavailable-name", at(node), { name, rule: scope.name }, unavailableHint(scope));
  } else if (!names.includes(name)) {
    report(
      "rule-unknown-name",
      at(node),
      { name },
      otherNames[name.toLowerCase()] ??
        (fields.includes(name)
          ? `did you mean ${scope.document ? "document" : "data"}.${name}?`
          : undefined) ??
        didYouMean(name, available(context)) ??
        `a rule knows ${available(context).join(", ")}`,
    );
  }
}

function isHelper(name: string, { organizations }: Context): boolean {
  return helpers.includes(name) || (organizations && organizationHelpers.includes(name));
}

function available({ scope, organizations }: Context): readonly string[] {
  return [
    ...names.filter((name) => (name !== "document" || scope.document) && (name !== "data" || scope.data)),
    ...helpers,
    ...(organizations ? organizationHelpers : []),
  ];
}

function unavailableHint({ underWrite, document, data }: RuleScope): string {
  if (underWrite) return "a rule under write serves create, update and delete; give them rules of their own";
  if (!document && !data) return "no document is stored or written; the caller is user";
  return document
    ? "nothing is written; what is stored is document"
    : "nothing is stored yet; what is being created is data";
}

function checkMember(node: ts.PropertyAccessExpression, context: Context): void {
  const { at, report } = context;
  if (ts.isPrivateIdentifier(node.name))
    report("rule-construct", at(node.name), { construct: "a private member" });
  visit(node.expression, context);
}

/** `document['due-at']` is the one way to write a member whose name is not an identifier, and only that. */
function checkElement(node: ts.ElementAccessExpression, context: Context): void {
  const { at, report } = context;
  const { argumentExpression: name } = node;
  if (!ts.isStringLiteral(name)) {
    report(
      "rule-construct",
      at(name),
      { construct: "a computed member" },
      "name the field, as in document.title",
    );
  } else if (/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name.text)) {
    report("rule-construct", at(name), { construct: "a member in brackets" }, `write .${name.text}`);
  }
  visit(node.expression, context);
}

function checkCall(node: ts.CallExpression, context: Context): void {
  const { at, report } = context;
  if (node.questionDotToken !== undefined) {
    report("rule-construct", at(node.questionDotToken), { construct: "an optional call" });
  } else {
    checkCallee(node.expression, context);
  }
  for (const type of node.typeArguments ?? [])
    report("rule-construct", at(type), { construct: "a type argument" });
  for (const argument of node.arguments) visit(argument, context);
}

function checkCallee(callee: ts.Expression, context: Context): void {
  const { at, report } = context;
  if (ts.isPropertyAccessExpression(callee)) {
    visit(callee.expression, context);
    const method = callee.name.text;
    // Of a value that nobody knows it does not matter what is called.
    if (ts.isIdentifier(callee.expression) && !names.includes(callee.expression.text)) return;
    if (textMethods.some((known) => known === method)) return;
    const hint = didYouMean(method, textMethods) ?? "methods are includes, startsWith and endsWith";
    report("rule-construct", at(callee.name), { construct: `the method ${method}` }, hint);
  } else if (!ts.isIdentifier(callee)) {
    const construct = callee.kind === ts.SyntaxKind.ImportKeyword ? "import" : "a call of an expression";
    report("rule-construct", at(callee), { construct });
  } else if (names.includes(callee.text)) {
    const hint = `write ${callee.text} without parentheses`;
    report("rule-construct", at(callee), { construct: `a call of ${callee.text}` }, hint);
  } else if (!isHelper(callee.text, context)) {
    checkName(callee, context);
  }
}
