/** Random schemas of the keywords by which schemas are put together, and values that they speak of. */
import fc from "fast-check";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../runtime/json.ts";

const names = ["a", "b", "ab", "toString"];
const name = fc.constantFrom(...names);
/** By depth: each definition refers in place to later ones alone, so that no validator goes in circles. */
const definitions = ["d0", "d1", "d2"];

export const randomValue: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2, depthSize: "small", withCrossShrink: true },
    fc.constantFrom<JsonValue>(0, 1, "x", null, true),
    fc.dictionary(name, tie("value"), { maxKeys: 4 }).map((members): JsonValue => ({ ...members })),
    fc.array(tie("value"), { maxLength: 4 }),
  ),
})).value;

const asserting: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.constantFrom("object", "array", "integer", "string", "null").map((type): JsonObject => ({ type })),
  fc.constantFrom<JsonValue>(0, 1, "x").map((value): JsonObject => ({ const: value })),
  name.map((each): JsonObject => ({ required: [each] })),
  fc.nat(3).map((maxItems): JsonObject => ({ maxItems })),
);

/**
 * @param depth how many schemas may stand inside of each other
 * @param later definitions that a `$ref` in place may name
 * @param more further keywords
 */
function schemaWithin(
  depth: number,
  later: readonly string[],
  more: readonly fc.Arbitrary<JsonObject>[],
): fc.Arbitrary<JsonValue> {
  if (depth === 0) return fc.oneof(fc.boolean(), asserting, fc.constant<JsonValue>({}));
  const inPlace = fc.oneof(
    { weight: 3, arbitrary: schemaWithin(depth - 1, later, more) },
    ...(later.length === 0
      ? []
      : [fc.constantFrom(...later).map(($ref): JsonValue => ({ $ref: `#/$defs/${$ref}` }))]),
  );
  const inside = fc.oneof(
    { weight: 4, arbitrary: schemaWithin(depth - 1, definitions, more) },
    fc
      .constantFrom(...definitions, "")
      .map((each): JsonValue => ({ $ref: each === "" ? "#" : `#/$defs/${each}` })),
  );
  const branches = fc.array(inPlace, { minLength: 1, maxLength: 3 });
  const byName = (of: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonObject> =>
    fc.dictionary(name, of, { minKeys: 1, maxKeys: 2 }).map((members) => ({ ...members }));
  const keywords: readonly fc.Arbitrary<JsonObject>[] = [
    byName(inside).map((properties) => ({ properties })),
    fc
      .tuple(fc.constantFrom("^a", "b$", "^t"), inside)
      .map(([pattern, of]) => ({ patternProperties: { [pattern]: of } })),
    inside.map((additionalProperties) => ({ additionalProperties })),
    fc
      .oneof(fc.constant<JsonValue>(false), inside)
      .map((unevaluatedProperties) => ({ unevaluatedProperties })),
    fc.oneof(fc.constant<JsonValue>(false), inside).map((unevaluatedItems) => ({ unevaluatedItems })),
    fc.array(inside, { minLength: 1, maxLength: 2 }).map((prefixItems) => ({ prefixItems })),
    inside.map((items) => ({ items })),
    fc
      .record(
        { contains: inside, minContains: fc.nat(2), maxContains: fc.nat(3) },
        { requiredKeys: ["contains"] },
      )
      .map((of): JsonObject => ({ ...of })),
    branches.map((allOf) => ({ allOf })),
    branches.map((anyOf) => ({ anyOf })),
    branches.map((oneOf) => ({ oneOf })),
    inPlace.map((not) => ({ not })),
    fc
      // biome-ignore lint/suspicious/noThenProperty: a keyword, of a schema that nobody awaits
      .record({ if: inPlace, then: inPlace, else: inPlace }, { requiredKeys: ["if"] })
      .map((of): JsonObject => ({ ...of })),
    byName(inPlace).map((dependentSchemas) => ({ dependentSchemas })),
    asserting,
    ...more,
    ...(later.length === 0 ? [] : [fc.constantFrom(...later).map(($ref) => ({ $ref: `#/$defs/${$ref}` }))]),
  ];
  return fc
    .array(fc.oneof(...keywords), { minLength: 1, maxLength: 4 })
    .map((parts): JsonValue => Object.assign({}, ...parts));
}

/** Data that reads like a schema, or like what programs ask of objects. */
const misleading = fc.constantFrom<JsonValue>(
  { $ref: "#/nope" },
  { $ref: "#" },
  { a: { $ref: "#/$defs/d0" } },
  [{ $ref: "other.json#/$defs/x" }],
  { $id: "https://example.com/x", $anchor: "x", $dynamicRef: "#x" },
  { hasOwnProperty: 1, constructor: 2, toString: 3 },
  { type: "nope", properties: 1, allOf: {}, tsType: "A" },
);

/** Keywords that hold data, whatever it looks like. */
const ofData: fc.Arbitrary<JsonObject> = fc
  .tuple(fc.constantFrom("const", "enum", "default", "examples"), misleading, fc.array(misleading))
  .map(([keyword, value, more]) => ({
    [keyword]: keyword === "const" || keyword === "default" ? value : [value, 0, ...more],
  }));

/** With definitions that it refers to, and that refer to each other and to it. */
function withDefinitions(more: readonly fc.Arbitrary<JsonObject>[]): fc.Arbitrary<JsonObject> {
  const inner = definitions.map((_, at) => schemaWithin(2, definitions.slice(at + 1), more));
  return fc.tuple(schemaWithin(3, definitions, more), ...inner).map(([root, ...defs]) => ({
    ...(isJsonObject(root) ? root : {}),
    $defs: Object.fromEntries(definitions.map((each, at) => [each, defs[at] ?? true])),
  }));
}

const ofDefaults: fc.Arbitrary<JsonObject> = fc
  .oneof(randomValue, misleading)
  .map((value): JsonObject => ({ default: value }));

export const randomSchema = withDefinitions([]);
/** Nearly all of them have defaults, in all places. */
export const randomSchemaWithDefaults = withDefinitions(Array.from({ length: 6 }, () => ofDefaults));
export const randomSchemaWithData = withDefinitions([ofData]);
