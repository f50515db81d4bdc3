/** What the schemas that apply to one value say of it together, keyword by keyword, with `$ref` and `allOf` followed. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../../runtime/json.ts";
import { type Place, target, targetKey, within } from "../../../templates/openapi/schemas/place.ts";
import { commonMultiple } from "../../model/decimals.ts";
import { canonicalJson } from "../../model/meaning.ts";
import { allTypes, type JsonType, typesOf } from "../../model/shapes.ts";
import { mapSubschemas } from "../../schema/walk.ts";

export interface Facets {
  /** `integer` stands beside `number` where both fit. */
  readonly types: ReadonlySet<JsonType>;
  /** Of `enum` and `const`, in canonical JSON; absent: any. */
  readonly values?: ReadonlySet<string>;
  readonly limits: ReadonlyMap<Limit, number>;
  readonly patterns: ReadonlySet<string>;
  readonly formats: ReadonlySet<string>;
  /** `x-svc-store: date`. */
  readonly date: boolean;
  readonly uniqueItems: boolean;
  readonly items: readonly Place[];
  readonly members: ReadonlyMap<string, readonly Place[]>;
  readonly required: ReadonlySet<string>;
  /** Members that are not declared are refused. */
  readonly closed: boolean;
  /** Of members that are not declared. */
  readonly others: readonly Place[];
  /** `anyOf` and `oneOf`, each with its branches. */
  readonly alternatives: readonly { readonly keyword: string; readonly branches: readonly Place[] }[];
  /** Keywords that are compared as a whole, in canonical JSON with their references followed. */
  readonly conditions: ReadonlyMap<string, string>;
  /** Texts for people, in canonical JSON. */
  readonly descriptions: ReadonlyMap<string, string>;
}

export const limits = {
  minLength: "least",
  maxLength: "most",
  minimum: "least",
  maximum: "most",
  exclusiveMinimum: "least",
  exclusiveMaximum: "most",
  multipleOf: "factor",
  minItems: "least",
  maxItems: "most",
  minProperties: "least",
  maxProperties: "most",
} as const;

export type Limit = keyof typeof limits;

export function facetsOf(places: readonly Place[]): Facets {
  const parts = places.flatMap((place) => conjuncts(place));
  const objects = parts.filter((part): part is Part => isJsonObject(part.value));
  const values = intersection(objects.flatMap(listed));
  return {
    types: typesIn(parts, values),
    ...(values === undefined ? {} : { values: new Set(values.keys()) }),
    limits: limitsOf(objects),
    patterns: texts(objects, "pattern"),
    formats: texts(objects, "format"),
    date: objects.some(({ value }) => value["x-svc-store"] === "date"),
    uniqueItems: objects.some(({ value }) => value.uniqueItems === true),
    items: objects.flatMap(elements),
    members: membersOf(objects),
    required: new Set(objects.flatMap(({ value }) => strings(value.required))),
    closed: objects.some(({ value }) => closing.some((keyword) => value[keyword] === false)),
    others: objects.flatMap((part) => closing.flatMap((keyword) => inner(part, keyword))),
    alternatives: objects.flatMap((part) =>
      ["anyOf", "oneOf"].flatMap((keyword) => {
        const branches = listOf(part, keyword);
        return branches.length === 0 ? [] : [{ keyword, branches }];
      }),
    ),
    conditions: conditionsOf(objects),
    descriptions: new Map(
      objects.flatMap(({ value }) =>
        describing.flatMap((name) =>
          value[name] === undefined ? [] : [[name, canonicalJson(value[name])] as const],
        ),
      ),
    ),
  };
}

/** A schema in one line, its references followed: equal for schemas that are written the same. */
export function expandedText(place: Place): string {
  return canonicalJson(below(place, new Set()));
}

type Part = Place & { readonly value: JsonObject };

/** The schemas that all apply where one does: what it refers to, and the branches of `allOf`. */
export function conjuncts(place: Place, entered: ReadonlySet<string> = new Set()): Place[] {
  const { value } = place;
  if (!isJsonObject(value)) return value === false ? [place] : [];
  const part = { ...place, value };
  const referred = target(place, value.$ref);
  const key = referred && targetKey(referred);
  return [
    place,
    ...(referred === undefined || key === undefined || entered.has(key)
      ? []
      : conjuncts(referred, new Set([...entered, key]))),
    ...listOf(part, "allOf").flatMap((branch) => conjuncts(branch, entered)),
  ];
}

function elements(part: Part): Place[] {
  return part.value.items === false ? [within(part, false)] : inner(part, "items");
}

function inner(part: Part, keyword: string): Place[] {
  const value = part.value[keyword];
  return isJsonObject(value) ? [within(part, value)] : [];
}

function listOf(part: Part, keyword: string): Place[] {
  const list = part.value[keyword];
  return Array.isArray(list) ? list.map((each: JsonValue) => within(part, each)) : [];
}

function typesIn(
  parts: readonly Place[],
  values: ReadonlyMap<string, JsonValue> | undefined,
): ReadonlySet<JsonType> {
  let types = allTypes;
  for (const { value } of parts) {
    if (value === false) return new Set();
    if (!isJsonObject(value) || value.type === undefined) continue;
    const named = typeof value.type === "string" ? [value.type] : strings(value.type);
    const allowed = named.includes("number") ? [...named, "integer"] : named;
    types = types.filter((type) => allowed.includes(type));
  }
  if (values === undefined) return new Set(types);
  const occurring = new Set([...values.values()].flatMap(typesOf));
  return new Set(types.filter((type) => occurring.has(type)));
}

