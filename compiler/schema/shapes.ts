/**
 * What a schema says a value may be, as far as declared fields need it: types, strings allowed, members, elements.
 * `allOf` and `$ref` narrow, `anyOf` and `oneOf` widen.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";
import { pathOf } from "../source/source.ts";
import { isPart, keyOf, type Part, type Place, referred, type Target } from "./place.ts";
import { branchesOf, innerOf, namedIn } from "./walk.ts";

export type JsonType = "array" | "boolean" | "integer" | "null" | "number" | "object" | "string";

/** How strings are stored: as they are, or under `x-svc-store: date`. */
export type StringStore = "plain" | "date-time" | "date";

export interface Shape {
  /** Whole numbers are there as `integer` beside `number`. */
  readonly types: ReadonlySet<JsonType>;
  /** Empty: nothing is said, which means `plain`. More than one: branches of the schema disagree. */
  readonly stores: ReadonlySet<StringStore>;
  /** Strings allowed; absent: any. */
  readonly values?: ReadonlySet<string>;
  readonly members: ReadonlyMap<string, MemberShape>;
  /** Of arrays; absent: anything. */
  readonly items?: Shape;
  /** A mistake in the schema leaves open what else the value may be. */
  readonly open?: true;
}

export interface MemberShape {
  readonly shape: Shape;
  /** Where it is declared first. */
  readonly declared: Place;
}

/** Thrown when a schema unfolds to more than any collection needs. The message says of what: "it declares more than …". */
export class TooManyParts extends Error {}

/** Parts that the schema of one collection may unfold to. */
const MAX_PARTS = 20_000;
/** Levels of schemas in schemas, `$ref`s followed. */
const MAX_LEVELS = 500;

export const allTypes: readonly JsonType[] = [
  "array",
  "boolean",
  "integer",
  "null",
  "number",
  "object",
  "string",
];

const anyValue = { types: new Set(allTypes), stores: new Set<StringStore>() };
export const anything: Shape = { ...anyValue, members: new Map() };

/** Keywords through which declared fields are reached. */
export const declaring: ReadonlySet<string> = new Set([
  ...["allOf", "anyOf", "items", "oneOf", "prefixItems", "properties"],
]);

/** Keywords that say what a shape holds. */
const shaping: ReadonlySet<string> = new Set([
  ...declaring,
  ...["$ref", "const", "enum", "format", "type", "x-svc-store"],
]);

/** What the schemas are of which mistakes leave open what they say. */
function openPlaces(faults: readonly Target[]): ReadonlySet<string> {
  return new Set(
    faults.flatMap(({ path, pointer }) => {
      const steps = pathOf(pointer);
      // The keyword itself is faulty, or an entry of its list.
      const keyword = [steps.length - 1, steps.length - 2].find((at) => shaping.has(steps[at] ?? ""));
      const around = keyword === undefined ? [] : [keyOf({ path, at: steps.slice(0, keyword) })];
      return [`${path}#${pointer}`, ...around];
    }),
  );
}

/** @throws TooManyParts */
export function shapeOf(root: Place, faults: readonly Target[] = []): Shape {
  const open = openPlaces(faults);
  let parts = 0;
  let level = 0;
  return unfold(root, new Set());

  /** `entered`: the `$ref`s on the way from the root, each of which is entered once. */
  function unfold(place: Place, entered: ReadonlySet<string>): Shape {
    if (++parts > MAX_PARTS) throw new TooManyParts(`it unfolds to more than ${MAX_PARTS} parts`);
    if (++level > MAX_LEVELS) throw new TooManyParts(`it is nested deeper than ${MAX_LEVELS} levels`);
    const shape = unfolded(place, entered);
    level--;
    return open.size > 0 && open.has(keyOf(place)) ? { ...shape, ...anyValue, open: true } : shape;
  }

  function unfolded(place: Place, entered: ReadonlySet<string>): Shape {
    if (place.schema === false) return { ...anything, types: new Set() };
    if (!isPart(place)) return anything;
    let shape = ownShape(place, entered);
    if (typeof place.schema.$ref === "string") shape = intersection(shape, follow(place, entered));
    for (const part of branchesOf(place, "allOf")) shape = intersection(shape, unfold(part, entered));
    for (const keyword of ["anyOf", "oneOf"]) {
      const parts = branchesOf(place, keyword).map((part) => unfold(part, entered));
      if (parts.length > 0) shape = intersection(shape, parts.reduce(union));
    }
    return shape;
  }

  function follow(from: Part, entered: ReadonlySet<string>): Shape {
    const target = referred(from);
    if (target === undefined) return { ...anything, open: true };
    const key = keyOf(target);
    // Entered before on this path: what is inside stays undeclared, only what kind of value it is is known.
    if (entered.has(key)) return { ...anything, types: ownTypes(target.schema) };
    return unfold(target, new Set([...entered, key]));
  }

  function ownShape(part: Part, entered: ReadonlySet<string>): Shape {
    const values = ownValues(part.schema);
    const items = elementShape(part, entered);
    const members = namedIn(part, "properties");
    return {
      types: ownTypes(part.schema),
      stores: ownStores(part.schema),
      members: new Map(
        members.map(([name, declared]) => [name, { shape: unfold(declared, entered), declared }]),
      ),
      ...(values === undefined ? {} : { values }),
      ...(items === undefined ? {} : { items }),
    };
  }

  function elementShape(part: Part, entered: ReadonlySet<string>): Shape | undefined {
    const first = branchesOf(part, "prefixItems").map((each) => unfold(each, entered));
    const [rest] = innerOf(part, "items").map((each) => unfold(each, entered));
    return first.length === 0 ? rest : first.reduce(union, rest ?? anything);
  }
}

