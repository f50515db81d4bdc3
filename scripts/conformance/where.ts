import fc from "fast-check";
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";
import type { Description } from "./description.ts";
import { fewOf, fitting } from "./values.ts";

/** Levels of groups, conditions of one level, and operators of one condition: together within the limits of a `where`. */
const levels = 2;
const perLevel = 2;
const perCondition = 2;

/** Values of a `where`, of its schema: some conditions, in groups now and then. */
export function whereValues(
  description: Description,
  schema: JsonValue | undefined,
  level = levels,
): fc.Arbitrary<JsonObject> {
  const properties = membersOf(description, schema);
  const { $search, $or, $and, ...fields } = properties;
  const conditions = Object.entries(fields).map(
    ([path, condition]) => [path, conditionValues(description, condition)] as const,
  );
  const parts = [fewOf(Object.fromEntries(conditions), perLevel)];
  if (level > 0) {
    const groups = Object.entries({ $or, $and }).map(([name, group]) => {
      const members = whereValues(description, description.follow(group)["items"], level - 1);
      return [name, fc.array(members, { minLength: 1, maxLength: 2 })] as const;
    });
    parts.push(seldom(fewOf(Object.fromEntries(groups), 1)));
  }
  if ($search !== undefined) parts.push(seldom(searches.map((text) => ({ $search: text }))));
  return fc
    .tuple(...parts)
    .map((some): JsonObject => Object.assign({}, ...some))
    .filter((where) => Buffer.byteLength(JSON.stringify(where)) <= 4096 && isText(where));
}

/** By schema: fields of a kind share theirs. */
const made = new WeakMap<JsonObject, fc.Arbitrary<JsonValue>>();

function conditionValues(description: Description, schema: JsonValue | undefined): fc.Arbitrary<JsonValue> {
  const whole = description.follow(schema);
  const values = made.get(whole) ?? newConditionValues(description, whole);
  made.set(whole, values);
  return values;
}

/** A bare value, or operators. */
function newConditionValues(description: Description, schema: JsonObject): fc.Arbitrary<JsonValue> {
  const { anyOf } = schema;
  const branches = (Array.isArray(anyOf) ? anyOf : [schema]).map((branch: JsonValue | undefined) => {
    const operators = membersOf(description, branch);
    if (!Object.hasOwn(operators, "$isNull")) return fitting(description, branch);
    const values = Object.entries(operators).map(
      ([name, each]) => [name, fitting(description, each)] as const,
    );
    return fewOf(Object.fromEntries(values), perCondition);
  });
  return fc.oneof(...branches);
}

function membersOf(description: Description, schema: JsonValue | undefined): JsonObject {
  const { properties } = description.follow(schema);
  return isJsonObject(properties) ? properties : {};
}

function seldom(some: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> {
  return fc.oneof({ arbitrary: fc.constant({}), weight: 2 }, some);
}

/** Words, phrases and exclusions. */
const searches = fc
  .array(fc.constantFrom("printer", "Tickets", "running", '"out of paper"', "-broken", "größer", "東京"), {
    minLength: 1,
    maxLength: 5,
  })
  .map((terms) => terms.join(" "));

/** No stored text has NUL or half a character. */
function isText(where: JsonObject): boolean {
  return !/\\u0000|\\ud[89a-f]/.test(JSON.stringify(where));
}

/** A condition in so many groups. */
export function nested(levels: number, condition: JsonObject): JsonObject {
  return levels === 0 ? condition : { $or: [nested(levels - 1, condition)] };
}
