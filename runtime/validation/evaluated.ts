/** What `unevaluatedProperties` and `unevaluatedItems` leave out: names and positions that other keywords have evaluated. */

/** `true` stands for all of them, a number for so many first items, nothing for none. */
export type Evaluated = true | number | Readonly<Record<string, true>> | undefined;

/** Both together, in a new object without prototype: every name of `Object`'s would be found on one that has it. */
export function evaluated(some: Evaluated, more: Evaluated): Evaluated {
  if (some === true || more === true) return true;
  const both: Record<string, true> = Object.create(null);
  return Object.assign(both, named(some), named(more));
}

function named(known: Exclude<Evaluated, true>): Readonly<Record<string, true>> | undefined {
  if (typeof known !== "number") return known;
  return Object.fromEntries(Array.from({ length: known }, (_, at) => [String(at), true]));
}
