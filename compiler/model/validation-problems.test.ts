import { describe, expect, test } from "vitest";
import collectionSchema from "../../docs/schemas/collection.schema.json" with { type: "json" };
import functionSchema from "../../docs/schemas/function.schema.json" with { type: "json" };
import indexesSchema from "../../docs/schemas/indexes.schema.json" with { type: "json" };
import realmSchema from "../../docs/schemas/realm.schema.json" with { type: "json" };
import schemaSchema from "../../docs/schemas/schema.schema.json" with { type: "json" };
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";
import { parseSource } from "../source/reader.ts";
import { problemOf } from "./validation-problems.ts";

/** Keywords that say nothing of a value by themselves. */
const silent = [
  ...["$defs", "$ref", "$schema", "if", "items", "patternProperties", "properties", "then"],
  ...["default", "deprecationMessage", "description", "doNotSuggest", "examples", "title"],
  ...["x-expected", "x-unknown", "x-elsewhere"],
];

/** Every keyword of a schema with one of the schemas that it stands in. */
function keywordsOf(
  schema: JsonValue | undefined,
  found = new Map<string, JsonObject>(),
): Map<string, JsonObject> {
  if (!isJsonObject(schema)) return found;
  for (const [keyword, value] of Object.entries(schema)) {
    found.set(keyword, schema);
    const isByName = ["properties", "patternProperties", "$defs"].includes(keyword);
    if (isByName && isJsonObject(value)) {
      for (const each of Object.values(value)) keywordsOf(each, found);
    } else if (["items", "additionalProperties", "propertyNames", "if", "then"].includes(keyword)) {
      keywordsOf(value, found);
    }
  }
  return found;
}

describe("what a failed keyword means is said in our words", () => {
  const file = parseSource("realm.yaml", "key: value\n", []);

  test.for([
    ["realm", realmSchema],
    ["collection", collectionSchema],
    ["function", functionSchema],
    ["indexes", indexesSchema],
    ["schema", schemaSchema],
  ] as const)("every keyword of the schema of %s has its words", ([, schema]) => {
    if (file === undefined) throw new Error("the file is sound");
    const judging = [...keywordsOf(schema)].filter(([keyword]) => !silent.includes(keyword));
    expect(judging.length).toBeGreaterThan(5);
    for (const [keyword, around] of judging) {
      const named = { additionalProperty: "a", missingProperty: "b", propertyName: "c" };
      const params = { ...named, limit: 2, allowedValues: ["d"], i: 1, j: 0 };
      const error = { keyword, path: ["key"], params, schema: around, value: "value", aboutName: false };
      const message = problemOf(file, [], error)?.diagnostic.message;
      expect(message, keyword).toBeDefined();
      // What nobody has put in words, and what ajv says.
      expect(message, keyword).not.toMatch(/valid by|must NOT|must be equal to|must match|undefined/);
    }
  });
});
