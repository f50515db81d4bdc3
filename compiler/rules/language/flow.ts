/**
 * What is known of values where a part of a rule is asked: what stands before `&&` holds then, what stands before `||`
 * does not.
 */
import { type Condition, readKey, type Value } from "../form/form.ts";
import { typeOf } from "../form/values.ts";
import {
  anyBoolean,
  intersection,
  only,
  type Possible,
  possibleOf,
  single,
  union,
  without,
} from "./possible.ts";

/** What values can be, by their keys, where that is less than their types say; undefined where nothing comes to. */
export type Flow = ReadonlyMap<string, Possible> | undefined;

export const start: Flow = new Map();

interface Outcomes {
  /** Where the condition holds. */
  readonly yes: Flow;
  readonly no: Flow;
}

/** What is known after a condition, of what was known before it. */
export function after(condition: Condition, flow: Flow): Outcomes {
  switch (condition.kind) {
    case "constant":
      return condition.holds ? { yes: flow, no: undefined } : { yes: undefined, no: flow };
    case "not":
      return swapped(after(condition.of, flow));
    case "and":
      return combined(condition.of, (term, before) => after(term, before), flow);
    case "or":
      return swapped(combined(condition.of, (term, before) => swapped(after(term, before)), flow));
    case "truth":
      return { yes: narrowed(flow, condition.of, () => only(true)), no: flow };
    case "equal":
      return afterEqual(condition.left, condition.right, flow);
    default:
      return { yes: flow, no: flow };
  }
}

function swapped({ yes, no }: Outcomes): Outcomes {
  return { yes: no, no: yes };
}

/** A conjunction. */
function combined(
  terms: readonly Condition[],
  afterTerm: (term: Condition, before: Flow) => Outcomes,
  flow: Flow,
): Outcomes {
  let [yes, no]: [Flow, Flow] = [flow, undefined];
  for (const term of terms) {
    const outcomes = afterTerm(term, yes);
    no = joined(no, outcomes.no);
    yes = outcomes.yes;
  }
  return { yes, no };
}

function joined(a: Flow, b: Flow): Flow {
  if (a === undefined || b === undefined) return a ?? b;
  const both = [...a].flatMap(([key, own]) => {
    const other = b.get(key);
    return other === undefined ? [] : [[key, union(own, other)] as const];
  });
  return new Map(both);
}

function afterEqual(left: Value, right: Value, flow: Flow): Outcomes {
  for (const [of, value] of [[left, right] as const, [right, left] as const]) {
    if (of.kind !== "condition" || value.kind !== "literal") continue;
    const outcomes = after(of.of, flow);
    return value.value === true ? outcomes : swapped(outcomes);
  }
  const [a, b] = [possible(left, flow), possible(right, flow)];
  if (a === undefined || b === undefined) return { yes: flow, no: flow };
  const both = () => intersection(a, b);
  const unlike = (other: Possible) => (own: Possible) => {
    const value = single(other);
    return value === undefined ? own : without(own, value);
  };
  return {
    yes: narrowed(narrowed(flow, left, both), right, both),
    no: narrowed(narrowed(flow, left, unlike(b)), right, unlike(a)),
  };
}

function narrowed(flow: Flow, value: Value, change: (own: Possible) => Possible): Flow {
  const key = keyOf(value);
  const own = possible(value, flow);
  if (flow === undefined || key === undefined || own === undefined) return flow;
  return new Map([...flow, [key, change(own)]]);
}

/** Of values that are the same wherever they are asked for. */
function keyOf(value: Value): string | undefined {
  if (value.kind === "now") return "now";
  if (value.kind === "length") {
    const of = keyOf(value.of);
    return of && `${of}.length`;
  }
  return value.kind === "read" ? readKey(value) : undefined;
}

/** Which scalars a value can be; undefined where it may be anything else. */
export function possible(value: Value, flow: Flow): Possible | undefined {
  if (value.kind === "literal") return only(value.value);
  if (value.kind === "condition") return anyBoolean;
  if (value.kind === "pick") {
    const { yes, no } = after(value.when, flow);
    if (value.yes.kind === "null") return possible(value.no, no);
    const own = possible(value.yes, yes);
    const other = value.no.kind === "null" ? own : possible(value.no, no);
    return own && other && union(own, other);
  }
  const declared = possibleOf(typeOf(value));
  const key = keyOf(value);
  return declared && ((key === undefined ? undefined : flow?.get(key)) ?? declared);
}
