/** What `realtime` can be wrong about: collections that nobody could follow, rules that move with the clock. */
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Collection } from "../model/model.ts";
import type { CompiledRules } from "../rules/compiled.ts";
import { type Condition, isKnown, leavesIn, type Value, valuesIn } from "../rules/form/form.ts";
import { readRules } from "../settings/read-rules.ts";
import { diagnose } from "../settings/realtime.ts";
import { outcomeOf } from "./clauses/clauses.ts";

/**
 * Nobody can follow what nobody can read; and a rule that compares what is stored with the clock lets through something
 * else whenever access is read anew. Rules with mistakes of their own are absent.
 */
export function realtimeFacts(collection: Collection, compiled: CompiledRules): Diagnostic[] {
  const { realtime } = collection;
  if (realtime === undefined) return [];
  const { span } = realtime;
  return readRules(collection, compiled).flatMap(
    ({ rule, compiled: { form, written }, source, isOfField }) => {
      const related = [{ message: `${rule} stands here`, span: source.span }];
      if (!isOfField && (outcomeOf(form.condition) ?? outcomeOf(written)) === false)
        return [diagnose("realtime-unreadable", span, { reason: `${rule} holds for nobody` }, { related })];
      return movesWithClock(form.condition) ? [diagnose("realtime-clock", span, { rule }, { related })] : [];
    },
  );
}

/** Whether a moment stands beside what is stored; what only concerns the caller is settled when access is read. */
function movesWithClock(condition: Condition): boolean {
  const isMoment = ({ kind }: Value) => kind === "now" || kind === "moment";
  return [...leavesIn(condition)].some((leaf) => !isKnown(leaf) && [...valuesIn(leaf)].some(isMoment));
}
