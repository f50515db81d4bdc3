import type { Document } from "mongodb";
import type { Field, FieldKind } from "../../../filter/fields.ts";
import { holdsBsonDates, own } from "../layout.ts";

/** How the values at a field's path fit its declaration, the worst one of all documents. */
export type Fit = "regular" | "irregular" | "arrays";

/**
 * A pipeline that looks at every document once and answers one, or none of an empty collection: how each of the fields
 * fits, read by {@link fitOf}. `arrays`: some document holds an array where none is declared, so that an index over it
 * has several entries of the document.
 */
export function scanPipeline(fields: readonly Field[]): Document[] {
  const worst = fields.map((field, at) => {
    const irregular = { $cond: [{ $or: [misfits(field, true), ...misplacedDays(field)] }, 1, 0] };
    return [`f${at}`, { $max: { $cond: [misfits(field, false), 2, irregular] } }] as const;
  });
  return [{ $group: { _id: null, ...Object.fromEntries(worst) } }];
}

export function fitOf(answer: Document | undefined, at: number): Fit {
  const worst = Number(answer?.[`f${at}`] ?? 0);
  return worst === 2 ? "arrays" : worst === 1 ? "irregular" : "regular";
}

type Expression = Document;

/** Whether something in a document lies otherwise than declared; or, without `all`, an array where none is declared. */
function misfits(field: Field, all: boolean): Expression {
  const { segments, arrays } = field;
  // No document has members of such names.
  if (segments.some((segment) => segment === "" || segment.startsWith("$"))) return { $literal: false };
  const fitting = [...bsonTypes(field), ...absent];

  /** Of the value that stands at a place, reached by the segment before `at`. */
  const below = (value: string, at: number): Expression => {
    if (at < segments.length) return { $and: [{ $eq: [{ $type: value }, "object"] }, member(value, at)] };
    if (!all) return { $literal: false };
    return { $not: [{ $in: [{ $type: value }, fitting] }] };
  };
  /** Of a member of the value that stands at a place, an object. */
  const member = (parent: string, at: number): Expression => {
    const value = `${parent}.${segments[at]}`;
    if (arrays[at] !== true) return { $or: [{ $isArray: [value] }, below(value, at + 1)] };
    const element = `$$e${at}`;
    const ofElement = { $or: [...(all ? [{ $isArray: [element] }] : []), below(element, at + 1)] };
    return {
      $cond: [
        { $isArray: [value] },
        { $anyElementTrue: [{ $map: { input: value, as: `e${at}`, in: ofElement } }] },
        all ? { $not: [{ $in: [{ $type: value }, absent] }] } : below(value, at + 1),
      ],
    };
  };
  return member("$$ROOT", 0);
}

const absent = ["missing", "null", "undefined"];
const numbers = ["int", "long", "double", "decimal"];

/** What `$type` says of values of the declared kinds; where none is declared no value fits. */
function bsonTypes(field: Field): readonly string[] {
  const dates = holdsBsonDates(field) ? "date" : "string";
  const types = {
    string: ["string"],
    integer: numbers,
    number: numbers,
    boolean: ["bool"],
    object: ["object"],
    "date-time": [dates],
    date: [dates],
  } as const satisfies Record<FieldKind, readonly string[]>;
  return field.kinds.flatMap((kind) => types[kind]);
}

/** Days where only instants are declared, and instants where only days are: they compare otherwise. */
function misplacedDays(field: Field): Expression[] {
  if (!holdsBsonDates(field)) return [];
  if (field.kinds.includes("date") === field.kinds.includes("date-time")) return [];
  const days = {
    $size: { $filter: { input: { $ifNull: [`$${own.days}`, []] }, as: "day", cond: isOf(field, "$$day") } },
  };
  if (field.kinds.includes("date-time")) return [{ $gt: [days, 0] }];
  return [{ $ne: [days, dates(field)] }];
}

/** Whether a concrete path (`lines.0.due`) is one of the field's. */
function isOf({ segments, arrays }: Field, day: string): Expression {
  const parts = segments.map((segment, at) => escaped(segment) + (arrays[at] === true ? "(\\.\\d+)?" : ""));
  return { $regexMatch: { input: day, regex: `^${parts.join("\\.")}$` } };
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** How many BSON dates a document holds at the field. */
function dates({ segments, arrays }: Field): Expression {
  const count = (value: string, at: number): Expression => {
    if (at === segments.length) return { $cond: [{ $eq: [{ $type: value }, "date"] }, 1, 0] };
    const next = `${value}.${segments[at]}`;
    const inner = arrays[at] === true ? each(next, at) : count(next, at + 1);
    return { $cond: [{ $eq: [{ $type: value }, "object"] }, inner, 0] };
  };
  const each = (value: string, at: number): Expression => ({
    $cond: [
      { $isArray: [value] },
      { $sum: { $map: { input: value, as: `e${at}`, in: count(`$$e${at}`, at + 1) } } },
      count(value, at + 1),
    ],
  });
  return count("$$ROOT", 0);
}
