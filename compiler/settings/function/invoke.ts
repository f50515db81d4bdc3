/** `invoke`: who may call a function. */
import { imported } from "../../../templates/print/code.ts";
import { type Codes, diagnoser } from "../../diagnostics/diagnose.ts";
import type { RealmFunction } from "../../model/model.ts";
import { ruleAt } from "../../model/rule-source.ts";
import { locate } from "../../source/source.ts";
import { ruleText, ruleWithoutAuth } from "../rules.ts";
import { functionSetting } from "../setting.ts";
import type { FunctionCheck } from "../subject.ts";

declare module "../../model/model.ts" {
  interface RealmFunction {
    /** Absent: denies. */
    readonly invoke?: RuleSource;
  }
}

const codes = {
  "function-without-invoke": {
    severity: "warning",
    summary: "A call that nobody may make.",
    message: "there is no invoke rule, so nobody may call this function but API keys",
    hint: "say who may, for example invoke: user != null",
    explanation: "A rule that is not declared denies, as everywhere. API keys are past the rules.",
    wrong: { "function.yaml": "mode: call" },
    right: { "function.yaml": "mode: call\ninvoke: user != null" },
  },
  "webhook-not-anonymous": {
    severity: "error",
    summary: "A webhook that anonymous callers can never call.",
    message: "a webhook must let callers without credentials through, and {problem}",
    hint: "write invoke: true, and let the handler check who sends",
    explanation:
      "Who calls a webhook is a program elsewhere, which has no account here: it proves itself by a signature, which the handler verifies. A function for people who are signed in is of mode `call`.",
    wrong: { "function.yaml": "mode: webhook\ninvoke: hasRole('editor')" },
    right: { "function.yaml": "mode: webhook\ninvoke: true" },
  },
} as const satisfies Codes;

const diagnose = diagnoser(codes);

const missing: FunctionCheck = ({ fn, file, faults, realm }) => {
  if (fn.mode === "event" || !realm.auth || file.value.invoke !== undefined) return [];
  if (["mode", "invoke"].some((key) => faults.touch(file.path, [key]))) return [];
  const span = locate(file, ["mode"]);
  return fn.mode === "call"
    ? [diagnose("function-without-invoke", span, {})]
    : [diagnose("webhook-not-anonymous", span, { problem: "without an invoke rule nobody may" })];
};

/** In a realm without authentication a rule would have no effect. */
const withoutAuth: FunctionCheck = ({ fn, file, realm }) =>
  realm.auth || fn.mode === "event" || fn.invoke === undefined || fn.invoke.text === "true"
    ? []
    : [ruleWithoutAuth(locate(file, ["invoke"], "key"))];

export const invoke = functionSetting({
  codes,
  checks: [missing, withoutAuth],
  read: ({ file }): Pick<RealmFunction, "invoke"> => {
    const rule = ruleAt(file, ["invoke"], "invoke");
    return rule === undefined ? {} : { invoke: rule };
  },
  facts: ({ mode, invoke: source }, { invoke: rule }) =>
    mode !== "webhook" || source === undefined || rule === undefined || rule.facts.anonymous
      ? []
      : [diagnose("webhook-not-anonymous", source.span, { problem: "this rule never does" })],
  // A rule that allows nobody is left out, as if it were not declared.
  definition: ({ compiled: { invoke: rule } }) => ({
    invoke:
      rule === undefined || rule.facts.constant === false ? undefined : imported("invoke", "./rules.ts"),
  }),
  effective: ({ fn, auth, compiled }) =>
    auth && fn.mode !== "event" ? { invoke: ruleText(compiled.invoke) } : {},
});
