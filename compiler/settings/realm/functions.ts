/** `functions` of realm.yaml: limits of all of them together. */
import type { FunctionLimits } from "../../../runtime/realm/functions.ts";
import { printRate } from "../../../runtime/units.ts";
import { type Codes, diagnoser } from "../../diagnostics/diagnose.ts";
import type { Span } from "../../diagnostics/diagnostic.ts";
import { number, object, present, rate } from "../../model/given.ts";
import type { Realm } from "../../model/model.ts";
import { locate } from "../../source/source.ts";
import { realmSetting } from "../setting.ts";
import type { RealmCheck } from "../subject.ts";

declare module "../../model/model.ts" {
  interface Realm {
    readonly functionLimits?: FunctionLimits & { readonly span: Span };
  }
}

const codes = {
  "functions-unused": {
    severity: "warning",
    summary: "Limits of functions in a realm that has none.",
    message: "the realm has no function, so these limits have no effect",
    hint: "remove functions here, or add one: <database>/_func/<function>",
    explanation: "`functions` in realm.yaml bounds all functions of the realm together, in each instance.",
    wrong: { "realm.yaml": "auth: enabled\nfunctions: { concurrency: 32 }" },
    right: {
      "realm.yaml": "auth: enabled\nfunctions: { concurrency: 32 }",
      "function.yaml": "mode: webhook\ninvoke: true",
    },
  },
} as const satisfies Codes;

const diagnose = diagnoser(codes);

const unused: RealmCheck = ({ realm }) =>
  realm.functionLimits === undefined || realm.functions.length > 0
    ? []
    : [diagnose("functions-unused", realm.functionLimits.span, {})];

export const functionLimits = realmSetting({
  codes,
  checks: [unused],
  read: ({ file, given }): Pick<Realm, "functionLimits"> => {
    if (given.find("functions", object) === undefined) return {};
    const own = given.in("functions");
    const limits = present({ concurrency: own.find("concurrency", number), rate: own.find("rate", rate) });
    return { functionLimits: { ...limits, span: locate(file, ["functions"], "key") } };
  },
  definition: ({ realm: { functionLimits: limits } }) =>
    limits === undefined ? {} : { functionLimits: { concurrency: limits.concurrency, rate: limits.rate } },
  effective: ({ realm: { functionLimits: limits, functions } }) =>
    functions.length === 0
      ? {}
      : {
          functions: {
            concurrency: limits?.concurrency ?? null,
            rate: limits?.rate === undefined ? null : printRate(limits.rate),
          },
        },
});
