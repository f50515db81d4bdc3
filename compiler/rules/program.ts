/** All rules of a realm in one TypeScript program: one file a rule, so that a broken rule spoils no other. */
import { Project, ts } from "ts-morph";
import { declarations, type RealmTypes, ruleFooter, ruleHeader } from "./declarations.ts";
import type { At } from "./form.ts";
import { type SyntaxProblem, syntaxProblem } from "./syntax.ts";

export interface RuleText {
  readonly text: string;
  /** Its collection's place in {@link RealmTypes}. */
  readonly collection: number;
}

/** What TypeScript says of one rule; offsets count in the rule's text. */
export type ParsedRule =
  | { readonly kind: "too-large"; readonly problem: string }
  | ({ readonly kind: "broken"; readonly at: At } & SyntaxProblem)
  | {
      readonly kind: "parsed";
      readonly expression: ts.Expression;
      readonly at: (node: ts.Node) => At;
      readonly diagnostics: readonly TypeDiagnostic[];
    };

export interface TypeDiagnostic {
  readonly code: number;
  /** Without chained explanations. */
  readonly message: string;
  readonly at: At;
  /** The member access that it is about, if it is about one, and the members that there are. */
  readonly access?: Access;
  readonly members: readonly string[];
}

export type Access = ts.PropertyAccessExpression | ts.ElementAccessExpression;

const longest = 4000;
const deepest = 300;

/** Parses and type-checks rules, answering in their order. */
export function checkProgram(types: RealmTypes, rules: readonly RuleText[]): readonly ParsedRule[] {
  if (rules.length === 0) return [];
  const project = new Project({
    useInMemoryFileSystem: true,
    compilerOptions: {
      noLib: true,
      noResolve: true,
      types: [],
      strict: false,
      noImplicitAny: true,
      target: ts.ScriptTarget.ES2022,
    },
  });
  project.createSourceFile("/realm.d.ts", declarations(types));
  // Of many rules a collection says the same.
  const files = new Map<string, RuleFile | string>();
  const keyOf = ({ text, collection }: RuleText): string => `${collection} ${text}`;
  for (const rule of rules) {
    const key = keyOf(rule);
    if (!files.has(key)) files.set(key, addFile(project, rule, `/rule${files.size}.ts`));
  }
  const program = project.getProgram().compilerObject;
  const parsed = new Map(
    [...files].map(([key, file]): [string, ParsedRule] => [
      key,
      typeof file === "string" ? { kind: "too-large", problem: file } : parsedRule(program, file),
    ]),
  );
  return rules.flatMap((rule) => parsed.get(keyOf(rule)) ?? []);
}

interface RuleFile {
  readonly source: ts.SourceFile;
  /** Where the rule's text stands in it. */
  readonly start: number;
  readonly length: number;
}

/** The rule as a file of the project, or why it is too large to be given to the checker. */
function addFile(project: Project, { text, collection }: RuleText, path: string): RuleFile | string {
  if (text.length > longest) return `it has ${text.length} characters, at most ${longest} are allowed`;
  const header = ruleHeader(collection);
  try {
    const file = project.createSourceFile(path, `${header}${text}${ruleFooter}`);
    if (depth(file.compilerNode) <= deepest)
      return { source: file.compilerNode, start: header.length, length: text.length };
    project.removeSourceFile(file);
  } catch (error) {
    // The parser's own recursion.
    if (!(error instanceof RangeError)) throw error;
  }
  return `it is nested deeper than ${deepest} levels`;
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

function parsedRule(program: ts.Program, { source, start, length }: RuleFile): ParsedRule {
  const clamp = (offset: number): number => Math.min(Math.max(offset - start, 0), length);
  const range = (from: number, size: number): At => ({ start: clamp(from), end: clamp(from + size) });
  const exported = source.statements[1];
  const bracketed =
    exported !== undefined && ts.isExportAssignment(exported) ? exported.expression : undefined;
  const bracket = bracketed && outerBracket(bracketed, source);
  const close = bracket === undefined ? source.getEnd() : bracket.getEnd() - 1;
  // The bracket that the header opens must be the one that the footer closes.
  const closesEarly = (): boolean => {
    const last = bracket?.getLastToken(source);
    return close < start + length && last?.kind === ts.SyntaxKind.CloseParenToken && last.parent === bracket;
  };
  const [syntax] = program.getSyntacticDiagnostics(source);
  if (syntax !== undefined && !(syntax.start > close && closesEarly())) {
    const at = range(syntax.start, syntax.length);
    const text = source.text.slice(start, start + length);
    return { kind: "broken", at, ...syntaxProblem(plainMessage(syntax), text, at.start) };
  }
  if (
    bracketed === undefined ||
    !ts.isParenthesizedExpression(bracketed) ||
    close < start + length ||
    source.statements.length > 2
  ) {
    return { kind: "broken", problem: "this ')' closes nothing", at: range(close, 1) };
  }
  return {
    kind: "parsed",
    expression: bracketed.expression,
    at: (node) => ({ start: clamp(node.getStart(source)), end: clamp(node.getEnd()) }),
    diagnostics: program.getSemanticDiagnostics(source).map((diagnostic) => {
      const { start: from = start, length: size = 0 } = diagnostic;
      const access = accessAround(nodeAt(source, from, size));
      return {
        code: diagnostic.code,
        message: plainMessage(diagnostic),
        at: range(from, size),
        ...(access === undefined ? {} : { access }),
        members: access === undefined ? [] : membersOf(program.getTypeChecker(), access.expression),
      };
    }),
  };
}

function membersOf(checker: ts.TypeChecker, node: ts.Expression): readonly string[] {
  return checker
    .getTypeAtLocation(node)
    .getApparentProperties()
    .map(({ name }) => name);
}

function accessAround(node: ts.Node | undefined): Access | undefined {
  let around = node;
  while (
    around !== undefined &&
    !ts.isPropertyAccessExpression(around) &&
    !ts.isElementAccessExpression(around)
  ) {
    around = around.parent;
  }
  return around;
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

function nodeAt(source: ts.SourceFile, start: number, length: number): ts.Node | undefined {
  const search = (node: ts.Node): ts.Node | undefined => {
    if (start < node.getStart(source) || start + length > node.getEnd()) return undefined;
    return ts.forEachChild(node, search) ?? node;
  };
  return search(source);
}

function plainMessage(diagnostic: ts.Diagnostic): string {
  const { messageText } = diagnostic;
  return typeof messageText === "string" ? messageText : messageText.messageText;
}
