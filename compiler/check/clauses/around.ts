/** What holds around a part of a rule wherever that part makes a difference, and what is proven of the part there. */
import { follows } from "../../proofs/relation.ts";
import { anything, type Room } from "../../proofs/room.ts";
import type { Condition } from "../../rules/form/form.ts";
import { constant, negated } from "../../rules/form/simplify.ts";

/** Something that holds, and how it is told. */
export interface Known {
  readonly condition: Condition;
  /** Completes "it only counts …". */
  readonly words: string;
}

/** `sure`: where the part is asked at all. `further`: where it makes a difference beside others, one of which is enough. */
export interface Around {
  readonly sure: readonly Known[];
  readonly further: readonly Known[];
  /** Whether the rule holds the sooner when the part does; under `!` it does not. */
  readonly positive: boolean;
}

/** An outcome that a part has for all callers and documents for which it matters, and what that follows from. */
export interface Claim {
  readonly holds: boolean;
  /** One thing from which it follows alone; undefined where it takes several. */
  readonly because: Known | undefined;
}

/** Outcomes tried for one claim. */
const STEPS = 400;

/**
 * That something follows from what is asked beside it may be told; where it merely is the opposite of what is enough without
 * it, as in `a || (!a && b)`, it is there for the reader. What never holds makes no difference either way, also where that is
 * so by the schema alone; what always holds by the schema is said for the day on which it allows more.
 */
export function claimed(part: Condition, around: Around, room: Room): Claim | undefined {
  const { sure, further, positive } = around;
  const all = [...sure, ...further];
  const [ofTrue, ofFalse] = positive ? [sure, all] : [all, sure];
  return (
    proven(ofTrue, part, true, (some) => follows(together(some, part), part, anything, STEPS)) ??
    proven(ofFalse, part, false, (some) => follows(together(some, part, part), never(part), room, STEPS))
  );
}

function proven(
  known: readonly Known[],
  part: Condition,
  holds: boolean,
  leads: (some: readonly Known[]) => boolean,
): Claim | undefined {
  if (known.length === 0 || !leads(known)) return undefined;
  // Where there is nothing at all for which the part matters, that is told of what stands around it.
  if (follows(together(known, part), never(part), anything, STEPS)) return undefined;
  return { holds, because: known.find((each) => leads([each])) };
}

function together(some: readonly Known[], { at }: Condition, ...further: readonly Condition[]): Condition {
  return { kind: "and", of: [...some.map(({ condition }) => condition), ...further], at };
}

function never({ at }: Condition): Condition {
  return constant(false, at);
}

/** The context of a part among others beside it, of which all are needed, or one is enough. */
export function beside(
  kind: "and" | "or",
  others: readonly { readonly condition: Condition; readonly text: string }[],
  { sure, further, positive }: Around,
): Around {
  const known = others.map(
    ({ condition, text }): Known =>
      kind === "and"
        ? { condition, words: `where \`${text}\` holds` }
        : { condition: negated(condition, condition.at), words: `where \`${text}\` does not hold` },
  );
  return (kind === "and") === positive
    ? { sure: [...sure, ...known], further, positive }
    : { sure, further: [...further, ...known], positive };
}

/** The context of what is chosen where a condition holds, or does not. */
export function chosenBy(when: Condition, text: string, holds: boolean, around: Around): Around {
  const condition = holds ? when : negated(when, when.at);
  const words = `where \`${text}\` ${holds ? "holds" : "does not hold"}`;
  return { ...around, sure: [...around.sure, { condition, words }] };
}

export const nothingAround: Around = { sure: [], further: [], positive: true };
