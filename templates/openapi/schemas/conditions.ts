import type { Collection } from "../../../compiler/model/model.ts";
import { operatorEntries, type WhereOperator } from "../../../runtime/filter/operators.ts";
import type { JsonObject } from "../../../runtime/json.ts";
import { pascalCase } from "../../print/names.ts";
import type { Ref, SchemaPool } from "./pool.ts";
import { type QueryField, valueSchema } from "./values.ts";

/**
 * What `where` may say about documents of a collection (spec: where): a component of its own, whose fields share those of
 * their kind (`StringCondition`, `NullableDateCondition`, `StringArrayCondition`).
 *
 * @param stem For the names: `TicketsWhere`, and `TicketsConditions` for what `$or` and `$and` hold where that is not the
 *   same.
 */
export function whereSchema(
  pool: SchemaPool,
  collection: Collection,
  fields: readonly QueryField[],
  stem: string,
): Ref {
  const whole = pool.reserved(`${stem}Where`);
  const group = collection.text ? pool.reserved(`${stem}Conditions`) : whole;
  const { members, ...conjunction } = conjunctionOf(pool, collection, fields, group, condition);
  if (!collection.text) return pool.add(`${stem}Where`, { ...conjunction, properties: members });
  pool.add(`${stem}Conditions`, { ...conjunction, properties: members });
  const $search = pool.share("SearchText", () => searchText);
  return pool.add(`${stem}Where`, { ...conjunction, properties: { $search, ...members } });
}

/**
 * What the `where` of a subscription may say (spec: Realtime stream): as that of a list, without search and operators on
 * text. `TicketsFilter`, with `StringComparison` where lists have `StringCondition`.
 */
export function filterSchema(
  pool: SchemaPool,
  collection: Collection,
  fields: readonly QueryField[],
  stem: string,
): Ref {
  const whole = pool.reserved(`${stem}Filter`);
  const { members, ...conjunction } = conjunctionOf(pool, collection, fields, whole, comparison);
  return pool.add(`${stem}Filter`, { ...conjunction, properties: members });
}

/** @param group what `$or` and `$and` hold */
function conjunctionOf(
  pool: SchemaPool,
  { name }: Collection,
  fields: readonly QueryField[],
  group: Ref,
  conditionOf: (pool: SchemaPool, field: Kinds) => Ref,
) {
  const conditions = fields.map(({ path, ...field }) => [path, conditionOf(pool, field)] as const);
  const groups = (description: string): JsonObject => ({
    type: "array",
    description,
    minItems: 1,
    items: { ...group, minProperties: 1 },
  });
  const members: JsonObject = {
    ...Object.fromEntries(conditions),
    $or: groups("Any of these holds."),
    $and: groups("All of these hold."),
  };
  const description = `Conditions on documents of ${name}, all of which must hold.`;
  return { type: "object", description, members, additionalProperties: false } as const;
}

const searchText: JsonObject = {
  type: "string",
  description:
    'Words (any of them), `"phrases"` (all of them) and `-excluded` words: at most 256 bytes and 10 terms, a phrase counting as one.',
  minLength: 1,
  maxLength: 256,
};

type Kinds = Omit<QueryField, "path">;

/** A bare value, or an object of operators. */
function condition(pool: SchemaPool, given: Kinds): Ref {
  const field = ofEitherDate(given);
  const name = nameOf(field);
  return pool.share(`${name}Condition`, () => {
    const equal = equalTo(pool, field);
    const operators = pool.share(`${name}Operators`, () => operatorsSchema(pool, field, equal, true));
    return anyOf([...equal, operators]);
  });
}

/** As a condition, without operators on text. */
function comparison(pool: SchemaPool, given: Kinds): Ref {
  const field = ofEitherDate(given);
  // Others have no such operators.
  if (!field.kinds.includes("string")) return condition(pool, field);
  const name = nameOf(field);
  return pool.share(`${name}Comparison`, () => {
    const equal = equalTo(pool, field);
    const operators = pool.share(`${name}Comparators`, () => operatorsSchema(pool, field, equal, false));
    return anyOf([...equal, operators]);
  });
}

