import type { LeafFilter, Ordering, Scalar } from "../../../filter/algebra.ts";
import type { Field } from "../../../filter/fields.ts";
import { boundOf } from "../../../filter/instants.ts";
import { formsOf } from "../../../filter/predicate.ts";
import {
  type Expression,
  type Fit,
  isPresent,
  isType,
  jsonValue,
  literal,
  reachedValues,
} from "./expressions.ts";
import { regexOf } from "./regex.ts";

/**
 * Leaves of filters as expressions, which are exact whatever is stored: BSON dates count as their texts, and each value
 * is compared with values of its own type only.
 */
export function reachCondition(filter: LeafFilter, fit: Fit): Expression {
  const { field } = filter;
  switch (filter.op) {
    case "exists":
      return { $gt: [{ $size: reachedValues(field, fit, false) }, 0] };
    case "equalsArray":
      return someOf(reachedValues(field, fit, false), (value) => sameArray(field, value, filter.value));
    default:
      return someOf(reachedValues(field, fit), (value) => ({
        $let: { vars: { json: jsonValue(field, value) }, in: test(filter, "$$json") },
      }));
  }
}

function someOf(values: Expression, condition: (value: string) => Expression): Expression {
  return { $anyElementTrue: [{ $map: { input: values, as: "of", in: condition("$$of") } }] };
}

type ScalarFilter = Exclude<LeafFilter, { op: "exists" | "equalsArray" }>;

function test(filter: ScalarFilter, value: string): Expression {
  const { field } = filter;
  switch (filter.op) {
    case "eq":
      return isOneOf(field, value, [filter.value]);
    case "in":
      return isOneOf(field, value, filter.values);
    case "lt":
    case "lte":
    case "gt":
    case "gte":
      return ordered(field, filter.op, value, filter.value);
    case "between":
      return {
        $and: [ordered(field, "gte", value, filter.min), ordered(field, "lte", value, filter.max)],
      };
    default:
      return {
        $regexMatch: {
          input: { $cond: [isType(value, "string"), value, null] },
          regex: literal(regexOf(filter)),
        },
      };
  }
}

function isOneOf(field: Field, value: Expression, expected: readonly Scalar[]): Expression {
  return { $in: [value, { $literal: expected.flatMap((one) => formsOf(field, one)) }] };
}

function ordered(field: Field, op: Ordering, value: Expression, bound: string | number): Expression {
  const isComparable = typeof bound === "number" ? { $isNumber: value } : isType(value, "string");
  return { $and: [isComparable, { [`$${op}`]: [value, literal(boundOf(field, op, bound))] }] };
}

function sameArray(field: Field, value: string, expected: readonly (Scalar | null)[]): Expression {
  const elements = expected.map((element, at) => {
    const stored = { $arrayElemAt: ["$$elements", at] };
    return element === null ? { $not: [isPresent(stored)] } : isOneOf(field, stored, [element]);
  });
  const asJson = { $map: { input: value, as: "element", in: jsonValue(field, "$$element") } };
  const same = {
    $let: {
      vars: { elements: asJson },
      in: { $and: [{ $eq: [{ $size: "$$elements" }, expected.length] }, ...elements] },
    },
  };
  return { $cond: [{ $isArray: [value] }, same, false] };
}
