/** Two versions of the rules of a function: who may call it, and for which changes it runs. */

import { type Collection, collectionOf, type Realm, type RealmFunction } from "../../model/model.ts";
import { orNone, type Room, roomOf, roomOfInput, storedAndWritten } from "../../proofs/room.ts";
import { type Act, changeInWitness } from "../../proofs/words.ts";
import type { CompiledFunction, CompiledRule } from "../../rules/compiled.ts";
import { type Trigger, triggerPairs } from "../../settings/function/triggers.ts";
import type { Report } from "../catalogue.ts";
import { allowed, compareRule, denied, type Known, relate } from "./compare.ts";

export interface RuledFunction {
  readonly realm: Realm;
  readonly fn: RealmFunction;
  readonly compiled: CompiledFunction;
}

export function compareInvoke(old: RuledFunction, now: RuledFunction, place: string, report: Report): void {
  const isCall = now.fn.mode === "call";
  const act: Act = { verb: isCall ? "call it with" : "call it", writes: isCall, stored: false };
  // What is called with another input is refused for that, whoever calls.
  const rooms = [roomOfInput(old.fn.input?.schema), roomOfInput(now.fn.input?.schema)] as const;
  const known = { appConfig: [old.realm.appConfig, now.realm.appConfig], rooms };
  compareRule(old.compiled.invoke, now.compiled.invoke, denied, act, `${place} invoke`, known, report);
}

export function compareWhens(old: RuledFunction, now: RuledFunction, place: string, report: Report): void {
  for (const { name, before, after } of triggerPairs(old.fn.triggers, now.fn.triggers)) {
    if (before === undefined || after === undefined) continue;
    const [was, is] = [old.fn.triggers[before], now.fn.triggers[after]];
    const rooms = was && is && roomsOf(collectionAt(old.realm, was), collectionAt(now.realm, is));
    if (rooms === undefined) continue;
    const known = { appConfig: [old.realm.appConfig, now.realm.appConfig], rooms };
    compareWhen(
      old.compiled.whens[before],
      now.compiled.whens[after],
      `${place} ${name}.when`,
      known,
      report,
    );
  }
}

function collectionAt(realm: Realm, { database, collection }: Trigger): Collection | undefined {
  return collectionOf(realm, database, collection);
}

/** Of what is created there was nothing. */
function roomsOf(
  old: Collection | undefined,
  now: Collection | undefined,
): readonly [Room, Room] | undefined {
  if (old === undefined || now === undefined) return undefined;
  const [before, after] = [roomOf(old), roomOf(now)].map((room) => orNone(storedAndWritten(room, room)));
  return before && after && [before, after];
}

function compareWhen(
  before: CompiledRule | undefined,
  after: CompiledRule | undefined,
  where: string,
  known: Known,
  report: Report,
): void {
  const found = relate(before, after, allowed, known);
  if (found === undefined) return;
  if (found.kind === "rewritten") {
    report("rule-rewritten", where, {});
    return;
  }
  const { words, forward, lost, gained } = found;
  const losing = lost && changeInWitness(lost, "does not run any longer for");
  const gaining = gained && changeInWitness(gained, "runs now for");
  if (forward)
    report("when-widened", where, { words, witness: gaining ?? "no change was found that it now runs for" });
  else if (losing && gaining) report("when-moved", where, { words, lost: losing, gained: gaining });
  else {
    const unproven = "no change was found that it does not run for any longer, but that is not proven";
    report("when-narrowed", where, {
      words,
      witness: losing ?? [gaining, unproven].filter(Boolean).join("; "),
    });
  }
}
