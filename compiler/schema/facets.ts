/** What the schemas that apply to one value say of it together, keyword by keyword, with `$ref` and `allOf` followed. */
import type { JsonObject, JsonValue } from "../../runtime/json.ts";
import { canonicalJson } from "../source/meaning.ts";
import { commonMultiple } from "./decimals.ts";
import { closing, isLimit, keyword, keywordsWith, type Limit, limitNames } from "./keywords.ts";
import { below, isPart, keyOf, type Part, type Place, referred } from "./place.ts";
import { allTypes, type JsonType, statedTypes, typesOf } from "./shapes.ts";
import { branchesOf, conjunctsOf, innerOf, mapHeld, namedIn } from "./walk.ts";

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

export function facetsOf(places: readonly Place[]): Facets {
  const { parts, never } = conjunctsOf(places);
  const values = intersection(parts.flatMap(({ schema }) => listed(schema)));
  return {
    types: never.length > 0 ? new Set() : typesIn(parts, values),
    ...(values === undefined ? {} : { values: new Set(values.keys()) }),
    limits: limitsOf(parts),
    patterns: texts(parts, "pattern"),
    formats: texts(parts, "format"),
    date: parts.some(({ schema }) => schema["x-svc-store"] === "date"),
    uniqueItems: parts.some(({ schema }) => schema.uniqueItems === true),
    items: parts.flatMap((part) => innerOf(part, "items")).filter(({ schema }) => schema !== true),
    members: membersOf(parts),
    required: new Set(parts.flatMap(({ schema }) => strings(schema.required))),
    closed: parts.some(({ schema }) => closing.some((name) => schema[name] === false)),
    others: parts.flatMap((part) => closing.flatMap((name) => innerOf(part, name))).filter(isPart),
    alternatives: parts.flatMap((part) =>
      ["anyOf", "oneOf"].flatMap((name) => {
        const branches = branchesOf(part, name);
        return branches.length === 0 ? [] : [{ keyword: name, branches }];
      }),
    ),
    conditions: conditionsOf(parts),
    descriptions: new Map(
      parts.flatMap(({ schema }) =>
        describing.flatMap((name) =>
          schema[name] === undefined ? [] : [[name, canonicalJson(schema[name])] as const],
        ),
      ),
    ),
  };
}

/** A schema in one line, its references followed: equal for schemas that are written the same. */
export function expandedText(place: Place): string {
  return canonicalJson(inside(place, new Set()));
}

function typesIn(
  parts: readonly Part[],
  values: ReadonlyMap<string, JsonValue> | undefined,
): ReadonlySet<JsonType> {
  const said = parts.map(({ schema }) => statedTypes(schema));
  if (values !== undefined) said.push([...values.values()].flatMap(typesOf));
  return new Set(allTypes.filter((type) => said.every((types) => types.includes(type))));
}

/** The values that a schema lists, by their canonical JSON. */
function listed(schema: JsonObject): ReadonlyMap<string, JsonValue>[] {
  const lists = [
    ...(Array.isArray(schema.enum) ? [schema.enum] : []),
    ...(schema.const === undefined ? [] : [[schema.const]]),
  ];
  return lists.map((list) => new Map(list.map((each: JsonValue) => [canonicalJson(each), each])));
}

function intersection(
  lists: readonly ReadonlyMap<string, JsonValue>[],
): ReadonlyMap<string, JsonValue> | undefined {
  const [first, ...rest] = lists;
  return first && new Map([...first].filter(([key]) => rest.every((list) => list.has(key))));
}

function limitsOf(parts: readonly Part[]): ReadonlyMap<Limit, number> {
  const found = new Map<Limit, number>();
  for (const { schema } of parts) {
    for (const name of limitNames) {
      const own = schema[name];
      // No size is below 0.
      if (typeof own !== "number" || (own === 0 && name.startsWith("min") && name !== "minimum")) continue;
      found.set(name, together(name, own, found.get(name) ?? own));
    }
  }
  return found;
}

/** A limit that says what two say. */
function together(name: Limit, one: number, other: number): number {
  switch (keyword(name).limit) {
    case "most":
      return Math.min(one, other);
    case "least":
      return Math.max(one, other);
    default:
      return commonMultiple(one, other);
  }
}

function membersOf(parts: readonly Part[]): ReadonlyMap<string, readonly Place[]> {
  const members = new Map<string, Place[]>();
  for (const part of parts)
    for (const [name, place] of namedIn(part, "properties"))
      members.set(name, [...(members.get(name) ?? []), place]);
  return members;
}

function conditionsOf(parts: readonly Part[]): ReadonlyMap<string, string> {
  const found = new Map<string, Set<string>>();
  for (const part of parts) {
    const others = Object.entries(part.schema).filter(([name]) => !isUnderstood(name));
    if (others.length === 0) continue;
    const own = { ...part, schema: Object.fromEntries(others) };
    for (const [name, value] of Object.entries(expanded(own, new Set()))) {
      found.set(name, (found.get(name) ?? new Set()).add(canonicalJson(value)));
    }
  }
  return new Map([...found].map(([name, all]) => [name, [...all].sort().join()]));
}

function texts(parts: readonly Part[], name: string): ReadonlySet<string> {
  return new Set(
    parts.flatMap(({ schema }) => {
      const text = schema[name];
      return typeof text === "string" ? [text] : [];
    }),
  );
}

export function strings(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((each: JsonValue) => typeof each === "string") : [];
}

/** A schema with `$ref`s replaced by what they refer to, each once on the way, and without what is for people. */
function expanded(part: Part, entered: ReadonlySet<string>): JsonObject {
  const kept = Object.entries(part.schema).flatMap(([name, held]) => {
    const { structure, forPeople, unordered } = keyword(name);
    if (structure || forPeople || name === "definitions") return [];
    const mapped = mapHeld(name, held, (schema, steps) => inside(below(part, steps, schema), entered));
    return [[name, unordered ? inOrder(mapped) : mapped] as const];
  });
  const own: JsonObject = Object.fromEntries(kept);
  const target = referred(part);
  const key = target && keyOf(target);
  if (target === undefined || key === undefined || entered.has(key)) return own;
  return { ...own, $ref: inside(target, new Set([...entered, key])) };
}

function inside(place: Place, entered: ReadonlySet<string>): JsonValue {
  return isPart(place) ? expanded(place, entered) : place.schema;
}

function inOrder(value: JsonValue | undefined): JsonValue | undefined {
  if (!Array.isArray(value)) return value;
  const texts = new Map(value.map((each: JsonValue) => [canonicalJson(each), each]));
  return [...texts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}

const describing = keywordsWith(({ forPeople }) => forPeople === true);

/** Keywords that `Facets` has a member for. */
const understood: ReadonlySet<string> = new Set([
  ...closing,
  ...["$ref", "allOf", "anyOf", "const", "definitions", "enum", "format", "items", "oneOf", "pattern"],
  ...["properties", "required", "type", "uniqueItems", "x-svc-slow-pattern", "x-svc-store"],
]);

function isUnderstood(name: string): boolean {
  const { structure, forPeople } = keyword(name);
  return structure === true || forPeople === true || isLimit(name) || understood.has(name);
}
