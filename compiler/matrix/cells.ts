/** What becomes of an access for a row: proved to be always or never there, or shown to depend, or else not known. */
import type { Realm } from "../model/model.ts";
import { relationOf } from "../proofs/relation.ts";
import { type Room, roomOf, storedAndWritten } from "../proofs/room.ts";
import { findWitness } from "../proofs/search.ts";
import type { Condition } from "../rules/form/form.ts";
import { constant, simplify } from "../rules/form/simplify.ts";
import { written } from "../rules/form/written.ts";
import type { Access, Act, Ruled } from "./accesses.ts";
import { and, or } from "./accesses.ts";
import { type Asking, type Left, leftFor } from "./known.ts";
import type { Row } from "./rows.ts";

export type Cell =
  | { readonly cell: "always" | "never"; readonly condition: null }
  /** What it depends on, in the language of rules. `undecided`: perhaps it never holds, or always. */
  | { readonly cell: "if" | "undecided"; readonly condition: string };

/** Decides the cells of one collection. */
export class Judge {
  readonly #ruled: Ruled;
  readonly #room: Room;
  /** Rows often leave the same to ask. */
  readonly #known = new Map<string, Cell>();

  constructor(ruled: Ruled) {
    this.#ruled = ruled;
    const room = roomOf(ruled.collection);
    this.#room = storedAndWritten(room, room);
  }

  cell({ who }: Row, { column, ways }: Access): Cell {
    const { auth } = this.#ruled.realm;
    if (!auth) return always;
    // Nobody in particular has no id to create a document with.
    if (who.kind === "key")
      return column === "create" && this.#ruled.collection.customId?.is === "user" ? never : always;
    return together(ways.map(({ act, condition }) => ({ act, cell: this.#decided(condition, who, act) })));
  }

  #decided(condition: Condition, who: Asking, act: Act): Cell {
    const found = leftFor(condition, who, act, this.#ruled.collection);
    if (found.left.kind === "constant") return found.left.holds ? always : never;
    const key = `${written(found.given)} => ${written(found.left)}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const cell = decided(found, this.#room, this.#ruled.realm);
    this.#known.set(key, cell);
    return cell;
  }
}

const always: Cell = { cell: "always", condition: null };
const never: Cell = { cell: "never", condition: null };

/** Never guessed: what is not proved to be the same for all has one who may and one who may not. */
function decided({ left, given }: Left, room: Room, { appConfig }: Realm): Cell {
  const rooms = [room, room] as const;
  const nobody = constant(false, left.at);
  if (relationOf(and(given, left), nobody, rooms).forward) return never;
  if (relationOf(given, left, rooms).forward) return always;
  const circumstances = { appConfig: [appConfig], room };
  const depends =
    findWitness(simplify(and(given, left)), nobody, circumstances) !== undefined &&
    findWitness(given, left, circumstances) !== undefined;
  return { cell: depends ? "if" : "undecided", condition: written(tidied(left, given, room)) };
}

/** Terms that are compared with each other: each with all others takes time. */
const MAX_TERMS = 10;

/** Without what makes no difference beside the rest, and what is given anyway. */
function tidied(condition: Condition, given: Condition, room: Room): Condition {
  if (condition.kind !== "and" && condition.kind !== "or") return condition;
  const { kind, at } = condition;
  const terms = condition.of.map((term) => tidied(term, given, room));
  if (terms.length > MAX_TERMS) return { kind, of: terms, at };
  const rooms = [room, room] as const;
  let kept: readonly Condition[] = terms;
  for (const term of terms.toReversed()) {
    const others = kept.filter((other) => other !== term);
    if (others.length === 0) break;
    const isNeedless =
      kind === "and"
        ? relationOf(and(given, ...others), term, rooms).forward
        : relationOf(and(given, term), or(...others), rooms).forward;
    if (isNeedless) kept = others;
  }
  return simplify({ kind, of: kept, at });
}

interface Decided {
  readonly act: Act;
  readonly cell: Cell;
}

/** Where it can be done in several ways, those count that can be gone at all. */
function together(ways: readonly Decided[]): Cell {
  const open = ways.filter(({ cell }) => cell.cell !== "never");
  const [first, ...others] = open;
  if (first === undefined) return never;
  if (others.every(({ cell }) => sameCell(cell, first.cell))) return first.cell;
  const depends = open.some(({ cell }) => cell.cell === "if");
  const condition = open
    .map(({ act, cell }) => `${act === "create" ? "in creates" : "in updates"} ${cell.condition ?? "always"}`)
    .join("; ");
  return { cell: depends ? "if" : "undecided", condition };
}

export function sameCell(one: Cell, other: Cell): boolean {
  return one.cell === other.cell && one.condition === other.condition;
}
