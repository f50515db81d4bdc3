/** Addresses that stand in a handler's text, and that it cannot reach. */
import { ts } from "@ts-morph/common";
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic, Span } from "../diagnostics/diagnostic.ts";
import type { RealmFunction } from "../model/model.ts";

/** What `fetch` is given as a literal, as it is or as a `URL`. */
export function unknownHosts(
  source: ts.SourceFile,
  { network }: RealmFunction,
  spanAt: (start: number, length: number) => Span,
): Diagnostic[] {
  const found: Diagnostic[] = [];
  visit(source);
  return found;

  function visit(node: ts.Node): void {
    if (ts.isCallExpression(node) && isFetch(node.expression)) look(node.arguments[0]);
    ts.forEachChild(node, visit);
  }

  function look(given: ts.Expression | undefined): void {
    const argument = given !== undefined && ts.isNewExpression(given) ? given.arguments?.[0] : given;
    if (argument === undefined) return;
    const literal = ts.isTemplateExpression(argument) ? argument.head : argument;
    if (!ts.isStringLiteralLike(literal) && !ts.isTemplateHead(literal)) return;
    // Of a template the host is known where something follows it.
    const [, scheme = "", host = "", after = ""] = /^(https?):\/\/([^/?#]*)(.?)/i.exec(literal.text) ?? [];
    if (host === "" || (ts.isTemplateHead(literal) && after === "")) return;
    const name = host.replace(/^.*@/, "").toLowerCase();
    if (isReached(name, scheme.toLowerCase(), network)) return;
    const span = spanAt(literal.getStart(source), literal.getEnd() - literal.getStart(source));
    const own = name.replace(/:\d+$/, "");
    found.push(diagnose("handler-network", span, { host: own }));
  }
}

function isFetch(callee: ts.Expression): boolean {
  return (
    (ts.isPropertyAccessExpression(callee) && callee.name.text === "fetch") ||
    (ts.isIdentifier(callee) && callee.text === "fetch")
  );
}

function isReached(host: string, scheme: string, network: readonly string[]): boolean {
  const name = host.replace(/:\d+$/, "");
  const withPort = name === host ? `${host}:${scheme === "http" ? 80 : 443}` : host;
  return network.some(
    (entry) =>
      entry === name || entry === withPort || (entry.startsWith("*.") && name.endsWith(entry.slice(1))),
  );
}
