/** What `default` says of values that are left out: a graph of the places where defaults are applied. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";
import { define } from "../../runtime/merge-patch.ts";
import { isPart, keyOf, type Part, type Place, placeOf, referred, type Schema } from "./place.ts";
import { conjunctsOf, innerOf, mentions, namedIn } from "./walk.ts";

/** The schemas that look at one value together, and what they say of values inside of it by `properties` and `items`. */
export interface Presets {
  /** Equal for the same schemas. */
  readonly key: string;
  readonly parts: readonly Part[];
  readonly members: ReadonlyMap<string, MemberPreset>;
  /** Of all elements of an array. */
  readonly items?: Presets;
}

export interface MemberPreset {
  /** The schemas of the member. */
  readonly places: readonly Place[];
  readonly inside: Presets;
  /** The schema whose `default` it is; of several, the nearest: beside a `$ref` goes before what that leads to. */
  readonly preset?: Part;
}

/** Of the values of a schema; undefined where no default is applied anywhere inside of them. */
export function presetsOf(schema: Schema): Presets | undefined {
  if (
    ![schema.document, ...schema.files.map(({ document }) => document)].some((each) =>
      mentions(each, "default"),
    )
  )
    return undefined;
  const root = new Graph().at([placeOf(schema)]);
  return reaches(root, ({ members }) => [...members.values()].some(({ preset }) => preset !== undefined))
    ? root
    : undefined;
}

/** Makes each node once: schemas may refer to themselves. */
class Graph {
  readonly #nodes = new Map<string, Presets>();

  at(places: readonly Place[]): Presets {
    const led = places.map(leadsTo);
    const key = [...new Set(led.map(keyOf))].sort().join(" ");
    const known = this.#nodes.get(key);
    if (known !== undefined) return known;
    const { parts } = conjunctsOf(led);
    const members = new Map<string, MemberPreset>();
    const node: { -readonly [K in keyof Presets]: Presets[K] } = { key, parts, members };
    this.#nodes.set(key, node);
    const named = parts.flatMap((part) => namedIn(part, "properties"));
    for (const name of new Set(named.map(([each]) => each))) {
      const own = named.flatMap(([each, place]) => (each === name ? [place] : []));
      const preset = conjunctsOf(own).parts.find((part) => part.schema.default !== undefined);
      members.set(name, { places: own, inside: this.at(own), ...(preset !== undefined && { preset }) });
    }
    // Beside `prefixItems`, `items` is about the rest.
    const items = parts.flatMap((part) =>
      part.schema["prefixItems"] === undefined ? innerOf(part, "items") : [],
    );
    if (items.length > 0) node.items = this.at(items);
    return node;
  }
}

/** Where a schema leads that is nothing but a `$ref`. */
function leadsTo(place: Place): Place {
  const seen = new Set<string>();
  let at = place;
  while (isPart(at) && Object.keys(at.schema).join() === "$ref" && !seen.has(keyOf(at))) {
    seen.add(keyOf(at));
    const target = referred(at);
    if (target === undefined) break;
    at = target;
  }
  return at;
}

/** Whether `is` holds for a node or for one inside of it. */
export function reaches(node: Presets, is: (node: Presets) => boolean): boolean {
  return [...allWithin(node)].some(is);
}

/** A node and all inside of it, each once. */
export function allWithin(node: Presets): ReadonlySet<Presets> {
  const found = new Set([node]);
  for (const each of found) for (const inner of directlyIn(each)) found.add(inner);
  return found;
}

export function directlyIn({ members, items }: Presets): readonly Presets[] {
  return [...[...members.values()].map(({ inside }) => inside), ...(items === undefined ? [] : [items])];
}

/** A default that gives itself, through the defaults of its own members. */
export class EndlessDefault extends Error {
  readonly preset: Part;
  constructor(preset: Part) {
    super("the default has no end");
    this.preset = preset;
  }
}

/**
 * What is set where the member is left out: its default, with the defaults of what that leaves out itself.
 * @throws EndlessDefault
 */
export function presetValue({ preset, inside }: MemberPreset, outer: readonly Part[] = []): JsonValue {
  if (preset === undefined) throw new Error("there is no default");
  if (outer.includes(preset)) throw new EndlessDefault(preset);
  return withPresets(inside, preset.schema.default ?? null, [...outer, preset]);
}

/**
 * A value with what it leaves out, as emitted code makes it; for the compiler's own use.
 * @throws EndlessDefault
 */
export function withPresets(node: Presets, value: JsonValue, outer: readonly Part[] = []): JsonValue {
  if (Array.isArray(value)) {
    const { items } = node;
    return items === undefined ? value : value.map((item: JsonValue) => withPresets(items, item, outer));
  }
  return isJsonObject(value) ? objectWithPresets(node, value, outer) : value;
}

export function objectWithPresets(
  node: Presets,
  object: JsonObject,
  outer: readonly Part[] = [],
): JsonObject {
  const result: JsonObject = {};
  for (const [name, held] of Object.entries(object)) {
    const member = node.members.get(name);
    if (held !== undefined)
      define(result, name, member === undefined ? held : withPresets(member.inside, held, outer));
  }
  for (const [name, member] of node.members)
    if (member.preset !== undefined && !Object.hasOwn(object, name))
      define(result, name, presetValue(member, outer));
  return result;
}
