import fc from "fast-check";
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";
import type { Description, Operation, Parameter } from "./description.ts";
import { fewOf, fitting, spoilt } from "./values.ts";
import { nested, whereValues } from "./where.ts";

/** A query string, not yet encoded. */
export type Pairs = readonly (readonly [name: string, value: string])[];

/** Queries that the operation must take, by the schemas of its parameters and by what it says of them in words. */
export function goodQueries(description: Description, operation: Operation): fc.Arbitrary<Pairs> {
  // Cursors come from pages: see World.
  const parameters = operation.query.filter(({ name }) => name !== "after");
  const values = parameters.map((each) => [each.name, valuesOf(description, operation, each)] as const);
  const settled = operation.path.endsWith("/_aggregate") ? settledGroups : settledOrder;
  return fewOf(Object.fromEntries(values), 4).map((query) => written(parameters, settled(query)));
}

/** Queries that the operation must refuse: good values spoilt, and those that break what is said in words. */
export function badQueries(description: Description, operation: Operation): fc.Arbitrary<Pairs> {
  const spoiltOnes = operation.query.filter(isRestricted).map((parameter) => {
    const { name, schema, write, valid } = parameter;
    const values = valuesOf(description, operation, parameter);
    const changed = schema["type"] === "array" ? spoiltList(values) : spoilt(values);
    const texts = changed.map(write).filter((text) => !valid(text));
    return texts.map((text): Pairs => [[name, text]]);
  });
  return fc.oneof(fc.constantFrom<Pairs[]>(...refused(operation)), ...spoiltOnes);
}

function valuesOf(
  description: Description,
  { response }: Operation,
  { name, schema, examples }: Parameter,
): fc.Arbitrary<JsonValue> {
  if (examples.length > 0) return fc.constantFrom(...examples);
  if (name === "where") return whereValues(description, schema);
  if (name === "expand") return entries(description, schema, response);
  if (schema["type"] !== "array") return fitting(description, schema);
  const names = itemsOf(description, schema);
  const several = fc.uniqueArray(fc.constantFrom(...names.filter((each) => each !== "_relevance")), {
    minLength: 1,
    maxLength: 3,
    selector: name === "metrics" ? String : fieldOf,
  });
  return names.includes("_relevance") ? fc.oneof(several, fc.constant(["_relevance"])) : several;
}

function itemsOf(description: Description, schema: JsonValue): readonly string[] {
  const { items } = description.follow(schema);
  const { enum: names } = description.follow(items);
  return Array.isArray(names) ? names.map(String) : [];
}

/** What a key of an order, or of groups, is about. */
function fieldOf(key: string): string {
  return key.replace(/^-|:(?:hour|day|week|month|quarter|year)$/g, "");
}

