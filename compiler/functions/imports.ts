/** Imports whose module is known only when they run. */
import { ts } from "@ts-morph/common";
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic, Span } from "../diagnostics/diagnostic.ts";

/** Every `import(…)` of anything but a literal in a handler's file. */
export function computedImports(
  source: ts.SourceFile,
  spanAt: (start: number, length: number) => Span,
): Diagnostic[] {
  const found: Diagnostic[] = [];
  visit(source);
  return found;

  function visit(node: ts.Node): void {
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [specifier] = node.arguments;
      if (specifier !== undefined && !ts.isStringLiteralLike(specifier)) {
        const start = specifier.getStart(source);
        found.push(diagnose("handler-computed-import", spanAt(start, specifier.getEnd() - start), {}));
      }
    }
    ts.forEachChild(node, visit);
  }
}
