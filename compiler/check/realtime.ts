/** What `realtime` can be wrong about: collections that nobody could follow, rules that move with the clock. */
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Collection } from "../model/model.ts";
import type { CompiledRules } from "../rules/compiled.ts";
import { type Condition, isKnown, leavesIn, type Value, valuesIn } from "../rules/form/form.ts";
import { readRules } from "../settings/read-rules.ts";
import { diagnose as diagnoseFollowing } from "../settings/realtime.ts";
import type { RealmCheck } from "../settings/subject.ts";
import { outcomeOf } from "./mistaken-rules.ts";

/** Limits of streams where nothing can be followed. */
export const unusedRealtime: RealmCheck = ({ realm, faults }) => {
  const collections = realm.databases.flatMap((database) => database.collections);
  if (realm.realtime === undefined || collections.some(({ realtime }) => realtime !== undefined)) return [];
  // A collection whose file is not understood may be meant to be followed.
  const isOpen = collections.some(({ realm: name, database, name: collection }) =>
    faults.touch(`${name}/${database}/${collection}/collection.yaml`, ["realtime"]),
  );
  return isOpen ? [] : [diagnose("realtime-unused", realm.realtime.span, {})];
};

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
        return [
          diagnoseFollowing("realtime-unreadable", span, { reason: `${rule} holds for nobody` }, { related }),
        ];
      return movesWithClock(form.condition)
        ? [diagnoseFollowing("realtime-clock", span, { rule }, { related })]
        : [];
    },
  );
}

/** Whether a moment stands beside what is stored; what only concerns the caller is settled when access is read. */
function movesWithClock(condition: Condition): boolean {
  const isMoment = ({ kind }: Value) => kind === "now" || kind === "moment";
  return [...leavesIn(condition)].some((leaf) => !isKnown(leaf) && [...valuesIn(leaf)].some(isMoment));
}
