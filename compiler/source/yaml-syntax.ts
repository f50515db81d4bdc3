/** What the YAML parser complains of, at the place and in the words of those who write configuration. */
import { type Document, isCollection, isScalar, visit, type YAMLError } from "yaml";
import type { Extent } from "./node.ts";

export type SyntaxProblem =
  | { readonly kind: "tab"; readonly extent: Extent }
  | { readonly kind: "depth"; readonly extent: Extent }
  | { readonly kind: "syntax"; readonly extent: Extent; readonly problem: string };

/** One slip often makes several errors; the first ones tell. */
const MAX_PROBLEMS = 3;

/** The mistakes of a file that cannot be parsed; none if it can. */
export function syntaxProblems(document: Document, text: string): readonly SyntaxProblem[] {
  const unread = unreadText(document, text);
  if (unread !== undefined) return [unread];
  const exhausted = document.errors.find(({ code }) => code === "RESOURCE_EXHAUSTION");
  if (exhausted !== undefined) return [{ kind: "depth", extent: extentOf(exhausted) }];
  const lines = new Set<number>();
  return [...document.errors, ...document.warnings.filter(({ code }) => code === "BAD_DIRECTIVE")]
    .filter((error) => !isNarrated(error, document.errors) && isNew(lineStart(text, error.pos[0]), lines))
    .slice(0, MAX_PROBLEMS)
    .map((error) => problemOf(error, document, text));
}

/** On one line the first error tells: the others follow from it. */
function isNew(line: number, lines: Set<number>): boolean {
  return !lines.has(line) && lines.add(line).size > 0;
}

/** A key over several lines is told as such; the parser finds fault with its value too. */
function isNarrated({ code, pos }: YAMLError, errors: readonly YAMLError[]): boolean {
  return (
    code === "BLOCK_AS_IMPLICIT_KEY" &&
    errors.some((other) => other.code === "MULTILINE_IMPLICIT_KEY" && other.pos[0] === pos[0])
  );
}

/** The parser stops at `...`, and says nothing of what stands after it. */
function unreadText(document: Document, text: string): SyntaxProblem | undefined {
  if (document.errors.length > 0) return undefined;
  const end = document.range?.[2] ?? text.length;
  const rest = /^(?!\.\.\.(?:[ \t\r]|$))[^\s#].*$/m.exec(text.slice(end));
  if (rest === null) return undefined;
  const start = end + rest.index;
  const problem = "the document ended with '...' before this, so it would not be read";
  return { kind: "syntax", extent: { start, end: start + rest[0].trimEnd().length }, problem };
}

function problemOf(error: YAMLError, document: Document, text: string): SyntaxProblem {
  const extent = extentOf(error);
  const indentation = text.slice(lineStart(text, extent.start), extent.start + 1);
  if (error.code === "TAB_AS_INDENT" || /^ *\t/.test(indentation)) return { kind: "tab", extent };
  const [, quote] = /^Missing closing (['"])/.exec(error.message) ?? [];
  if (quote !== undefined)
    return { kind: "syntax", extent: openQuote(document, extent), problem: "this quote is not closed" };
  const [, bracket] = /and end with a ([\]}])$/.exec(error.message) ?? [];
  const open = bracket === undefined ? undefined : openBracket(document, text, bracket);
  if (bracket !== undefined && open !== undefined) {
    const problem = `this '${bracket === "}" ? "{" : "["}' is not closed`;
    return { kind: "syntax", extent: { start: open, end: open + 1 }, problem };
  }
  return { kind: "syntax", extent, problem: wording(error, text.slice(extent.start, extent.end)) };
}

function wording({ code, message }: YAMLError, found: string): string {
  switch (code) {
    case "MULTIPLE_DOCS":
      return "a configuration file holds one document; a second one starts here";
    case "BAD_DIRECTIVE":
      return "directives such as %YAML are not used in configuration";
    case "BLOCK_AS_IMPLICIT_KEY":
      return "a key and a value on one line hold another ': '; put the value in quotes";
    case "BLOCK_IN_FLOW":
      return "a text that holds ': ' stands in quotes between brackets";
    case "MULTILINE_IMPLICIT_KEY":
      return "these lines are read as one key; check their indentation, and that each key is followed by ':'";
    case "BAD_SCALAR_START":
      return `a text that starts with '${found}' stands in quotes or in a block (|)`;
    case "BAD_DQ_ESCAPE":
      return `${lowerCase(message)}; between double quotes a backslash is written \\\\`;
  }
  if (/ at node end$/.test(message))
    return "a text that goes on after a quote or bracket stands in quotes as a whole, or in a block (|)";
  if (/ in YAML stream/.test(message)) return `this '${found}' closes nothing`;
  if (/^Missing , or : between flow/.test(message))
    return "a ',' is expected here; between brackets a text that holds one stands in quotes";
  if (/^All (?:mapping|sequence) items/.test(message))
    return "this starts at another column than what stands before it; check the indentation";
  if (/^Implicit map keys/.test(message))
    return "this is read as a key, but no ':' follows; text that goes on is indented deeper than its key";
  return lowerCase(message);
}

/** Where the quote opens that the parser missed the end of. */
function openQuote(document: Document, missing: Extent): Extent {
  let open = missing;
  visit(document, {
    Scalar: (_, { type, range }) => {
      const isQuoted = type === "QUOTE_SINGLE" || type === "QUOTE_DOUBLE";
      if (isQuoted && range && range[0] < missing.start && range[1] >= missing.start)
        open = { start: range[0], end: range[0] + 1 };
    },
  });
  return open;
}

/** The last bracket that is closed by something else. */
function openBracket(document: Document, text: string, closing: string): number | undefined {
  let open: number | undefined;
  visit(document, {
    Node: (_, node) => {
      if (!isCollection(node) || node.flow !== true || !node.range) return;
      const [start, end] = node.range;
      const matches = text[start] === (closing === "}" ? "{" : "[");
      if (matches && text[end - 1] !== closing && (open === undefined || start > open)) open = start;
    },
  });
  return open;
}

function extentOf({ pos: [start, end] }: YAMLError): Extent {
  return { start, end: Math.max(start, end) };
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}

function lowerCase(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1);
}

/** A file that holds nothing, or nothing but comments. */
export function isEmptyDocument({ contents }: Document): boolean {
  return contents === null || (isScalar(contents) && contents.value === null && contents.source === "");
}
