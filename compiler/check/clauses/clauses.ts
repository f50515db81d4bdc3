/** Clauses of rules that make no difference: constant ones, repeated ones, those that what stands around them decides. */
import { kept } from "../../../runtime/kept.ts";
import { oneLine } from "../../model/rule-source.ts";
import { canonicalText } from "../../proofs/atoms.ts";
import { follows, relationOf } from "../../proofs/relation.ts";
import { anything, type Room } from "../../proofs/room.ts";
import {
  type At,
  type Condition,
  isCondition,
  isLeaf,
  partsOf,
  readsDocument,
  type Value,
  valuesIn,
} from "../../rules/form/form.ts";
import { constant, simplify } from "../../rules/form/simplify.ts";
import { type Around, beside, chosenBy, claimed, nothingAround } from "./around.ts";

/** What is known of where a rule is asked. */
export interface Setting {
  readonly text: string;
  /** The documents that there may be, and what may be written. */
  readonly room: Room;
  /** What the schema says of the fields that a condition reads, in words. */
  readonly said: (condition: Condition) => string | undefined;
}

/** A part of a rule, and what is wrong with it. */
export interface Fault {
  readonly at: At;
  readonly problem: string;
}

/** Clauses beside each other that are compared: each with each other takes time. */
const MAX_CLAUSES = 10;

/** Parts of one rule that are looked at. */
const MAX_PARTS = 60;

/** What a condition is for every caller and document; undefined where that depends, or is not known. */
export function outcomeOf(condition: Condition, room: Room = anything): boolean | undefined {
  const simple = simplify(condition);
  if (simple.kind === "constant") return simple.holds;
  if (follows(simple, constant(false, condition.at), room)) return false;
  return follows(constant(true, condition.at), simple, room) ? true : undefined;
}

/** @param around what is known wherever the rule is asked */
export function clauseFaults(
  condition: Condition,
  { text, room, said }: Setting,
  around: Around = nothingAround,
): Fault[] {
  let left = MAX_PARTS;
  const faults = new Map<Condition, Fault[]>();
  return [...ofTerms(condition, around.positive), ...hereWithin(condition, around)];

  /** What is wrong with a part wherever it stood. */
  function faultsOf(part: Condition, positive: boolean, negation?: Condition): Fault[] {
    return kept(faults, part, () => {
      const own = ownFault(part, positive, negation);
      return own === undefined ? ofTerms(part, positive) : [own];
    });
  }

  /** The same of what a part combines; the part itself is sound. */
  function ofTerms(whole: Condition, positive: boolean): Fault[] {
    switch (whole.kind) {
      case "not":
        return faultsOf(whole.of, !positive, whole);
      case "and":
      case "or": {
        const parts = partsAmong(whole);
        const own = parts.flatMap((part) => faultsOf(part, positive));
        return [...own, ...needlessAmong(whole, positive).map(({ fault }) => fault)];
      }
      case "choice":
        return [
          ...faultsOf(whole.when, true),
          ...[whole.yes, whole.no].flatMap((part) => faultsOf(part, positive)),
        ];
      default:
        return innerOf(whole).flatMap((inner) => faultsOf(inner, true));
    }
  }

  /** What is wrong with the sound parts of a condition where they stand. */
  function hereWithin(whole: Condition, outer: Around): Fault[] {
    switch (whole.kind) {
      case "not":
        return hereOf(whole.of, { ...outer, positive: !outer.positive }, whole);
      case "choice": {
        const { when, yes, no } = whole;
        const words = oneLine(text, when.at);
        const ofWhen = hereOf(when, { ...outer, positive: true });
        if (ofWhen.length > 0) return ofWhen;
        return [
          ...hereOf(yes, chosenBy(when, words, true, outer)),
          ...hereOf(no, chosenBy(when, words, false, outer)),
        ];
      }
      case "and":
      case "or":
        return hereAmong(whole, outer);
      default:
        return innerOf(whole).flatMap((inner) => hereOf(inner, { ...outer, positive: true }));
    }
  }

  function hereAmong(whole: Combination, outer: Around): Fault[] {
    const gone = new Set<Condition>(needlessAmong(whole, outer.positive).map(({ part }) => part));
    const sound = partsAmong(whole).filter((part) => faultsOf(part, outer.positive).length === 0);
    // Later ones first, so that of two that rule each other out the first stays.
    return sound.toReversed().flatMap((part) => {
      if (gone.has(part)) return [];
      const others = sound
        .filter((other) => other !== part && !gone.has(other))
        .map((other) => ({ condition: other, text: oneLine(text, other.at) }));
      const found = hereOf(part, beside(whole.kind, others, outer));
      if (found.some(({ at }) => at === part.at)) gone.add(part);
      return found;
    });
  }

  function hereOf(part: Condition, outer: Around, negation?: Condition): Fault[] {
    if (faultsOf(part, outer.positive, negation).length > 0) return [];
    const fault = faultHere(part, outer, negation);
    return fault === undefined ? hereWithin(part, outer) : [fault];
  }

  /** What a part is by itself, or by the schema. */
  function ownFault(part: Condition, positive: boolean, negation?: Condition): Fault | undefined {
    const { at } = part;
    if (part.kind === "constant")
      return { at, problem: `\`${part.holds}\` has no place beside other conditions` };
    const words = `\`${oneLine(text, at)}\``;
    const outcome = outcomeOf(part);
    if (outcome !== undefined) return { at, problem: `${words} is always ${outcome}` };
    if (isGuard(part, negation) || !isNever(part, room)) return undefined;
    if (!positive && isAskedToBeSafe(part, room)) return undefined;
    const reason = said(part);
    const because = reason === undefined ? "" : `: by schema.json ${reason}`;
    return { at, problem: `${words} is always false${because}` };
  }

  /** What a part is where it is asked. */
  function faultHere(part: Condition, inner: Around, negation?: Condition): Fault | undefined {
    if (isGuard(part, negation) || --left < 0) return undefined;
    // What is absent may satisfy others as well: `user == null || document.owner_id != user.id`.
    const claim = claimed(part, part.kind === "absent" ? { ...inner, further: [] } : inner, room);
    if (claim === undefined || (claim.holds && (isMembership(part) || part.kind === "absent")))
      return undefined;
    if (!claim.holds && !inner.positive && isAskedToBeSafe(part, room)) return undefined;
    const words = `\`${oneLine(text, part.at)}\``;
    const where = claim.because === undefined ? "beside all that stands around it" : claim.because.words;
    const problem = claim.holds
      ? `${words} makes no difference: it only counts ${where}, and there it always holds`
      : `${words} can never matter: it only counts ${where}, and there it never holds`;
    return { at: part.at, problem };
  }

  /** Clauses that others say already. */
  function needlessAmong(
    { kind, ...whole }: Combination,
    positive: boolean,
  ): { readonly part: Condition; readonly fault: Fault }[] {
    const parts = partsAmong({ kind, ...whole }).filter((part) => faultsOf(part, positive).length === 0);
    const gone = new Set<Condition>();
    // Later ones first, so that of two that say the same the first stays.
    for (const part of parts.toReversed()) {
      const others = parts.filter((other) => other !== part && !gone.has(other));
      if (others.some((other) => isSaidBy(part, other, kind))) gone.add(part);
    }
    return [...gone].flatMap((part) => {
      const other = parts.find((each) => each !== part && isSaidBy(part, each, kind));
      if (other === undefined) return [];
      const [own, next] = [oneLine(text, part.at), oneLine(text, other.at)];
      const reason = kind === "and" ? "from which it follows" : "which holds wherever it does";
      const same = canonicalText(part) === canonicalText(other);
      const problem = same
        ? `\`${own}\` stands here twice`
        : `\`${own}\` makes no difference beside \`${next}\`, ${reason}`;
      return [{ part, fault: { at: part.at, problem } }];
    });
  }
}

