/** What TypeScript says of a rule, in the words of the rule language. */
import { ts } from "ts-morph";
import { serverOwnedFields } from "../../runtime/filter/fields.ts";
import { alternatives, didYouMean } from "../diagnostics/suggest.ts";
import { settingOf } from "../model/server-fields.ts";
import type { At } from "./form.ts";
import type { Access, TypeDiagnostic } from "./program.ts";
import type { Report } from "./reporter.ts";

/** Of the checker: "…is always truthy", objects compared by reference: the analysis says the same and more. */
const leftToAnalysis: ReadonlySet<number> = new Set([2774, 2801, 2839, 2869, 2870, 2871, 2872, 2873]);

/** A member that does not exist. */
const unknownMember: ReadonlySet<number> = new Set([2339, 2551, 7053]);

/**
 * Reports what the checker says. Beside constructs that are refused anyhow (`only` members) it may complain of their
 * consequences: then nothing but unknown members is of use.
 */
export function reportTypeDiagnostic(
  diagnostic: TypeDiagnostic,
  onlyMembers: boolean,
  at: (node: ts.Node) => At,
  report: Report,
): void {
  const { code, message, access } = diagnostic;
  if (unknownMember.has(code) && access !== undefined) {
    reportMember(access, diagnostic, at, report);
    return;
  }
  if (onlyMembers || leftToAnalysis.has(code)) return;
  const [first = "", second = "", third = ""] = quotedParts(message);
  switch (code) {
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
    case 2365:
      report("rule-comparison", diagnostic.at, {
        problem: `${first} cannot compare ${words(second)} with ${words(third)}`,
      });
      return;
    case 18050:
      report("rule-comparison", diagnostic.at, { problem: "only == and != compare with null" });
      return;
    case 2345:
      report("rule-type", diagnostic.at, {
        problem: `${words(first)} is given where ${words(second)} is wanted`,
      });
      return;
    default:
      report("rule-type", diagnostic.at, { problem: sentence(message) });
  }
}

function reportMember(
  access: Access,
  { message, members }: TypeDiagnostic,
  at: (node: ts.Node) => At,
  report: Report,
): void {
  const owner = ownerText(access.expression);
  const type = / (?:on|index) type '(.*?)'\.(?: Did you mean|$)/.exec(message)?.[1] ?? "";
  if (type === "never") {
    const problem = `${owner} can have no value here: what stands before excludes them all`;
    report("rule-comparison", at(access.expression), { problem });
    return;
  }
  const place = ts.isElementAccessExpression(access) ? access.argumentExpression : access.name;
  const name = memberName(access);
  report(
    "rule-unknown-field",
    at(place),
    { name, owner: `${owner}${typeNote(type)}` },
    memberHint(owner, name, members),
  );
}

function memberHint(owner: string, name: string, members: readonly string[]): string | undefined {
  const setting = owner.endsWith("._meta") ? settingOf(`_meta.${name}`) : undefined;
  if (setting !== undefined) return `documents have it only with ${setting}`;
  if (owner === "data" && name === "id") return "it is there only with custom_id";
  if (owner === "data" && name === "_meta") return "it is there only with organization";
  const meant = didYouMean(name, members);
  if (meant === undefined && owner === "document" && Object.hasOwn(serverOwnedFields, `_meta.${name}`))
    return `did you mean '_meta.${name}'?`;
  return meant ?? declaring[owner];
}

/** Where members are declared. */
const declaring: Readonly<Record<string, string>> = {
  document: "fields are declared in schema.json",
  data: "fields are declared in schema.json",
  "user.profile": "its members are declared in realm.yaml, under profile",
  appConfig: "its values stand in realm.yaml, under app_config",
};

/** What the owner is, where it is no object. */
function typeNote(type: string): string {
  return type.endsWith("[]") || isPlain(type) ? ` (${type.startsWith('"') ? "a string" : words(type)})` : "";
}

function words(type: string): string {
  if (type.endsWith("[]")) return "a list";
  const parts = type.split(" | ");
  return parts.every((part) => /^(?:string|number|boolean)$/.test(part))
    ? parts.map((part) => `a ${part}`).join(" or ")
    : type.replaceAll('"', "'");
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
  if (!first.includes(" | ") && !second.includes(" | ")) return undefined;
  const [values, other] = first.includes(" | ") ? [first, second] : [second, first];
  if (!values.startsWith('"') || !other.startsWith('"')) return undefined;
  const names = values.split(" | ").map((value) => value.slice(1, -1));
  return didYouMean(other.slice(1, -1), names) ?? `its values are ${alternatives(names)}`;
}

function sentence(message: string): string {
  return (message.charAt(0).toLowerCase() + message.slice(1)).replace(/\.$/, "");
}
