/** Two versions of the rules of a collection. */
import { exposed } from "../../check/retired.ts";
import type { Realm, RuleName } from "../../model/model.ts";
import type { Protection } from "../../model/protections.ts";
import { oneLine } from "../../model/rule-source.ts";
import type { Circumstances } from "../../proofs/candidates.ts";
import { relationOf } from "../../proofs/relation.ts";
import { anything, either, orNone, type Room, roomOf, storedAndWritten } from "../../proofs/room.ts";
import { findWitness, type Witness } from "../../proofs/search.ts";
import { type Act, witnessInWords } from "../../proofs/words.ts";
import type { CompiledRule, CompiledRules, RulesStage } from "../../rules/compiled.ts";
import type { Condition } from "../../rules/form/form.ts";
import { constant } from "../../rules/form/simplify.ts";
import type { Report } from "../catalogue.ts";
import { collectionPlace, type Version } from "../collection.ts";
import { changeInWords, type Ruled, ruledBy } from "./clauses.ts";

export interface Known extends Omit<Circumstances, "replaced" | "room"> {
  /** Where somebody loses something: what there was; where somebody gains: what there may be now. */
  readonly rooms: readonly [lost: Room, gained: Room];
}

export interface RuledVersion extends Version {
  readonly compiled: CompiledRules;
}

export function compareRules(old: RuledVersion, now: RuledVersion, report: Report): void {
  const place = collectionPlace(now.collection);
  const circumstances: Known = {
    appConfig: [old.realm.appConfig, now.realm.appConfig],
    rooms: roomsOf(old, now),
  };
  for (const [name, act] of acts) {
    const [before, after] = [old.compiled.rules[name], now.compiled.rules[name]];
    compareRule(before, after, denied, act, `${place} rules.${name}`, circumstances, report);
  }
  const leaks = exposed(protectionsOf(old), now.collection, now.compiled);
  const paths = [old, now].flatMap(({ compiled }) => compiled.fieldRules.map(({ path }) => path));
  for (const path of [...new Set(paths)].sort()) {
    const [before, after] = [old, now].map(({ compiled }) =>
      compiled.fieldRules.find((rule) => rule.path === path),
    );
    for (const [key, verb] of [
      ["read", `see the field ${path} of`],
      ["write", `set the field ${path} of`],
    ] as const) {
      const act: Act = { verb, writes: key === "write", stored: true };
      const where = `${place} fields.${path}.${key}`;
      const here: Known = key === "write" ? { ...circumstances, creating: true } : circumstances;
      const leak = key === "read" ? leaks.find((each) => each.path === path) : undefined;
      if (leak !== undefined && before?.read !== undefined) {
        const witness = leakInWords(before.read, shownTo(path, now), act, here);
        if (witness !== undefined)
          report("retired-field-readable", where, { rule: oneLine(leak.read), witness });
        continue;
      }
      compareRule(before?.[key], after?.[key], allowed, act, where, here, report);
    }
  }
}

function protectionsOf({ compiled }: RuledVersion): Protection[] {
  return compiled.fieldRules.flatMap(({ path, read }) =>
    read === undefined || read.facts.constant === true ? [] : [{ path, read: read.text }],
  );
}

/** What must hold for a member without a rule of its own to be seen: the read rules of the objects around it. */
function shownTo(path: string, { compiled }: RuledVersion): Condition {
  const around = compiled.fieldRules.flatMap(({ path: outer, read }) =>
    read !== undefined && path.startsWith(`${outer}.`) ? [read.form.condition] : [],
  );
  return around.length === 0 ? allowed.condition : { kind: "and", of: around, at: nowhere };
}

/** Somebody who sees what the old rule hid from them; undefined where the rules around it are known to hide it still. */
function leakInWords(
  old: CompiledRule,
  shown: Condition,
  act: Act,
  { rooms: [, room], ...known }: Known,
): string | undefined {
  if (relationOf(shown, old.form.condition, [room, room]).forward) return undefined;
  const witness = findWitness(shown, old.form.condition, { ...known, room });
  return witness === undefined
    ? "nobody was found who does, but that is not proven"
    : witnessInWords(witness, "may now", act, old.facts.readsClock);
}

