/** What TypeScript says of a rule, in the words of the rule language. */
import { ts } from "ts-morph";
import type { At } from "./form.ts";
import type { TypeDiagnostic } from "./program.ts";
import type { Report } from "./reporter.ts";

/** Of the checker: "…is always truthy", implicit any: the analysis says the same and more. */
const leftToAnalysis: ReadonlySet<number> = new Set([2774, 2801, 2869, 2870, 2871, 2872, 2873]);

export function reportTypeDiagnostic(
  diagnostic: TypeDiagnostic,
  at: (node: ts.Node) => At,
  report: Report,
): void {
  const { code, message, node } = diagnostic;
  if (leftToAnalysis.has(code)) return;
  const [first = "", second = ""] = quotedParts(message);
  switch (code) {
    case 2339:
    case 2551:
    case 7053: {
      const access = node === undefined ? undefined : accessAround(node);
      if (access === undefined) break;
      reportMember(access, message, at, report);
      return;
    }
    case 2367:
      // Of lists and objects, and of values with names of ours, the analysis speaks.
      if (!isPlain(first) || !isPlain(second)) return;
      report(
        "rule-comparison",
        diagnostic.at,
        { problem: noOverlap(first, second) },
        valueHint(first, second),
      );
      return;
    case 2365: {
      const [operator = "", left = "", right = ""] = quotedParts(message);
      report("rule-comparison", diagnostic.at, {
        problem: `${operator} cannot compare ${left} with ${right}`,
      });
      return;
    }
    case 18050:
      report("rule-comparison", diagnostic.at, { problem: "only == and != compare with null" });
      return;
    case 2345:
      report("rule-type", diagnostic.at, { problem: `${first} is given where ${second} is wanted` });
      return;
  }
  report("rule-type", diagnostic.at, { problem: sentence(message) });
}

function reportMember(access: Access, message: string, at: (node: ts.Node) => At, report: Report): void {
  const owner = ownerText(access.expression);
  const type = / on type '(.*?)'\.(?: Did you mean|$)/.exec(message)?.[1] ?? "";
  if (type === "never") {
    report("rule-comparison", at(access.expression), {
      problem: `${owner} can have no value here: what stands before excludes them all`,
    });
    return;
  }
  const meant = /Did you mean '(.*)'\?$/.exec(message)?.[1];
  const place = ts.isElementAccessExpression(access) ? access.argumentExpression : access.name;
  const parameters = { name: memberName(access), owner: isPlain(type) ? `${owner} (${type})` : owner };
  report(
    "rule-unknown-field",
    at(place),
    parameters,
    meant === undefined ? undefined : `did you mean '${meant}'?`,
  );
}

/** Literals, primitive types and lists and unions of them. */
function isPlain(type: string): boolean {
  return /^[a-z\d\s|[\]().-]*$/.test(type.replace(/"(?:[^"\\]|\\.)*"/g, ""));
}

function noOverlap(first: string, second: string): string {
  return `this comparison always has the same outcome: ${first} and ${second} have no overlap`.replaceAll(
    '"',
    "'",
  );
}

type Access = ts.PropertyAccessExpression | ts.ElementAccessExpression;

function accessAround(node: ts.Node): Access | undefined {
  let around: ts.Node | undefined = node;
  while (
    around !== undefined &&
    !ts.isPropertyAccessExpression(around) &&
    !ts.isElementAccessExpression(around)
  ) {
    around = around.parent;
  }
  return around;
}

function memberName(access: Access): string {
  if (ts.isPropertyAccessExpression(access)) return access.name.text;
  return ts.isStringLiteral(access.argumentExpression)
    ? access.argumentExpression.text
    : access.argumentExpression.getText();
}

/** The expression as written, in one line. */
function ownerText(expression: ts.Expression): string {
  return expression.getText().replaceAll("?.", ".").replace(/\s+/g, " ");
}

/** What stands in quotes in the checker's message; types may hold quotes themselves, but only double ones. */
function quotedParts(message: string): readonly string[] {
  return [...message.matchAll(/'((?:[^'"]|"(?:[^"\\]|\\.)*")*)'/g)].map(([, part = ""]) => part);
}

/** For a literal that is not among the values: which they are. */
function valueHint(first: string, second: string): string | undefined {
  const [values, other] = first.includes(" | ") ? [first, second] : [second, first];
  if (!values.startsWith('"') || !other.startsWith('"')) return undefined;
  return `its values are ${values.replaceAll('"', "'").replaceAll(" | ", ", ")}`;
}

function sentence(message: string): string {
  return (message.charAt(0).toLowerCase() + message.slice(1)).replace(/\.$/, "");
}
