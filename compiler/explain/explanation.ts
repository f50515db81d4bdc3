/** What a rule comes to: its form, what it asks for, its emitted code, and what each caller may do by it. */
import { ruleText } from "../emit.ts";
import type { Collection, Realm, RuleSource } from "../model/model.ts";
import { contextOf, type GivenCaller } from "../plans/callers.ts";
import { type ExampleCaller, exampleCallers } from "../plans/examples.ts";
import type { CompiledRule, CompiledRules, RulePlace } from "../rules/compiled.ts";
import { holds, type World } from "../rules/form/evaluate.ts";
import { describeRule, type RuleDescription } from "./facts.ts";
import { leftOf } from "./left.ts";
import { type ListExplanation, Lists } from "./lists.ts";
import { placeName } from "./places.ts";
import { outline } from "./words.ts";

export interface RuleExplanation {
  readonly realm: string;
  /** `support/tickets`. */
  readonly collection: string;
  /** `read`, `fields.salary.write`. */
  readonly rule: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly text: string;
  /** The analysed form, in words. */
  readonly form: readonly string[];
  readonly facts: RuleDescription;
  /** TypeScript, as `rules.ts` has it; empty: nothing is emitted. */
  readonly code: string;
  readonly callers: readonly CallerExplanation[];
}

export interface CallerExplanation {
  readonly name: string;
  readonly caller: GivenCaller;
  /**
   * `refused`: whatever the document, before anything is read. `none`: of no document. `all`: of every document. `some`: it depends on
   * the document, or on what is written.
   */
  readonly holds: "refused" | "none" | "all" | "some";
  /** What is left to ask, in words. */
  readonly left?: readonly string[];
  /** The page of a list that shows the documents. */
  readonly list?: ListExplanation;
}

export interface ExplainedRule {
  readonly realm: Realm;
  readonly collection: Collection;
  readonly rules: CompiledRules;
  readonly place: RulePlace;
  readonly source: RuleSource;
  readonly rule: CompiledRule;
}

/** @param callers in place of those that are made up from what the rule asks for */
export async function explainRule(
  explained: ExplainedRule,
  callers?: readonly ExampleCaller[],
): Promise<RuleExplanation> {
  const { realm, collection, rules, place, source, rule } = explained;
  const lists =
    place === "read" || place === "restore" ? new Lists(realm, collection, rules, place) : undefined;
  try {
    const told = [];
    for (const { name, caller } of callers ?? exampleCallers(realm, rule.written)) {
      const world = { context: contextOf(caller, realm), document: undefined, data: undefined };
      told.push({ name, caller, ...(await callerExplanation(rule, world, lists)) });
    }
    return {
      realm: realm.name,
      collection: `${collection.database}/${collection.name}`,
      rule: placeName(place),
      file: source.span.file,
      line: source.span.line,
      column: source.span.column,
      text: source.text.trim(),
      form: outline(rule.form.condition),
      facts: describeRule(realm, rule),
      code: await ruleText(collection, rules, place),
      callers: told,
    };
  } finally {
    lists?.close();
  }
}

async function callerExplanation(
  { form }: CompiledRule,
  world: World,
  lists: Lists | undefined,
): Promise<Pick<CallerExplanation, "holds" | "left" | "list">> {
  if (!holds(form.possible, world)) return { holds: "refused" };
  if (lists !== undefined) {
    const filter = lists.filter(world.context);
    return filter === undefined || filter.op === "false"
      ? { holds: "none" }
      : { holds: filter.op === "true" ? "all" : "some", list: await lists.explain(filter) };
  }
  const left = leftOf(form.condition, world);
  if (left.kind === "constant") return { holds: left.holds ? "all" : "none" };
  return { holds: "some", left: outline(left) };
}
