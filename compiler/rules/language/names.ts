/** The names that rules know. */
import type { ts } from "@ts-morph/common";
import { didYouMean } from "../../../runtime/suggest.ts";
import type { Root } from "../form/form.ts";
import { type Helper, helpers } from "../helpers/index.ts";
import type { Environment } from "./environment.ts";
import type { RuleScope } from "./scopes.ts";

const names: readonly (Root | "now")[] = ["document", "previous", "data", "user", "now", "appConfig"];

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

export function isRoot(name: string): name is Root {
  return name !== "now" && isValueName(name);
}

/** Whether there is something behind a name where a rule is asked. */
export function isAvailable(root: Root, { document, data, previous, callerless }: RuleScope): boolean {
  switch (root) {
    case "document":
      return document;
    case "data":
      return data;
    case "previous":
      return previous === true;
    case "user":
      return callerless !== true;
    case "appConfig":
      return true;
  }
}

export function isValueName(name: string): boolean {
  return names.some((each) => each === name);
}

/** The helper of a name, where there is one. */
export function helperNamed(name: string, { roles, scope }: Environment): Helper | undefined {
  const helper = helpers.get(name);
  if (helper?.ofCallers && scope.callerless) return undefined;
  return helper?.ofOrganizations && roles.organization === undefined ? undefined : helper;
}

/** Says why a name means nothing where it stands. */
export function reportName(node: ts.Identifier, environment: Environment): void {
  const { scope, types, at, report } = environment;
  const name = node.text;
  const helper = helperNamed(name, environment);
  if (name === "undefined") {
    report(
      "rule-construct",
      at(node),
      { construct: "undefined" },
      "write null: null and missing are the same",
    );
  } else if (helper !== undefined) {
    const hint = `write ${name}(${helper.argument})`;
    report("rule-construct", at(node), { construct: `${name} without a call` }, hint);
  } else if (helpers.has(name) && !scope.callerless) {
    report("rule-no-organizations", at(node), { name });
  } else if (isValueName(name) || helpers.has(name)) {
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

function available(environment: Environment): readonly string[] {
  const { scope } = environment;
  return [
    ...names.filter((name) => !isRoot(name) || isAvailable(name, scope)),
    ...[...helpers.keys()].filter((name) => helperNamed(name, environment) !== undefined),
  ];
}

function unavailableHint({ underWrite, document, data, instead }: RuleScope): string {
  if (instead !== undefined) return instead;
  if (underWrite) return "a rule under write serves create, update and delete; give them rules of their own";
  if (!document && !data) return "no document is stored or written; the caller is user";
  return document
    ? "nothing is written; what is stored is document"
    : "nothing is stored yet; what is being created is data";
}
