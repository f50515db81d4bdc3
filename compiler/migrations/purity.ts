/** What in a migration would not come to the same each time: clocks, chance, memory, connections. */
import { ts } from "@ts-morph/common";
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic, Span } from "../diagnostics/diagnostic.ts";

/** Every place in a file of a migration that asks for more than the document. */
export function impurities(
  source: ts.SourceFile,
  checker: ts.TypeChecker,
  spanAt: (start: number, length: number) => Span,
): Diagnostic[] {
  const found: Diagnostic[] = [];
  for (const statement of source.statements) {
    const kept = memoryOf(statement);
    if (kept !== undefined) tell(kept, `'${kept.getText(source)}' remembers what was before`);
  }
  visit(source);
  return found;

  function tell(node: ts.Node, what: string): void {
    const start = node.getStart(source);
    const [line = ""] = source.text.slice(start, node.getEnd()).split("\n");
    found.push(diagnose("migration-impure", spanAt(start, line.length), { what }));
  }

  function visit(node: ts.Node): void {
    if (ts.isTypeNode(node)) return;
    const what = asks(node);
    if (what === undefined) ts.forEachChild(node, visit);
    else tell(node, what);
  }

  function asks(node: ts.Node): string | undefined {
    if (ts.isNewExpression(node) && isClock(node.expression)) {
      const { length } = node.arguments ?? [];
      return length === 0 ? time : length > 1 ? zone : undefined;
    }
    if (ts.isCallExpression(node) && isClock(node.expression)) return time;
    const changed = changedBy(node);
    if (changed !== undefined && isOfModule(changed)) return `'${changed.text}' remembers what was before`;
    if (ts.isPropertyAccessExpression(node)) return ofMember(node.expression, node.name.text);
    if (ts.isElementAccessExpression(node) && ts.isStringLiteralLike(node.argumentExpression))
      return ofMember(node.expression, node.argumentExpression.text);
    if (ts.isBindingElement(node) && ts.isObjectBindingPattern(node.parent)) {
      const name = node.propertyName ?? node.name;
      return ts.isIdentifier(name) ? memberOf(checker.getTypeAtLocation(node.parent), name.text) : undefined;
    }
    if (ts.isImportSpecifier(node)) return ofCrypto((node.propertyName ?? node.name).text, moduleOf(node));
    if (ts.isIdentifier(node) && isGlobalUse(node) && Object.hasOwn(globals, node.text) && isGlobal(node))
      return globals[node.text];
    return undefined;
  }

  function isOfModule(node: ts.Identifier): boolean {
    const [declaration] = checker.getSymbolAtLocation(node)?.declarations ?? [];
    const list = declaration !== undefined && ts.isVariableDeclaration(declaration) && declaration.parent;
    return list !== undefined && list !== false && ts.isSourceFile(list.parent.parent);
  }

  function isClock(node: ts.Expression): boolean {
    return nameOf(checker.getTypeAtLocation(node)) === "DateConstructor";
  }

  function ofMember(owner: ts.Expression, name: string): string | undefined {
    const own = memberOf(checker.getTypeAtLocation(owner), name);
    if (own !== undefined || !ts.isIdentifier(owner)) return own;
    const [declaration] = checker.getSymbolAtLocation(owner)?.declarations ?? [];
    return declaration === undefined ? undefined : ofCrypto(name, moduleOf(declaration));
  }

  /** Declared outside of the realm's files: by the language, or by Node. */
  function isGlobal(node: ts.Identifier): boolean {
    const declarations = checker.getSymbolAtLocation(node)?.declarations ?? [];
    return declarations.every((each) => each.getSourceFile().isDeclarationFile);
  }
}

const time = "this asks for the time";
const zone = "this asks for the time zone of the machine";
const chance = "this asks for chance";

function memberOf(type: ts.Type, name: string): string | undefined {
  const owner = nameOf(type);
  if (owner === "DateConstructor" && name === "now") return time;
  if (owner === "Date" && zoned.test(name)) return zone;
  return owner === "Math" && name === "random" ? chance : undefined;
}

/** Of dates, what is not in UTC. */
const zoned = /^(?:get|set)(?!UTC|Time$)|^to(?:Locale\w*|Date|Time)?String$/;

function nameOf({ symbol, aliasSymbol }: ts.Type): string | undefined {
  const named: ts.Symbol | undefined = symbol ?? aliasSymbol;
  return named?.name;
}

/** The hashes of `node:crypto` are pure. */
function ofCrypto(name: string, module: string | undefined): string | undefined {
  const isRandom = /^(?:random|generate|getRandom|webcrypto|subtle)/.test(name);
  return isRandom && /^(?:node:)?crypto$/.test(module ?? "") ? chance : undefined;
}

/** Of what an import declares, where it is from. */
function moduleOf(node: ts.Node): string | undefined {
  const declaration = ts.findAncestor(node, ts.isImportDeclaration);
  return declaration !== undefined && ts.isStringLiteral(declaration.moduleSpecifier)
    ? declaration.moduleSpecifier.text
    : undefined;
}

const waits = "this waits, or goes on later";
const reaches = "this reaches out of it";
const globals: Readonly<Record<string, string>> = {
  performance: time,
  crypto: chance,
  ...Object.fromEntries(
    "setTimeout setInterval setImmediate clearTimeout clearInterval clearImmediate queueMicrotask"
      .split(" ")
      .map((name) => [name, waits]),
  ),
  ...Object.fromEntries(
    "fetch process console globalThis global require WebSocket EventSource BroadcastChannel"
      .split(" ")
      .map((name) => [name, reaches]),
  ),
};

/** Members and keys have names of their own. */
function isGlobalUse(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isPropertyAssignment(parent)) return parent.initializer === node;
  return !ts.isImportSpecifier(parent) && !ts.isBindingElement(parent) && !ts.isMemberName(parent);
}

/** The name of what a statement at the top of a module lets be changed. */
function memoryOf(statement: ts.Statement): ts.Node | undefined {
  if (!ts.isVariableStatement(statement)) return undefined;
  const { declarationList } = statement;
  const isConstant = (declarationList.flags & ts.NodeFlags.Const) !== 0;
  return isConstant ? undefined : declarationList.declarations[0]?.name;
}

const changing: ReadonlySet<string> = new Set(
  "set add delete clear push pop shift unshift splice sort reverse fill copyWithin".split(" "),
);

/** The name of what is changed inside: `seen` of `seen.add(name)` and of `seen[name] = true`. */
function changedBy(node: ts.Node): ts.Identifier | undefined {
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression))
    return changing.has(node.expression.name.text) ? rootOf(node.expression.expression) : undefined;
  const isAssignment =
    ts.isBinaryExpression(node) &&
    node.operatorToken.kind >= ts.SyntaxKind.FirstAssignment &&
    node.operatorToken.kind <= ts.SyntaxKind.LastAssignment;
  if (isAssignment) return insideOf(node.left);
  if (ts.isDeleteExpression(node)) return insideOf(node.expression);
  const steps: readonly ts.SyntaxKind[] = [ts.SyntaxKind.PlusPlusToken, ts.SyntaxKind.MinusMinusToken];
  const isStep = ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node);
  return isStep && steps.includes(node.operator) ? insideOf(node.operand) : undefined;
}

/** A name that is itself assigned is told where it is declared. */
function insideOf(node: ts.Expression): ts.Identifier | undefined {
  return ts.isIdentifier(node) ? undefined : rootOf(node);
}

function rootOf(node: ts.Expression): ts.Identifier | undefined {
  if (ts.isIdentifier(node)) return node;
  return ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)
    ? rootOf(node.expression)
    : undefined;
}
