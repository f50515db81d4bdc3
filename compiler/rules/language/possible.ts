/** Which scalars a value can be, for comparisons that have one outcome only. */
import type { Scalar } from "../../../runtime/filter/algebra.ts";
import type { ValueType } from "../form/types.ts";

/** Dates are texts here. Nothing at all, where what stands before excludes every value. */
export interface Possible {
  /** Of these it may be every value. */
  readonly any: ReadonlySet<"string" | "number">;
  /** Single values beside. */
  readonly of: ReadonlySet<Scalar>;
}

const either: ReadonlySet<Scalar> = new Set([false, true]);

export const anyBoolean: Possible = { any: new Set(), of: either };

export function only(...values: readonly Scalar[]): Possible {
  return { any: new Set(), of: new Set(values) };
}

/** Undefined for types with anything but scalars: their values compare with all, as far as is asked here. */
export function possibleOf({ kinds, elements, values, open }: ValueType): Possible | undefined {
  if (open === true || elements !== undefined || kinds.length === 0 || kinds.includes("object"))
    return undefined;
  const any = new Set<"string" | "number">();
  const of = new Set<Scalar>();
  for (const kind of kinds) {
    if (kind === "boolean") for (const value of either) of.add(value);
    else if (kind === "text" && values !== undefined) for (const value of values) of.add(value);
    else any.add(kind === "number" ? "number" : "string");
  }
  return { any, of };
}

export function isNever({ any, of }: Possible): boolean {
  return any.size === 0 && of.size === 0;
}

function has({ any, of }: Possible, value: Scalar): boolean {
  return (
    of.has(value) || (typeof value !== "boolean" && any.has(typeof value === "string" ? "string" : "number"))
  );
}

export function intersection(a: Possible, b: Possible): Possible {
  const shared = [
    ...[...a.of].filter((value) => has(b, value)),
    ...[...b.of].filter((value) => has(a, value)),
  ];
  return { any: new Set([...a.any].filter((kind) => b.any.has(kind))), of: new Set(shared) };
}

export function union(a: Possible, b: Possible): Possible {
  const any = new Set([...a.any, ...b.any]);
  const singles = [...a.of, ...b.of].filter((value) => !has({ any, of: new Set() }, value));
  return { any, of: new Set(singles) };
}

/** The one value that it is. */
export function single({ any, of }: Possible): Scalar | undefined {
  const [value] = of;
  return any.size === 0 && of.size === 1 ? value : undefined;
}

export function without({ any, of }: Possible, value: Scalar): Possible {
  return { any, of: new Set([...of].filter((other) => other !== value)) };
}

/** What of it can be, and what it is compared with, where they can never be equal. */
export function disjoint(a: Possible, b: Possible): readonly [string, string] | undefined {
  if (isNever(a) || isNever(b) || !isNever(intersection(a, b))) return undefined;
  const [kinds, others] = [kindsOf(a), kindsOf(b)];
  return kinds.some((kind) => others.includes(kind))
    ? [shown(a), shown(b)]
    : [kinds.join(" | "), others.join(" | ")];
}

/** In the order in which messages name them. */
export function kindsOf({ any, of }: Possible): readonly string[] {
  const kinds = new Set<string>([...any, ...[...of].map((value) => typeof value)]);
  return ["string", "number", "boolean"].filter((kind) => kinds.has(kind));
}

/** Of more values, the first ones and how many there are beside. */
const mostShown = 12;

function shown({ any, of }: Possible): string {
  const kinds = ["string" as const, "number" as const].filter((kind) => any.has(kind));
  const flags =
    of.has(false) && of.has(true) ? ["boolean"] : [...of].filter((value) => typeof value === "boolean");
  const values = [...of].flatMap((value) =>
    typeof value === "boolean" ? [] : [typeof value === "string" ? `'${value}'` : value],
  );
  const left = values.length - mostShown;
  const some = left > 0 ? [...values.slice(0, mostShown), `${left} more`] : values;
  return [...kinds, ...flags, ...some].join(" | ");
}
