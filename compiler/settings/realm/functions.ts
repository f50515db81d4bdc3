/** `functions` of realm.yaml: limits of all of them together. */
import type { FunctionLimits } from "../../../runtime/realm/functions.ts";
import { printRate } from "../../../runtime/units.ts";
import { type Codes, diagnoser } from "../../diagnostics/diagnose.ts";
import type { Span } from "../../diagnostics/diagnostic.ts";
import { number, object, present, rate } from "../../model/given.ts";
import type { Realm } from "../../model/model.ts";
import { locate } from "../../source/source.ts";
import type { Changes } from "../change.ts";
import { type CompiledRealm, realmSetting } from "../setting.ts";
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

const changes = {
  "functions-limit-changed": {
    kind: "internal",
    message: "was {old} and is {new}",
    why: "Functions of the realm are refused earlier or later (429, webhooks 503) in each instance.",
  },
} as const satisfies Changes;

const diagnose = diagnoser(codes);

const unused: RealmCheck = ({ realm }) =>
  realm.functionLimits === undefined || realm.functions.length > 0
    ? []
    : [diagnose("functions-unused", realm.functionLimits.span, {})];

function printed({
  realm: { functionLimits: limits },
}: CompiledRealm): Readonly<Record<"concurrency" | "rate", string>> {
  return {
    concurrency: limits?.concurrency === undefined ? "not limited" : String(limits.concurrency),
    rate: limits?.rate === undefined ? "not limited" : printRate(limits.rate),
  };
}

export const functionLimits = realmSetting({
  codes,
  changes,
  compare: (before, after, report) => {
    const [old, now] = [printed(before), printed(after)];
    for (const name of ["concurrency", "rate"] as const)
      if (old[name] !== now[name])
        report("functions-limit-changed", `functions.${name}`, { old: old[name], new: now[name] });
  },
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
