/** Globals that Node or the language has and handlers do not. */
import { ts } from "@ts-morph/common";
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic, Span } from "../diagnostics/diagnostic.ts";
import { isOfNodeTypes } from "./node-types.ts";

/** Beside those of the language. */
const allowed: ReadonlySet<string> = new Set(
  (
    "AbortController AbortSignal Blob Buffer ByteLengthQueuingStrategy CompressionStream CountQueuingStrategy Crypto CryptoKey " +
    "CustomEvent DOMException DecompressionStream Event EventTarget File FormData Headers ReadableStream " +
    "ReadableStreamDefaultReader Request Response SubtleCrypto TextDecoder TextDecoderStream TextEncoder TextEncoderStream " +
    "TransformStream URL URLSearchParams WritableStream atob btoa clearImmediate clearInterval clearTimeout console crypto " +
    "performance queueMicrotask setImmediate setInterval setTimeout structuredClone globalThis"
  ).split(" "),
);

const instead: Readonly<Record<string, string>> = {
  fetch: "write ctx.fetch, which reaches what network in function.yaml declares",
  process: "what is secret is declared under secrets in function.yaml, and is ctx.secrets",
  require: "write import",
  eval: "write the function itself: nothing makes code of text",
  Function: "write the function itself: nothing makes code of text",
};

/** Of the methods of `console` that log, what `ctx.log` has for it. */
const levels: Readonly<Record<string, string>> = {
  ...{ debug: "debug", trace: "debug", log: "info", info: "info", warn: "warn", error: "error" },
};

/** Of the language, and refused when they are called. */
const makersOfCode: ReadonlySet<string> = new Set(["eval", "Function"]);

/** Every use of one in a handler's file. */
export function foreignGlobals(
  source: ts.SourceFile,
  checker: ts.TypeChecker,
  spanAt: (start: number, length: number) => Span,
): Diagnostic[] {
  const found: Diagnostic[] = [];
  visit(source);
  return found;

  function visit(node: ts.Node): void {
    if (ts.isTypeNode(node)) return;
    if (ts.isIdentifier(node) && isUse(node) && isForeign(node)) {
      const span = spanAt(node.getStart(source), node.text.length);
      const hint = Object.hasOwn(instead, node.text) ? instead[node.text] : undefined;
      found.push(diagnose("handler-global", span, { name: node.text }, { hint }));
    }
    if (ts.isPropertyAccessExpression(node)) logged(node);
    ts.forEachChild(node, visit);
  }

  function logged({ expression, name }: ts.PropertyAccessExpression): void {
    const level = Object.hasOwn(levels, name.text) ? levels[name.text] : undefined;
    if (level === undefined || !ts.isIdentifier(expression) || expression.text !== "console") return;
    const declarations = checker.getSymbolAtLocation(expression)?.declarations ?? [];
    // One that the handler declares is its own.
    if (declarations.some((each) => each.getSourceFile() === source)) return;
    const start = expression.getStart(source);
    found.push(
      diagnose("handler-console", spanAt(start, name.getEnd() - start), { method: name.text, level }),
    );
  }

  function isForeign(node: ts.Identifier): boolean {
    if (allowed.has(node.text)) return false;
    const declarations = checker.getSymbolAtLocation(node)?.declarations ?? [];
    const isForeignFile = makersOfCode.has(node.text) && isCalled(node) ? isOfLanguage : isOfNodeTypes;
    return (
      declarations.length > 0 && declarations.every((each) => isForeignFile(each.getSourceFile().fileName))
    );
  }
}

function isOfLanguage(path: string): boolean {
  return /\/lib\.[\w.]+\.d\.ts$/.test(path);
}

function isCalled(node: ts.Identifier): boolean {
  const { parent } = node;
  return (ts.isCallExpression(parent) || ts.isNewExpression(parent)) && parent.expression === node;
}

/** Members have names of their own, but for those of the global object. */
function isUse(node: ts.Identifier): boolean {
  const { parent } = node;
  if (!ts.isPropertyAccessExpression(parent) || parent.name !== node)
    return !ts.isPropertyAssignment(parent) || parent.name !== node;
  return ts.isIdentifier(parent.expression) && parent.expression.text === "globalThis";
}
