/** The names that rules know. */
import type { ts } from "ts-morph";
import { didYouMean } from "../../diagnostics/suggest.ts";
import { membershipHelpers } from "../helpers.ts";
import type { Environment } from "./environment.ts";
import type { RuleScope } from "./scopes.ts";

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

export function isValueName(name: string): boolean {
  return names.includes(name);
}

export function isHelper(name: string, { roles }: Environment): boolean {
  return helpers.includes(name) || (roles.organization !== undefined && organizationHelpers.includes(name));
}

/** Says why a name means nothing where it stands. */
export function reportName(node: ts.Identifier, environment: Environment): void {
  const { scope, types, at, report } = environment;
  const name = node.text;
  if (name === "undefined") {
    report(
      "rule-construct",
      at(node),
      { construct: "undefined" },
      "write null: null and missing are the same",
    );
  } else if (isHelper(name, environment)) {
    const argument = helpers.includes(name) ? "'…'" : "…";
    const hint = `write ${name}(${argument})`;
    report("rule-construct", at(node), { construct: `${name} without a call` }, hint);
  } else if (organizationHelpers.includes(name)) {
    report("rule-no-organizations", at(node), { name });
  } else if (names.includes(name)) {
    report("rule-unavailable-name", at(node), { name, rule: scope.name }, unavailableHint(scope));
  } else {
    report(
      "rule-unknown-name",
      at(node),
      { name },
      otherNames[name.toLowerCase()] ??
        (Object.hasOwn(types.document.members ?? {}, name)
          ? `did you mean ${scope.document ? "document" : "data"}.${name}?`
          : undefined) ??
        didYouMean(name, available(environment)) ??
        `a rule knows ${available(environment).join(", ")}`,
    );
  }
}

function available({ scope, roles }: Environment): readonly string[] {
  return [
    ...names.filter((name) => (name !== "document" || scope.document) && (name !== "data" || scope.data)),
    ...helpers,
    ...(roles.organization === undefined ? [] : organizationHelpers),
  ];
}

function unavailableHint({ underWrite, document, data }: RuleScope): string {
  if (underWrite) return "a rule under write serves create, update and delete; give them rules of their own";
  if (!document && !data) return "no document is stored or written; the caller is user";
  return document
    ? "nothing is written; what is stored is document"
    : "nothing is stored yet; what is being created is data";
}