type Combination = Condition & { readonly kind: "and" | "or" };

function partsAmong(whole: Combination): readonly Condition[] {
  return clausesOf(whole, whole.kind).slice(0, MAX_CLAUSES);
}

/** Conditions within the values of a comparison. */
function innerOf(leaf: Condition): readonly Condition[] {
  return partsOf(leaf).flatMap(conditionsIn);
}

/** Whether nothing that the schema allows satisfies a part, whoever asks. */
export function isNever(part: Condition, room: Room): boolean {
  return room !== anything && outcomeOf(part, room) === false;
}

/** That nothing is beyond what the schema allows may be ruled out to be safe; that it is one of no enumeration may not. */
function isAskedToBeSafe(part: Condition, room: Room): boolean {
  return isNever(part, room) && !isOfListed(part, room);
}

/** A comparison of fields whose values are listed. */
function isOfListed(part: Condition, room: Room): boolean {
  const reads = isLeaf(part) ? [...valuesIn(part)].filter(readsDocument) : [];
  return reads.length > 0 && reads.every((read) => room.values(read) !== undefined);
}

/** `a && (b && c)` has three. */
export function clausesOf(condition: Condition, kind: "and" | "or"): readonly Condition[] {
  if (condition.kind !== "and" && condition.kind !== "or") return [condition];
  return condition.kind === kind ? condition.of.flatMap((part) => clausesOf(part, kind)) : [condition];
}

function conditionsIn(part: Condition | Value): readonly Condition[] {
  return isCondition(part) ? [part] : partsOf(part).flatMap(conditionsIn);
}

function isSaidBy(part: Condition, other: Condition, kind: "and" | "or"): boolean {
  if (canonicalText(part) === canonicalText(other)) return true;
  // That something is there or not, and who is a member, is said for the reader, and to be safe, beside what needs it.
  if (part.kind === "absent" || isGuard(part)) return false;
  if (kind === "and" && isMembership(part)) return false;
  return kind === "and" ? relationOf(other, part).forward : relationOf(part, other).forward;
}

/** `x != null`: said for the reader, and to be safe, beside what needs it. */
function isGuard(part: Condition, negation?: Condition): boolean {
  if (negation !== undefined) return part.kind === "absent";
  return part.kind === "not" && part.of.kind === "absent";
}

/** `inOrg(…)` beside what members alone satisfy. */
function isMembership(part: Condition): boolean {
  return isLeaf(part) && part.kind === "membership" && part.roles.length === 0;
}