/** The values that a schema lists, by their canonical JSON. */
function listed({ value }: Part): ReadonlyMap<string, JsonValue>[] {
  const lists = [
    ...(Array.isArray(value.enum) ? [value.enum] : []),
    ...(value.const === undefined ? [] : [[value.const]]),
  ];
  return lists.map((list) => new Map(list.map((each: JsonValue) => [canonicalJson(each), each])));
}

function intersection(
  lists: readonly ReadonlyMap<string, JsonValue>[],
): ReadonlyMap<string, JsonValue> | undefined {
  const [first, ...rest] = lists;
  return first && new Map([...first].filter(([key]) => rest.every((list) => list.has(key))));
}

function limitsOf(objects: readonly Part[]): ReadonlyMap<Limit, number> {
  const found = new Map<Limit, number>();
  for (const { value } of objects) {
    for (const name of limitNames) {
      const own = value[name];
      // No size is below 0.
      if (typeof own !== "number" || (own === 0 && name.startsWith("min") && name !== "minimum")) continue;
      found.set(name, together(name, own, found.get(name) ?? own));
    }
  }
  return found;
}

/** A limit that says what two say. */
function together(name: Limit, one: number, other: number): number {
  switch (limits[name]) {
    case "most":
      return Math.min(one, other);
    case "least":
      return Math.max(one, other);
    case "factor":
      return commonMultiple(one, other);
  }
}

export const limitNames: readonly Limit[] = [
  "minLength",
  "maxLength",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
];

function membersOf(objects: readonly Part[]): ReadonlyMap<string, readonly Place[]> {
  const members = new Map<string, Place[]>();
  for (const part of objects) {
    const { properties } = part.value;
    if (!isJsonObject(properties)) continue;
    for (const [name, value] of Object.entries(properties)) {
      if (value === undefined) continue;
      members.set(name, [...(members.get(name) ?? []), within(part, value)]);
    }
  }
  return members;
}

function conditionsOf(objects: readonly Part[]): ReadonlyMap<string, string> {
  const found = new Map<string, Set<string>>();
  for (const part of objects) {
    const others = Object.entries(part.value).filter(([keyword]) => !understood.has(keyword));
    if (others.length === 0) continue;
    const own = { ...part, value: Object.fromEntries(others) };
    for (const [keyword, value] of Object.entries(expanded(own, new Set()))) {
      found.set(keyword, (found.get(keyword) ?? new Set()).add(canonicalJson(value)));
    }
  }
  return new Map([...found].map(([keyword, all]) => [keyword, [...all].sort().join()]));
}

function texts(objects: readonly Part[], keyword: string): ReadonlySet<string> {
  return new Set(
    objects.flatMap(({ value }) => {
      const text = value[keyword];
      return typeof text === "string" ? [text] : [];
    }),
  );
}

function strings(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((each: JsonValue) => typeof each === "string") : [];
}

/** A schema with `$ref`s replaced by what they refer to, each once on the way, and without what is for people. */
function expanded(place: Part, entered: ReadonlySet<string>): JsonObject {
  const kept = Object.entries(place.value).filter(
    ([keyword]) => !ignored.has(keyword) && !describing.includes(keyword),
  );
  const mapped = mapSubschemas(Object.fromEntries(kept), (child) => below(within(place, child), entered));
  const own = Object.fromEntries(
    Object.entries(mapped).map(([keyword, value]) => [
      keyword,
      unordered.has(keyword) ? inOrder(value) : value,
    ]),
  );
  const referred = target(place, place.value.$ref);
  const key = referred && targetKey(referred);
  if (referred === undefined || key === undefined || entered.has(key)) return own;
  return { ...own, $ref: below(referred, new Set([...entered, key])) };
}

function below(place: Place, entered: ReadonlySet<string>): JsonValue {
  const { value } = place;
  return isJsonObject(value) ? expanded({ ...place, value }, entered) : value;
}

/** Lists whose order says nothing. */
const unordered: ReadonlySet<string> = new Set(["allOf", "anyOf", "enum", "oneOf", "required", "type"]);

function inOrder(value: JsonValue | undefined): JsonValue | undefined {
  if (!Array.isArray(value)) return value;
  const texts = new Map(value.map((each: JsonValue) => [canonicalJson(each), each]));
  return [...texts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}

const closing = ["additionalProperties", "unevaluatedProperties"];

const describing = ["title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"];

/** Say nothing of values by themselves. */
const ignored: ReadonlySet<string> = new Set(["$schema", "$id", "$comment", "$defs", "definitions"]);

/** Keywords that `Facets` has a member for. */
const understood: ReadonlySet<string> = new Set([
  ...ignored,
  ...describing,
  ...closing,
  ...limitNames,
  "$ref",
  "allOf",
  "anyOf",
  "const",
  "enum",
  "format",
  "items",
  "oneOf",
  "pattern",
  "properties",
  "required",
  "type",
  "uniqueItems",
  "x-svc-slow-pattern",
  "x-svc-store",
]);
