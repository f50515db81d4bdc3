/** `triggers`: the changes of documents that a function runs for. */
import type { DocumentEvent } from "../../../runtime/realm/functions.ts";
import { imported } from "../../../templates/print/code.ts";
import { type Codes, diagnoser } from "../../diagnostics/diagnose.ts";
import type { Span } from "../../diagnostics/diagnostic.ts";
import { flag, someOf, text } from "../../model/given.ts";
import type { RealmFunction, RuleSource } from "../../model/model.ts";
import { ruleAt } from "../../model/rule-source.ts";
import { locate } from "../../source/source.ts";
import type { Changes } from "../change.ts";
import { functionSetting } from "../setting.ts";
import type { FunctionCheck } from "../subject.ts";
import { turnover } from "../words.ts";
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

const changes = {
  "trigger-removed": {
    kind: "breaking",
    message: "does not run for changes of documents there any longer",
    why: "What it did then is not done.",
  },
  "trigger-added": {
    kind: "additive",
    message: "runs for changes of documents there",
    why: "What it does then was not done.",
  },
  "trigger-events-removed": {
    kind: "breaking",
    message: "does not run on {events} any longer",
    why: "What it did then is not done.",
  },
  "trigger-events-added": {
    kind: "additive",
    message: "runs on {events}",
    why: "What it does then was not done.",
  },
  "trigger-order-lifted": {
    kind: "internal",
    message: "later changes of a document may overtake one that is tried again",
    why: "The handler sees them in another order.",
  },
  "trigger-order-kept": {
    kind: "internal",
    message: "later changes of a document wait for one that is tried again",
    why: "The handler sees them in their order.",
  },
} as const satisfies Changes;

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

interface TriggerPair {
  /** `triggers.support/tickets`; `#2` is behind it for the second on one collection. */
  readonly name: string;
  /** Its place in the list; absent where there is none. */
  readonly before: number | undefined;
  readonly after: number | undefined;
}

/** The triggers of two versions, by their collections: the first on one is the first before. */
export function triggerPairs(old: readonly Trigger[], now: readonly Trigger[]): readonly TriggerPair[] {
  const [before, after] = [named(old), named(now)];
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  return names.map((name) => ({ name, before: before.get(name), after: after.get(name) }));
}

function named(list: readonly Trigger[]): ReadonlyMap<string, number> {
  const names = new Map<string, number>();
  for (const [at, { database, collection }] of list.entries()) {
    const name = `triggers.${database}/${collection}`;
    const count = list
      .slice(0, at)
      .filter((each) => each.database === database && each.collection === collection);
    names.set(count.length === 0 ? name : `${name}#${count.length + 1}`, at);
  }
  return names;
}

export const triggers = functionSetting({
  codes,
  changes,
  // When one runs is a matter of what its rule means: compiler/diff/rules.
  compare: ({ triggers: old }, { triggers: now }, place, report) => {
    for (const { name, before: was, after: is } of triggerPairs(old, now)) {
      const where = `${place} ${name}`;
      const [before, after] = [
        was === undefined ? undefined : old[was],
        is === undefined ? undefined : now[is],
      ];
      if (before === undefined || after === undefined) {
        report(after === undefined ? "trigger-removed" : "trigger-added", where, {});
        continue;
      }
      const { gone, added } = turnover(before.on, after.on);
      if (gone) report("trigger-events-removed", where, { events: gone });
      if (added) report("trigger-events-added", where, { events: added });
      if (before.unordered !== after.unordered)
        report(after.unordered ? "trigger-order-lifted" : "trigger-order-kept", where, {});
    }
  },
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