/** What is written now fits the schema as it is now; what is stored may be as old as the one before. */
function roomsOf(old: Version, now: Version): Known["rooms"] {
  const [before, after] = [roomOf(old.collection), roomOf(now.collection)];
  return [storedAndWritten(before, before), storedAndWritten(either(before, after), after)];
}

const acts: readonly (readonly [RuleName, Act])[] = [
  ["read", { verb: "read", writes: false, stored: true }],
  ["create", { verb: "create", writes: true, stored: false }],
  ["update", { verb: "update", writes: true, stored: true }],
  ["delete", { verb: "delete", writes: false, stored: true }],
  ["restore", { verb: "see and restore", writes: false, stored: true }],
  ["purge", { verb: "purge", writes: false, stored: true }],
];

/** Who creates organizations. */
export function compareOrganizationRules(
  old: { readonly realm: Realm; readonly rules: RulesStage },
  now: { readonly realm: Realm; readonly rules: RulesStage },
  report: Report,
): void {
  const [before, after] = [old.rules.createOrganization, now.rules.createOrganization];
  const circumstances = {
    appConfig: [old.realm.appConfig, now.realm.appConfig],
    rooms: [anything, anything] as const,
  };
  const act: Act = { verb: "create an organization", writes: false, stored: false };
  compareRule(before, after, denied, act, "organizations.create", circumstances, report);
}

const nowhere = { start: 0, end: 0 };
/** What stands for an operation's rule that is not given, and for a field's. */
export const denied: Ruled = { text: "false", condition: constant(false, nowhere) };
export const allowed: Ruled = { text: "true", condition: constant(true, nowhere) };

export function compareRule(
  before: CompiledRule | undefined,
  after: CompiledRule | undefined,
  fallback: Ruled,
  act: Act,
  where: string,
  circumstances: Known,
  report: Report,
): void {
  const found = relate(before, after, fallback, circumstances);
  if (found === undefined) return;
  if (found.kind === "rewritten") {
    report("rule-rewritten", where, {});
    return;
  }
  const { words, forward, lost, gained } = found;
  const readsClock = [before, after].some((rule) => rule?.facts.readsClock === true);
  const losing = lost && witnessInWords(lost, "may no longer", act, readsClock);
  const gaining = gained && witnessInWords(gained, "may now", act, readsClock);
  if (losing && gaining) report("rule-moved", where, { words, lost: losing, gained: gaining });
  else if (losing) report("rule-narrowed", where, { words, witness: losing });
  else if (gaining) report(forward ? "rule-widened" : "rule-unproven", where, { words, witness: gaining });
  else report(forward ? "rule-implied" : "rule-undecided", where, { words });
}

type Related =
  | { readonly kind: "rewritten" }
  | {
      readonly kind: "changed";
      readonly words: string;
      /** By their forms nobody loses anything. */
      readonly forward: boolean;
      readonly lost: Witness | undefined;
      readonly gained: Witness | undefined;
    };

/** Undefined for rules that are the same as they are written. */
export function relate(
  before: CompiledRule | undefined,
  after: CompiledRule | undefined,
  fallback: Ruled,
  { rooms, ...known }: Known,
): Related | undefined {
  const [old, now] = [before, after].map((rule) => (rule === undefined ? fallback : ruledBy(rule)));
  if (old === undefined || now === undefined || old === now) return undefined;
  const [lose, gain] = rooms;
  const provable = known.creating ? ([orNone(lose), orNone(gain)] as const) : rooms;
  const { forward, backward } = relationOf(old.condition, now.condition, provable);
  if (forward && backward) return oneLine(old.text) === oneLine(now.text) ? undefined : { kind: "rewritten" };
  return {
    kind: "changed",
    words: changeInWords(old, now),
    forward,
    lost: forward ? undefined : findWitness(old.condition, now.condition, { ...known, room: lose }),
    gained: backward ? undefined : findWitness(now.condition, old.condition, { ...known, room: gain }),
  };
}