/** Entries of `expand`, each reference once; the fields to select are those of the documents that it leads to. */
function entries(
  description: Description,
  schema: JsonValue,
  response: JsonValue | undefined,
): fc.Arbitrary<string[]> {
  const { items } = description.follow(schema);
  const [named] = alternatives(description, items);
  const names = Array.isArray(named?.["enum"]) ? named["enum"].map(String) : [];
  const entry = fc.constantFrom(...names).chain((name) => {
    const fields = selectable(description, response, name.split(".")).filter((each) => !/[,()]/.test(each));
    const selection = fc
      .subarray(fields, { minLength: 1, maxLength: 3 })
      .map((some) => `(${some.join(",")})`);
    return fc.oneof(
      fc.constant(name),
      fields.length > 0 ? selection.map((some) => name + some) : fc.constant(name),
    );
  });
  return fc.uniqueArray(entry, { minLength: 1, maxLength: 3, selector: (each) => each.replace(/\(.*/, "") });
}

/** Members of the documents in `_expanded` of a document, or of each in a page. */
function selectable(
  description: Description,
  schema: JsonValue | undefined,
  [name, ...rest]: readonly string[],
): readonly string[] {
  const properties = (of: JsonValue | undefined) =>
    description.follow(description.follow(of)["properties"] ?? {});
  if (name === undefined) {
    return Object.keys(properties(schema)).filter((each) => each !== "_expanded");
  }
  const items = properties(schema)["items"];
  const document = isJsonObject(items) && items["type"] === "array" ? items["items"] : schema;
  const entry = properties(properties(document)["_expanded"])[name];
  const [first] = alternatives(description, entry);
  const target = first?.["type"] === "array" ? alternatives(description, first["items"])[0] : first;
  return selectable(description, target, rest);
}

function alternatives(description: Description, schema: JsonValue | undefined): readonly JsonObject[] {
  const { anyOf } = description.follow(schema);
  return Array.isArray(anyOf) ? anyOf.map((each) => description.follow(each)) : [];
}

/** Relevance is an order of searches, and only of the first results. */
function settledOrder({ order_by: order, ...query }: JsonObject): JsonObject {
  if (order === undefined) return query;
  if (!Array.isArray(order) || !order.includes("_relevance")) return { ...query, order_by: order };
  const searches = isJsonObject(query["where"]) && Object.hasOwn(query["where"], "$search");
  const { skip = 0, ...others } = query;
  return searches ? { ...others, skip: Math.min(Number(skip), 900), order_by: order } : query;
}

/** Groups are ordered by what is asked for. */
function settledGroups({ order_by: order, ...query }: JsonObject): JsonObject {
  if (!Array.isArray(order)) return query;
  const keys = Array.isArray(query["group_by"]) ? query["group_by"].map((key) => fieldOf(String(key))) : [];
  const metrics = Array.isArray(query["metrics"]) ? query["metrics"] : ["count"];
  const asked = new Set<JsonValue>([...keys, ...metrics]);
  const left = order.filter((key) => asked.has(String(key).replace(/^-/, "")));
  return left.length > 0 ? { ...query, order_by: left } : query;
}

function written(parameters: readonly Parameter[], query: JsonObject): Pairs {
  return parameters.flatMap(({ name, write }) => {
    const value = query[name];
    return value === undefined ? [] : [[name, write(value)] as const];
  });
}

/** Not every text is a value. */
function isRestricted({ schema }: Parameter): boolean {
  return schema["type"] !== "string" || schema["enum"] !== undefined || schema["pattern"] !== undefined;
}

function spoiltList(values: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonValue> {
  return values.chain((value) => {
    const list = Array.isArray(value) ? value : [];
    const [first = ""] = list;
    return fc.constantFrom([...list, "unheard_of"], [...list, first], [...list, ""], ["("], []);
  });
}

/** By the operation: good as far as schemas can say, or about what it has no parameter for. */
function refused({ path, query }: Operation): readonly Pairs[] {
  const names = query.map(({ name }) => name);
  const conditions: readonly string[] = [
    "{",
    "[]",
    '{"$search":"-"}',
    JSON.stringify({ $search: "word ".repeat(11) }),
    JSON.stringify({ $or: [{ $search: "word" }] }),
    JSON.stringify(nested(5, { id: "x" })),
    JSON.stringify({ $or: Array.from({ length: 33 }, () => ({ id: "x" })) }),
    JSON.stringify({ id: "x".repeat(4096) }),
    JSON.stringify({ id: { $like: "%_%_%" } }),
    JSON.stringify({ id: { $contains: "x".repeat(257) } }),
  ];
  const some: Pairs[] = [[["unheard_of", "1"]]];
  if (names.includes("where")) {
    some.push(...conditions.map((text): Pairs => [["where", text]]));
    some.push([
      ["where", "{}"],
      ["where", "{}"],
    ]);
  }
  if (path.endsWith("/_aggregate")) {
    some.push(
      [["tz", "Nowhere/Land"]],
      [["metrics", "median:id"]],
      [["order_by", "sum:unheard_of"]],
      [["skip", "1"]],
    );
  } else if (names.includes("where")) {
    const id = "0".repeat(20);
    some.push(
      [["after", "made up"]],
      [["after", id]],
      [
        ["order_by", "id"],
        ["after", id],
        ["skip", "1"],
      ],
      [["order_by", "id,-id"]],
      [["order_by", "_relevance"]],
      [["expand", "unheard_of"]],
      [["expand", ""]],
    );
  }
  return some;
}