/** A date of either kind is compared with days and with instants. */
function ofEitherDate({ kinds, ...others }: Kinds): Kinds {
  const either = kinds.map((kind) => (kind === "date-time" ? ("date" as const) : kind));
  return { ...others, kinds: [...new Set(either)] };
}

/** `NullableString`, `IntegerOrString`, `DateArray`. */
function nameOf({ kinds, nullable, array }: Kinds): string {
  const named = [...kinds].sort().map(pascalCase).join("Or");
  return `${nullable ? "Nullable" : ""}${named}${array ? "Array" : ""}`;
}

function operatorsSchema(
  pool: SchemaPool,
  { kinds }: Kinds,
  equal: readonly JsonObject[],
  onText: boolean,
): JsonObject {
  const numbers = kinds.filter((kind) => kind === "integer" || kind === "number");
  const texts = kinds.filter((kind) => kind === "string" || kind === "date" || kind === "date-time");
  const ordered = [numbers, texts]
    .map((some) => operand(pool, some, false))
    .filter((value) => value !== undefined);
  const applies = {
    all: true,
    values: equal.length > 0,
    ordered: ordered.length > 0,
    text: onText && kinds.includes("string"),
  };
  const operators = operatorEntries
    .filter(([, { on }]) => applies[on])
    .map(([name, operator]) => [name, operandSchema(pool, operator, equal, ordered)] as const);
  return {
    type: "object",
    description: "Operators, all of which must hold.",
    minProperties: 1,
    properties: Object.fromEntries(operators),
    additionalProperties: false,
  };
}

/**
 * What an operator takes.
 * @param equal what the field may equal
 * @param ordered values of types that are not compared with each other
 */
function operandSchema(
  pool: SchemaPool,
  { takes, about }: WhereOperator,
  equal: readonly JsonObject[],
  ordered: readonly JsonObject[],
): JsonObject {
  const description = about === undefined ? {} : { description: about };
  switch (takes) {
    case "value":
      return anyOf(equal);
    case "values":
      return { type: "array", items: anyOf(equal) };
    case "bound":
      return anyOf(ordered);
    case "range":
      return {
        ...description,
        ...anyOf(ordered.map((items) => ({ type: "array", items, minItems: 2, maxItems: 2 }))),
      };
    case "boolean":
      return { type: "boolean", ...description };
    case "part":
      return pool.share("TextOperand", () => ({ type: "string", maxLength: 256 }));
    case "pattern":
      return pool.share("LikePattern", () => likePattern);
  }
}

const likePattern: JsonObject = {
  type: "string",
  description:
    "Matches the whole value: `%` any run of characters, `_` exactly one, everything else itself; at most 4 of both.",
  maxLength: 256,
  pattern: "^[^%_]*([%_][^%_]*){0,4}$",
};

/**
 * What a field may equal: a value, or a whole array where the field holds one. Of objects, which are compared by
 * what is in them, null alone.
 */
function equalTo(pool: SchemaPool, { kinds, nullable, array }: Kinds): readonly JsonObject[] {
  if (kinds.every((kind) => kind === "object")) return nullable ? [{ type: "null" }] : [];
  const value = operand(pool, kinds, nullable);
  if (!value) return [];
  return array ? [value, { type: "array", items: value }] : [value];
}

/** One value of these kinds. */
function operand(pool: SchemaPool, kinds: Kinds["kinds"], nullable: boolean): JsonObject | undefined {
  const others = kinds.filter((kind) => kind !== "date" && kind !== "date-time");
  const value = valueSchema(others, nullable);
  if (others.length === kinds.length || others.includes("string")) return value;
  const date = pool.share("DateOperand", () => dateOperand);
  return value ? anyOf([date, value]) : date;
}

const dateOperand: JsonObject = {
  description: "RFC 3339, of any offset and precision; a day stands for its midnight UTC.",
  anyOf: [
    { type: "string", format: "date-time" },
    { type: "string", format: "date" },
  ],
};

function anyOf(schemas: readonly JsonObject[]): JsonObject {
  const [only] = schemas;
  return schemas.length === 1 && only ? { ...only } : { anyOf: [...schemas] };
}