function ownTypes(schema: JsonValue): ReadonlySet<JsonType> {
  if (schema === false) return new Set();
  if (!isJsonObject(schema)) return anything.types;
  const types = new Set(statedTypes(schema));
  const listed = listedValues(schema);
  return listed === undefined ? types : common(types, new Set(listed.flatMap(typesOf)));
}

/** What `type` says, and nothing else; whole numbers are numbers. */
export function statedTypes({ type }: JsonObject): readonly JsonType[] {
  const stated = type === undefined ? allTypes : [type].flat();
  return allTypes.filter(
    (each) => stated.includes(each) || (each === "integer" && stated.includes("number")),
  );
}

export function typesOf(value: JsonValue): JsonType[] {
  if (value === null) return ["null"];
  if (Array.isArray(value)) return ["array"];
  if (typeof value === "number") return Number.isInteger(value) ? ["integer"] : ["integer", "number"];
  return typeof value === "string" ? ["string"] : typeof value === "boolean" ? ["boolean"] : ["object"];
}

function listedValues(schema: JsonObject): readonly JsonValue[] | undefined {
  if (schema.const !== undefined) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : undefined;
}

function ownValues(schema: JsonObject): ReadonlySet<string> | undefined {
  const listed = listedValues(schema);
  return listed === undefined ? undefined : new Set(listed.filter((value) => typeof value === "string"));
}

function ownStores(schema: JsonObject): ReadonlySet<StringStore> {
  if (schema["x-svc-store"] !== "date") return new Set();
  return new Set([schema.format === "date" ? "date" : "date-time"]);
}

export function storesOf(shape: Shape): ReadonlySet<StringStore> {
  if (!shape.types.has("string") || shape.open) return new Set();
  return shape.stores.size === 0 ? new Set(["plain"]) : shape.stores;
}

/** Both apply. */
function intersection(a: Shape, b: Shape): Shape {
  const values =
    a.values === undefined ? b.values : b.values === undefined ? a.values : common(a.values, b.values);
  const items =
    a.items === undefined ? b.items : b.items === undefined ? a.items : intersection(a.items, b.items);
  return {
    types: common(a.types, b.types),
    stores: mostSpecific(a.stores, b.stores),
    members: merged(a.members, b.members, intersection),
    ...(values === undefined ? {} : { values }),
    ...(items === undefined ? {} : { items }),
    ...eitherOpen(a, b),
  };
}

function eitherOpen(a: Shape, b: Shape): Pick<Shape, "open"> {
  return a.open || b.open ? { open: true } : {};
}

/** What is said of storing beats nothing, and a date beats the plain string that another part merely allows. */
function mostSpecific(a: ReadonlySet<StringStore>, b: ReadonlySet<StringStore>): ReadonlySet<StringStore> {
  const saysDate = (stores: ReadonlySet<StringStore>): boolean =>
    stores.has("date") || stores.has("date-time");
  if (!saysDate(a)) return b.size === 0 ? a : b;
  return saysDate(b) ? new Set([...a, ...b]) : a;
}

/** One or the other applies. */
export function union(a: Shape, b: Shape): Shape {
  const [first, second] = [a, b].filter((side) => side.types.has("string"));
  const values = second === undefined ? first?.values : bothValues(first, second);
  const [items, otherItems] = [a, b].filter((side) => side.types.has("array")).map((side) => side.items);
  const together =
    items !== undefined && otherItems !== undefined ? union(items, otherItems) : (items ?? otherItems);
  return {
    types: new Set([...a.types, ...b.types]),
    stores: new Set([...storesOf(a), ...storesOf(b)]),
    members: merged(membersOf(a), membersOf(b), union),
    ...(values === undefined ? {} : { values }),
    ...(together === undefined ? {} : { items: together }),
    ...eitherOpen(a, b),
  };
}

function bothValues(a: Shape | undefined, b: Shape): ReadonlySet<string> | undefined {
  return a?.values === undefined || b.values === undefined ? undefined : new Set([...a.values, ...b.values]);
}

function membersOf(shape: Shape): Shape["members"] {
  return shape.types.has("object") ? shape.members : new Map();
}

function merged(
  a: Shape["members"],
  b: Shape["members"],
  merge: (a: Shape, b: Shape) => Shape,
): Shape["members"] {
  const result = new Map(a);
  for (const [name, member] of b) {
    const other = result.get(name);
    result.set(name, other === undefined ? member : { ...other, shape: merge(other.shape, member.shape) });
  }
  return result;
}

function common<T>(a: ReadonlySet<T>, b: ReadonlySet<T>): ReadonlySet<T> {
  return new Set([...a].filter((each) => b.has(each)));
}
