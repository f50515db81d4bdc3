/** The operators of `where`: what they are for and what they take. The server, OpenAPI documents and clients' types go by it. */

export interface WhereOperator {
  /** Fields that it applies to; `all`: those of objects too. */
  readonly on: "all" | "values" | "ordered" | "text";
  /**
   * `value`: one that the field may equal, `values`: an array of such. `bound`: one of those that have an order, `range`: the
   * least and the greatest. `part`: text to look for, `pattern`: text with wildcards.
   */
  readonly takes: "value" | "values" | "bound" | "range" | "boolean" | "part" | "pattern";
  /** What the name leaves open. */
  readonly about?: string;
}

/** In the order of documents (spec: where 3). */
export const whereOperators = {
  $eq: { on: "values", takes: "value" },
  $ne: { on: "values", takes: "value" },
  $in: { on: "values", takes: "values" },
  $nin: { on: "values", takes: "values" },
  $gt: { on: "ordered", takes: "bound" },
  $gte: { on: "ordered", takes: "bound" },
  $lt: { on: "ordered", takes: "bound" },
  $lte: { on: "ordered", takes: "bound" },
  /** Least and greatest value, both included. */
  $between: { on: "ordered", takes: "range", about: "Least and greatest value, both included." },
  /** Null or missing; `false`: neither. */
  $isNull: { on: "all", takes: "boolean", about: "Null or missing; `false`: neither." },
  $notNull: { on: "all", takes: "boolean", about: "The opposite of `$isNull`." },
  /** `%` stands for anything, `_` for one character. */
  $like: { on: "text", takes: "pattern" },
  /** `$like` that does not look at case. */
  $ilike: { on: "text", takes: "pattern" },
  $startsWith: { on: "text", takes: "part" },
  /** Does not look at case. */
  $istartsWith: { on: "text", takes: "part" },
  $endsWith: { on: "text", takes: "part" },
  /** Does not look at case. */
  $iendsWith: { on: "text", takes: "part" },
  $contains: { on: "text", takes: "part" },
  /** Does not look at case. */
  $icontains: { on: "text", takes: "part" },
} as const satisfies Readonly<Record<`$${string}`, WhereOperator>>;

export type WhereOperators = typeof whereOperators;
export type OperatorName = keyof WhereOperators;

/** Names with what they are, in their order. */
export const operatorEntries: readonly (readonly [OperatorName, WhereOperator])[] = Object.keys(
  whereOperators,
)
  .filter(isOperatorName)
  .map((name) => [name, whereOperators[name]]);

export function isOperatorName(name: string): name is OperatorName {
  return Object.hasOwn(whereOperators, name);
}
