/** The keywords of JSON Schema draft 2020-12, and ours: what each holds, and of what it speaks. */

/** A schema, a list of schemas, schemas by name, or something else. */
export type Holds = "schema" | "list" | "map" | "data";

export type Subject = "array" | "number" | "object" | "string";

export interface Keyword {
  readonly holds: Holds;
  /** The type of the values that it judges; absent: all. */
  readonly about?: Subject;
  /** Its schemas look at the same value as the schema around them. */
  readonly inPlace?: true;
  /** Of two limits that apply together: the greater one, the lesser one, or their common multiple. */
  readonly limit?: "least" | "most" | "factor";
  /** A list whose order says nothing. */
  readonly unordered?: true;
  /** A text or value for people, which judges nothing. */
  readonly forPeople?: true;
  /** Says nothing of values by itself. */
  readonly structure?: true;
}

const table = {
  $schema: { holds: "data", structure: true },
  $id: { holds: "data", structure: true },
  $comment: { holds: "data", structure: true },
  $defs: { holds: "map", structure: true },
  $ref: { holds: "data" },

  title: { holds: "data", forPeople: true },
  description: { holds: "data", forPeople: true },
  default: { holds: "data", forPeople: true },
  examples: { holds: "data", forPeople: true },
  deprecated: { holds: "data", forPeople: true },
  readOnly: { holds: "data", forPeople: true },
  writeOnly: { holds: "data", forPeople: true },

  type: { holds: "data", unordered: true },
  enum: { holds: "data", unordered: true },
  const: { holds: "data" },
  allOf: { holds: "list", inPlace: true, unordered: true },
  anyOf: { holds: "list", inPlace: true, unordered: true },
  oneOf: { holds: "list", inPlace: true, unordered: true },
  not: { holds: "schema", inPlace: true },
  if: { holds: "schema", inPlace: true },
  // biome-ignore lint/suspicious/noThenProperty: a keyword, of a table that nobody awaits
  then: { holds: "schema", inPlace: true },
  else: { holds: "schema", inPlace: true },

  minLength: { holds: "data", about: "string", limit: "least" },
  maxLength: { holds: "data", about: "string", limit: "most" },
  pattern: { holds: "data", about: "string" },
  format: { holds: "data", about: "string" },
  contentEncoding: { holds: "data", about: "string" },
  contentMediaType: { holds: "data", about: "string" },
  contentSchema: { holds: "schema", about: "string" },
  "x-svc-store": { holds: "data" },
  "x-svc-slow-pattern": { holds: "data" },

  minimum: { holds: "data", about: "number", limit: "least" },
  maximum: { holds: "data", about: "number", limit: "most" },
  exclusiveMinimum: { holds: "data", about: "number", limit: "least" },
  exclusiveMaximum: { holds: "data", about: "number", limit: "most" },
  multipleOf: { holds: "data", about: "number", limit: "factor" },

  items: { holds: "schema", about: "array" },
  prefixItems: { holds: "list", about: "array" },
  contains: { holds: "schema", about: "array" },
  minContains: { holds: "data", about: "array" },
  maxContains: { holds: "data", about: "array" },
  minItems: { holds: "data", about: "array", limit: "least" },
  maxItems: { holds: "data", about: "array", limit: "most" },
  uniqueItems: { holds: "data", about: "array" },
  unevaluatedItems: { holds: "schema", about: "array" },

  properties: { holds: "map", about: "object" },
  patternProperties: { holds: "map", about: "object" },
  additionalProperties: { holds: "schema", about: "object" },
  propertyNames: { holds: "schema", about: "object" },
  unevaluatedProperties: { holds: "schema", about: "object" },
  required: { holds: "data", about: "object", unordered: true },
  dependentRequired: { holds: "data", about: "object" },
  dependentSchemas: { holds: "map", about: "object", inPlace: true },
  minProperties: { holds: "data", about: "object", limit: "least" },
  maxProperties: { holds: "data", about: "object", limit: "most" },
} as const satisfies Readonly<Record<string, Keyword>>;

/** Keywords whose numbers bound something. */
export type Limit = {
  [K in keyof typeof table]: (typeof table)[K] extends { readonly limit: string } ? K : never;
}[keyof typeof table];

const keywords: ReadonlyMap<string, Keyword> = new Map(Object.entries(table));

/** What is known of a keyword; of words of others, that they hold something. */
export function keyword(name: string): Keyword {
  return keywords.get(name) ?? unknownKeyword;
}

const unknownKeyword: Keyword = { holds: "data" };

export function keywordsWith(holds: (of: Keyword) => boolean): readonly string[] {
  return [...keywords].flatMap(([name, of]) => (holds(of) ? [name] : []));
}

export function isLimit(name: string): name is Limit {
  return keyword(name).limit !== undefined;
}

/** In the order of the table. */
export const limitNames: readonly Limit[] = [...keywords.keys()].filter(isLimit);

/** Words that say something to clients: not those by which schemas are put together, nor words of others. */
export function isDescriptive(name: string): boolean {
  return keywords.has(name) && !name.startsWith("$");
}

/** Keywords that refuse members which the schema does not name. */
export const closing = ["additionalProperties", "unevaluatedProperties"] as const;
