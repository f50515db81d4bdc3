/** The indexes that a read rule wants: asked of the planner for every filter that the rule becomes for some caller. */
import type { Filter } from "../../runtime/filter/algebra.ts";
import type { Field, FieldTable } from "../../runtime/filter/fields.ts";
import type { CollectionShape } from "../../runtime/store/contract/shape.ts";
import type { Collection, Realm } from "../model/model.ts";
import type { CompiledRule } from "../rules/compiled.ts";
import {
  type At,
  type Condition,
  isKnown,
  type Leaf,
  leavesIn,
  mapLeaves,
  mapTerms,
  readsDocument,
  termsOf,
  valuesIn,
} from "../rules/form/form.ts";
import { constant, simplify } from "../rules/form/simplify.ts";
import { contextOf } from "./callers.ts";
import { everything } from "./examples.ts";
import { filterOf } from "./filters.ts";
import { isServed } from "./planning.ts";
import { fieldTable, shapeOf } from "./shapes.ts";

export interface MissingIndex {
  /** Of the field that it begins with. */
  readonly path: string;
  /** The first comparison of the rule that it would serve. */
  readonly at: At;
}

/**
 * Indexes over single fields with which each filter of the rule is served that indexes can serve at all, in the order of
 * its text; none where those that are there do, or mistakes elsewhere leave open what it reads.
 */
export function missingIndexesOf(
  realm: Realm,
  collection: Collection,
  { written, form }: CompiledRule,
): readonly MissingIndex[] {
  const fields = fieldTable(realm, collection);
  const wanted = form.filter === undefined ? [] : wantedIn(form.filter);
  if (form.filter === undefined || wanted.some(({ path }) => !Object.hasOwn(fields, path))) return [];
  const shape = shapeOf(realm, collection);
  const context = contextOf(everything(realm, written), realm);
  const filters = formsOf(form.filter).map((lowered) => filterOf(lowered, fields)(context));
  const unserved = filters.filter((filter) => !isServed(shape, filter));
  const paths = wanted.map(({ path }) => path).filter((path) => isIndexable(fields[path]));
  const isServedBy = (filter: Filter, more: readonly string[]) =>
    isServed(withIndexes(shape, fields, more), filter);
  const servable = unserved.filter((filter) => isServedBy(filter, paths));
  let needed: readonly string[] = paths;
  // One after the other is done without, those first whose comparisons find the most documents.
  for (const path of paths.toReversed()) {
    const others = needed.filter((other) => other !== path);
    if (servable.every((filter) => isServedBy(filter, others))) needed = others;
  }
  return wanted.filter(({ path }) => needed.includes(path)).sort((a, b) => a.at.start - b.at.start);
}

/** Objects have no order. */
function isIndexable(field: Field | undefined): boolean {
  return field?.kinds.some((kind) => kind !== "object") === true;
}

/** With one index over each of these fields, called by its path, after those that are there. */
function withIndexes(shape: CollectionShape, fields: FieldTable, paths: readonly string[]): CollectionShape {
  const more = paths.flatMap((path) => {
    const field = fields[path];
    return field === undefined ? [] : [{ name: path, keys: [{ field, descending: false }], unique: false }];
  });
  return { ...shape, indexes: [...shape.indexes, ...more] };
}

interface Wanted extends MissingIndex {
  readonly selectivity: number;
}

/** The fields that a condition compares, those first whose comparisons are likely to find the fewest documents. */
function wantedIn(lowered: Condition): readonly Wanted[] {
  const found = new Map<string, Wanted>();
  for (const leaf of leavesIn(lowered)) {
    for (const value of valuesIn(leaf)) {
      if (!readsDocument(value)) continue;
      const path = value.path.join(".");
      const selectivity = selectivityOf(leaf);
      const known = found.get(path);
      if (known === undefined) found.set(path, { path, at: leaf.at, selectivity });
      else if (known.selectivity < selectivity) found.set(path, { ...known, selectivity });
    }
  }
  return [...found.values()].sort((a, b) => b.selectivity - a.selectivity);
}

/** A value of the caller's, a literal, an order or beginning, a boolean. An empty store cannot tell them apart. */
function selectivityOf(leaf: Leaf): number {
  if (leaf.kind === "truth") return 0;
  if (leaf.kind === "order" || leaf.kind === "text") return 1;
  const values = [...valuesIn(leaf)].filter((value) => !readsDocument(value));
  const literals = values.filter((value) => value.kind === "literal" || value.kind === "list");
  if (values.length === 0 || literals.length < values.length) return 3;
  return literals.some((value) => value.kind === "literal" && typeof value.value === "boolean") ? 0 : 2;
}

/** Parts whose outcomes are taken in every combination; of more than these one at a time, and of very many the first. */
const COMBINED = 5;
const SINGLE = 12;

/** What a condition comes to where the caller decides a part of it, whichever way; constant outcomes are left out. */
function formsOf(whole: Condition): readonly Condition[] {
  const lowered = mapLeaves(whole, rolesApart);
  const known = knownParts(lowered).map((part) => [part, keyOf(part)] as const);
  const keys = [...new Set(known.map(([, key]) => key))];
  const numbers = new Map(known.map(([part, key]) => [part, keys.indexOf(key)]));
  const outcomes: readonly ((part: number) => boolean)[] =
    keys.length <= COMBINED
      ? Array.from({ length: 2 ** keys.length }, (_, bits) => (part) => ((bits >> part) & 1) === 1)
      : [true, false].flatMap((most) => [
          () => most,
          ...keys.slice(0, SINGLE).map((_, one) => (part: number) => (part === one) !== most),
        ]);
  const forms = outcomes.map((holds) => simplify(assumed(lowered, numbers, holds)));
  const distinct = new Map(forms.map((form) => [keyOf(form), form]));
  return [...distinct.values()].filter(({ kind }) => kind !== "constant");
}

/** Roles that the rule names apart from those that the document does. */
function rolesApart(leaf: Leaf): Condition {
  if (leaf.kind !== "hasRole" && leaf.kind !== "membership") return leaf;
  const named = leaf.roles.filter(isKnown);
  if (named.length === 0 || named.length === leaf.roles.length) return leaf;
  const others = leaf.roles.filter((role) => !isKnown(role));
  return {
    kind: "or",
    of: [
      { ...leaf, roles: named },
      { ...leaf, roles: others },
    ],
    at: leaf.at,
  };
}

/** The largest parts of a condition that the caller decides. */
function knownParts(condition: Condition): readonly Condition[] {
  if (condition.kind === "constant") return [];
  if (isKnown(condition)) return [condition];
  return termsOf(condition).flatMap(knownParts);
}

function assumed(
  condition: Condition,
  numbers: ReadonlyMap<Condition, number>,
  holds: (part: number) => boolean,
): Condition {
  const number = numbers.get(condition);
  if (number !== undefined) return constant(holds(number), condition.at);
  return mapTerms(condition, (term) => assumed(term, numbers, holds));
}

/** Equal for conditions that say the same, wherever they stand. */
function keyOf(condition: Condition): string {
  return JSON.stringify(condition, (name, value) => (name === "at" || name === "places" ? undefined : value));
}
