/** What every part of a rule comes to for one caller and document, and which of its clauses decide. */
import { holds, valueIn, type World } from "./evaluate.ts";
import { type At, type Condition, isCondition, isLeaf, partsOf, type Value } from "./form.ts";

/** A part of a rule, a condition or a value, with what it comes to, and the parts that it is made of. */
export interface Traced {
  readonly at: At;
  readonly kind: Condition["kind"] | Value["kind"];
  /** Of a condition whether it holds; of a value what it is, undefined where it is absent. */
  readonly value: unknown;
  /** In the order of the text, those too that were not asked since others had decided. */
  readonly parts: readonly Traced[];
}

/** Evaluates each part, whether the outcome depends on it or not: rules have no effects, and none throws. */
export function traceOf(condition: Condition, world: World): Traced {
  return traced(condition, world);
}

function traced(part: Condition | Value, world: World): Traced {
  return {
    at: part.at,
    kind: part.kind,
    value: isCondition(part) ? holds(part, world) : valueIn(part, world),
    parts: partsOf(part).map((inner) => traced(inner, world)),
  };
}

/**
 * The clauses (comparisons, helpers, constants) that make the outcome what it is: the first that holds of those of which one is
 * enough, the first that fails of those that are all needed, else each of them.
 */
export function decidingIn(condition: Condition, world: World): readonly Condition[] {
  switch (condition.kind) {
    case "and":
    case "or": {
      const decides = condition.kind === "or";
      const first = condition.of.find((term) => holds(term, world) === decides);
      return (first === undefined ? condition.of : [first]).flatMap((term) => decidingIn(term, world));
    }
    case "not":
      return decidingIn(condition.of, world);
    case "choice": {
      const { when, yes, no } = condition;
      return [...decidingIn(when, world), ...decidingIn(holds(when, world) ? yes : no, world)];
    }
    default:
      return [condition];
  }
}

/**
 * The clauses of a rule, in the order of its text: what it combines, with each comparison and helper, also those within values.
 */
export function clausesIn(condition: Condition): readonly Condition[] {
  const inner = partsOf(condition).flatMap(conditionsIn);
  return isLeaf(condition) || condition.kind === "constant" ? [condition, ...inner] : inner;
}

function conditionsIn(part: Condition | Value): readonly Condition[] {
  return isCondition(part) ? clausesIn(part) : partsOf(part).flatMap(conditionsIn);
}
