/** `rules`: who may do what. How they compare is a matter of what they mean: compiler/diff/rules. */
import { imported } from "../../templates/print/code.ts";
import { type Codes, diagnoser } from "../diagnostics/diagnose.ts";
import type { Diagnostic, Span } from "../diagnostics/diagnostic.ts";
import { objectOf } from "../model/given.ts";
import { type Collection, type RuleName, type RuleSource, ruleNames } from "../model/model.ts";
import { ruleAt } from "../model/rule-source.ts";
import type { CompiledRule } from "../rules/compiled.ts";
import { locate, type SourceFile } from "../source/source.ts";
import { collectionSetting } from "./setting.ts";
import { type CollectionCheck, isReliable } from "./subject.ts";

const codes = {
  "rule-without-auth": {
    severity: "error",
    summary: "A rule in a realm without authentication.",
    message: "in a realm with auth: disabled everything is allowed, so this rule would have no effect",
    hint: "only read: true may be stated; to restrict access set auth: enabled in realm.yaml",
    explanation: "A rule that is written but not applied would look like protection.",
    wrong: { "realm.yaml": "auth: disabled", "collection.yaml": "rules: { delete: false }" },
    right: { "realm.yaml": "auth: enabled", "collection.yaml": "rules: { read: true, delete: false }" },
  },
  "rule-unused": {
    severity: "warning",
    summary: "The shorthand write has no effect.",
    message: "create, update and delete are all given, so write has no effect",
    explanation: "`write` stands for those of `create`, `update` and `delete` that are not given.",
    wrong: { "collection.yaml": "rules: { write: true, create: false, update: false, delete: false }" },
    right: { "collection.yaml": "rules: { create: false, update: false, delete: false }" },
  },
  "rule-without-read": {
    severity: "warning",
    summary: "A rule for stored documents in a collection that nobody can read.",
    message: "without a read rule nobody can read a document, so nobody can {rule} one: the answer is 404",
    hint: "add a read rule",
    explanation:
      "Whoever may not read a document must not learn that it exists: every operation on it answers 404, whatever its own rule says. Only API keys are left.",
    wrong: { "collection.yaml": "rules: { update: hasRole('editor') }" },
    right: { "collection.yaml": "rules: { update: hasRole('editor'), read: hasRole('editor') }" },
  },
} as const satisfies Codes;

const diagnose = diagnoser(codes);

/** A rule in a realm without authentication, where there is nothing that may be stated. */
export function ruleWithoutAuth(span: Span): Diagnostic {
  const hint = "remove it; to restrict access set auth: enabled in realm.yaml";
  return diagnose("rule-without-auth", span, {}, { hint });
}

/** In a realm without authentication a rule would have no effect. */
const rulesWithoutAuth: CollectionCheck = ({ realm, collectionFile: file }) => {
  if (realm.auth || file === undefined) return [];
  const rules = Object.entries(objectOf(file.value.rules)).flatMap(([name, rule]) =>
    name === "invoke" || (name === "read" && (rule === true || rule === "true"))
      ? []
      : [diagnose("rule-without-auth", locate(file, ["rules", name], "key"), {})],
  );
  const fields = Object.keys(objectOf(file.value.fields)).map((path) =>
    diagnose("rule-without-auth", locate(file, ["fields", path], "key"), {}),
  );
  return [...rules, ...fields];
};

/** `write` beside all that it is short for. */
const unusedWrite: CollectionCheck = ({ collectionFile: file }) => {
  const given = file === undefined ? [] : Object.keys(objectOf(file.value.rules));
  if (file === undefined || !["write", "create", "update", "delete"].every((rule) => given.includes(rule)))
    return [];
  return [diagnose("rule-unused", locate(file, ["rules", "write"], "key"), {})];
};

/** What needs a document that the caller may read, where there is none for anybody. */
const rulesWithoutRead: CollectionCheck = (subject) => {
  const { realm, collection, collectionFile: file } = subject;
  if (!realm.auth || file === undefined) return [];
  if (collection.rules.read !== undefined || !isReliable(subject, ["rules"])) return [];
  const ofStored = ["update", "delete"] as const;
  const ofDeleted = ["restore", "purge"] as const;
  return [...ofStored, ...(collection.softDelete === undefined ? [] : ofDeleted)]
    .filter((rule) => (collection.rules[rule]?.text ?? "false") !== "false")
    .filter((rule) => collection.rules[rule]?.key === rule)
    .map((rule) => diagnose("rule-without-read", locate(file, ["rules", rule], "key"), { rule }));
};

/** What `write` is short for. */
const writeRules: readonly RuleName[] = ["create", "update", "delete"];

function rulesOf(file: SourceFile): Collection["rules"] {
  const given = objectOf(file.value.rules);
  const rules: Partial<Record<RuleName, RuleSource>> = {};
  for (const name of ruleNames) {
    const key = given[name] === undefined && writeRules.includes(name) ? "write" : name;
    const rule = ruleAt(file, ["rules", key], key);
    if (rule !== undefined) rules[name] = rule;
  }
  return rules;
}

/** What is told of a rule: whether it is true, false or an expression. One that is absent denies. */
export function ruleText(rule: CompiledRule | undefined): boolean | "expression" {
  return rule === undefined ? false : (rule.facts.constant ?? "expression");
}

export const rules = collectionSetting({
  codes,
  checks: [rulesWithoutAuth, unusedWrite, rulesWithoutRead],
  read: ({ file }): Pick<Collection, "rules"> => ({ rules: rulesOf(file) }),
  definition: ({ auth }) => ({ rules: auth ? imported("rules", "./rules.ts") : undefined }),
  traits: (_, { auth }) => (auth ? ["accounts"] : []),
  effective: ({ auth, compiled }) =>
    auth
      ? { rules: Object.fromEntries(ruleNames.map((name) => [name, ruleText(compiled.rules[name])])) }
      : {},
});
