/** `triggers`: the changes of documents that a function runs for. */
import type { DocumentEvent } from "../../../runtime/realm/functions.ts";
import { imported } from "../../../templates/print/code.ts";
import { type Codes, diagnoser } from "../../diagnostics/diagnose.ts";
import type { Span } from "../../diagnostics/diagnostic.ts";
import { flag, someOf, text } from "../../model/given.ts";
import type { RealmFunction, RuleSource } from "../../model/model.ts";
import { ruleAt } from "../../model/rule-source.ts";
import { locate } from "../../source/source.ts";
import { functionSetting } from "../setting.ts";
import type { FunctionCheck } from "../subject.ts";
import { missingIn } from "./scopes.ts";

declare module "../../model/model.ts" {
  interface RealmFunction {
    /** In the order of the file. */
    readonly triggers: readonly Trigger[];
  }
}

export interface Trigger {
  readonly database: string;
  readonly collection: string;
  readonly on: readonly DocumentEvent[];
  readonly when?: RuleSource;
  readonly unordered?: true;
  /** Of its collection. */
  readonly span: Span;
}

const codes = {
  "trigger-collection": {
    severity: "error",
    summary: "A trigger on a collection that does not exist.",
    message: "there is no {what}",
    explanation:
      "`collection` names a collection of the function's own database, or one of another as `database/collection`.",
    wrong: { "function.yaml": "mode: event\ntriggers: [{ collection: ticket, on: [create] }]" },
    right: { "function.yaml": "mode: event\ntriggers: [{ collection: tickets, on: [create] }]" },
  },
} as const satisfies Codes;

const diagnose = diagnoser(codes);

const collections: FunctionCheck = ({ fn, file, faults, names }) =>
  fn.triggers.flatMap(({ database, collection, span }, at) => {
    if (faults.touch(file.path, ["triggers", at, "collection"])) return [];
    const missing = missingIn(`${database}/${collection}`, names);
    if (missing === undefined) return [];
    return [diagnose("trigger-collection", span, { what: missing.what }, { hint: missing.hint })];
  });

const events: readonly DocumentEvent[] = ["create", "update", "delete"];

/** What the function's `rules.ts` calls the rule of a trigger. */
export function whenName(at: number): string {
  return `when${at}`;
}

export const triggers = functionSetting({
  codes,
  checks: [collections],
  read: ({ file, given, database }): Pick<RealmFunction, "triggers"> => ({
    triggers: !Array.isArray(file.value.triggers)
      ? []
      : given.items("triggers").map((own, at) => {
          const named = own.find("collection", text) ?? "";
          const [other = "", ...rest] = named.split("/");
          const when = ruleAt(file, ["triggers", at, "when"], `triggers[${at}].when`);
          return {
            ...(rest.length === 0
              ? { database, collection: named }
              : { database: other, collection: rest.join("/") }),
            on: own.find("on", someOf(...events)) ?? [],
            ...(when === undefined ? {} : { when }),
            ...(own.read("ordered", flag) ? {} : { unordered: true as const }),
            span: locate(file, ["triggers", at, "collection"]),
          };
        }),
  }),
  // What never holds is no trigger.
  definition: ({ fn: { mode, triggers: own }, compiled: { whens } }) =>
    mode === "event"
      ? {
          triggers: own.flatMap(({ database, collection, on, unordered }, at) => {
            const constant = whens[at]?.facts.constant;
            if (constant === false) return [];
            const when =
              whens[at] === undefined || constant === true ? undefined : imported(whenName(at), "./rules.ts");
            return [{ database, collection, on, when, unordered }];
          }),
        }
      : {},
  effective: ({ fn: { mode, triggers: own }, compiled: { whens } }) =>
    mode === "event"
      ? {
          triggers: own.map(({ database, collection, on, unordered }, at) => ({
            collection: `${database}/${collection}`,
            on: [...on],
            when: whens[at] === undefined ? true : (whens[at].facts.constant ?? "expression"),
            ordered: unordered !== true,
          })),
        }
      : {},
});
