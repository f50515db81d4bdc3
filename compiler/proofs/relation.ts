/**
 * What two rules are to each other by their forms: one implies the other where no choice of outcomes of their
 * comparisons that values can bring about satisfies the one and not the other.
 */
import { kept } from "../../runtime/kept.ts";
import type { Condition } from "../rules/form/form.ts";
import { type Atom, type Proposition, propositionOf } from "./atoms.ts";
import { mayBoth, mayTogether, type Outcome } from "./exclusion.ts";
import { anything, type Room } from "./room.ts";

export interface Relation {
  /** All that satisfies the first satisfies the second. */
  readonly forward: boolean;
  /** All that satisfies the second satisfies the first. */
  readonly backward: boolean;
}

/** Outcomes tried after which a proof is given up. */
const MAX_STEPS = 4_000;

/** @param rooms the documents that the first is asked of, and those that the second is */
export function relationOf(
  one: Condition,
  other: Condition,
  rooms: readonly [Room, Room] = [anything, anything],
): Relation {
  const [a, b] = [propositionOf(one), propositionOf(other)];
  const together = new Map<string, boolean>();
  const again = rooms[0] === rooms[1] ? together : new Map<string, boolean>();
  return { forward: implies(a, b, rooms[0], together), backward: implies(b, a, rooms[1], again) };
}

/**
 * Whether one implies the other for all documents of a room.
 * @param steps outcomes tried after which the proof is given up
 */
export function follows(given: Condition, wanted: Condition, room = anything, steps = MAX_STEPS): boolean {
  return implies(propositionOf(given), propositionOf(wanted), room, new Map(), steps);
}

/** `together`: which pairs of outcomes there may be, as far as that was asked. */
function implies(
  given: Proposition,
  wanted: Proposition,
  room: Room,
  together: Map<string, boolean>,
  most = MAX_STEPS,
): boolean {
  const chosen = new Map<string, Outcome>();
  let steps = 0;
  return !fails();

  /** Whether the first may hold without the second. */
  function fails(): boolean {
    if (++steps > most) return true;
    const [holds, follows] = [truth(given, chosen), truth(wanted, chosen)];
    if (holds === false || follows === true) return false;
    const next = holds === true ? open(wanted, chosen) : open(given, chosen);
    if (next === undefined) return mayTogether([...chosen.values()], room);
    for (const outcome of [true, false]) {
      const own = { leaf: next.leaf, holds: outcome };
      // By itself an outcome may be ruled out by what there may be.
      if (room !== anything && !mayBe(next.key, own, next.key, own)) continue;
      if (![...chosen].every(([key, other]) => mayBe(next.key, own, key, other))) continue;
      chosen.set(next.key, own);
      if (fails()) return true;
      chosen.delete(next.key);
    }
    return false;
  }

  function mayBe(key: string, outcome: Outcome, otherKey: string, other: Outcome): boolean {
    const pair = `${key} ${outcome.holds} ${otherKey} ${other.holds}`;
    return kept(together, pair, () => mayBoth(outcome, other, room));
  }
}

/** Undefined where it depends on what is not chosen. */
function truth(part: Proposition, chosen: ReadonlyMap<string, Outcome>): boolean | undefined {
  switch (part.kind) {
    case "constant":
      return part.holds;
    case "atom":
      return chosen.get(part.key)?.holds;
    case "not": {
      const inner = truth(part.of, chosen);
      return inner === undefined ? undefined : !inner;
    }
    default: {
      const decides = part.kind === "or";
      const terms = part.of.map((term) => truth(term, chosen));
      if (terms.includes(decides)) return decides;
      return terms.includes(undefined) ? undefined : !decides;
    }
  }
}

/** The first atom without an outcome, of those that matter. */
function open(part: Proposition, chosen: ReadonlyMap<string, Outcome>): Atom | undefined {
  if (truth(part, chosen) !== undefined) return undefined;
  switch (part.kind) {
    case "constant":
      return undefined;
    case "atom":
      return part;
    case "not":
      return open(part.of, chosen);
    default:
      for (const term of part.of) {
        const found = open(term, chosen);
        if (found !== undefined) return found;
      }
      return undefined;
  }
}
