/** A rule's text as a syntax tree. TypeScript parses it, and nothing more: types are the analysis's. */
import { ts } from "@ts-morph/common";
import type { At } from "../form/form.ts";
import { type SyntaxProblem, syntaxProblem } from "./syntax.ts";

/** Offsets count in the rule's text. */
export type ParsedRule =
  | { readonly kind: "too-large"; readonly problem: string }
  | ({ readonly kind: "broken"; readonly at: At } & SyntaxProblem)
  | {
      readonly kind: "parsed";
      readonly expression: ts.Expression;
      readonly at: (node: ts.Node) => At;
    };

const longest = 4000;
const deepest = 300;

/** The line end closes a comment. */
const header = "export default (\n";
const footer = "\n);\n";

export function parseRule(text: string): ParsedRule {
  if (text.length > longest)
    return tooLarge(`it has ${text.length} characters, at most ${longest} are allowed`);
  try {
    const source = ts.createSourceFile("rule.ts", `${header}${text}${footer}`, ts.ScriptTarget.ES2022, true);
    if (depth(source) <= deepest) return parsedRule(source, text);
  } catch (error) {
    // The parser's own recursion.
    if (!(error instanceof RangeError)) throw error;
  }
  return tooLarge(`it is nested deeper than ${deepest} levels`);
}

function tooLarge(problem: string): ParsedRule {
  return { kind: "too-large", problem };
}

function depth(source: ts.SourceFile): number {
  let level: ts.Node[] = [source];
  let levels = 0;
  while (level.length > 0 && levels <= deepest + 1) {
    const next: ts.Node[] = [];
    for (const node of level) ts.forEachChild(node, (child) => void next.push(child));
    level = next;
    levels++;
  }
  return levels;
}

function parsedRule(source: ts.SourceFile, text: string): ParsedRule {
  const clamp = (offset: number): number => Math.min(Math.max(offset - header.length, 0), text.length);
  const range = (from: number, size: number): At => ({ start: clamp(from), end: clamp(from + size) });
  const [exported] = source.statements;
  const bracketed =
    exported !== undefined && ts.isExportAssignment(exported) ? exported.expression : undefined;
  const bracket = bracketed && outerBracket(bracketed, source);
  const close = bracket === undefined ? source.getEnd() : bracket.getEnd() - 1;
  const closesEarly = close < header.length + text.length;
  // The bracket that the header opens must be the one that the footer closes.
  const isClosed = (): boolean => {
    const last = bracket?.getLastToken(source);
    return closesEarly && last?.kind === ts.SyntaxKind.CloseParenToken && last.parent === bracket;
  };
  const [syntax] = syntaxErrors(source);
  if (syntax !== undefined && !(syntax.start > close && isClosed())) {
    const at = range(syntax.start, syntax.length);
    return { kind: "broken", at, ...syntaxProblem(syntax.message, text, at.start) };
  }
  if (
    bracketed === undefined ||
    !ts.isParenthesizedExpression(bracketed) ||
    closesEarly ||
    source.statements.length > 1
  ) {
    return { kind: "broken", problem: "this ')' closes nothing", at: range(close, 1) };
  }
  return {
    kind: "parsed",
    expression: bracketed.expression,
    at: (node) => ({ start: clamp(node.getStart(source)), end: clamp(node.getEnd()) }),
  };
}

interface SyntaxError {
  readonly start: number;
  readonly length: number;
  readonly message: string;
}

/** What the parser recorded; TypeScript declares no way to it but by a program, which takes many times as long. */
function syntaxErrors(source: ts.SourceFile): readonly SyntaxError[] {
  const found: unknown = Reflect.get(source, "parseDiagnostics");
  if (!Array.isArray(found)) throw new Error("TypeScript keeps its syntax errors elsewhere now");
  return found.map(({ start, length, messageText }: ts.DiagnosticWithLocation) => ({
    start,
    length,
    message: typeof messageText === "string" ? messageText : messageText.messageText,
  }));
}

/** The node that begins where the expression does and is bracketed, or the expression itself. */
function outerBracket(expression: ts.Expression, source: ts.SourceFile): ts.Node {
  let node: ts.Node = expression;
  while (!ts.isParenthesizedExpression(node)) {
    const first: ts.Node | undefined = ts.forEachChild(node, (child) => child);
    if (first === undefined || first.getStart(source) !== expression.getStart(source)) return node;
    node = first;
  }
  return node;
}
