/** The one walk over JSON Schemas: what is inside of a schema, what applies beside it, and copies of it. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";
import { keyword } from "./keywords.ts";
import { below, isPart, type Part, type Place, referred } from "./place.ts";

/** A schema directly inside of another, and the keyword that holds it. */
export interface Child extends Place {
  readonly keyword: string;
}

/** The schemas directly inside of a schema. */
export function childrenOf(part: Part): Child[] {
  const found: Child[] = [];
  for (const [name, held] of Object.entries(part.schema))
    mapHeld(name, held, (schema, steps) => {
      found.push({ ...below(part, steps, schema), keyword: name });
      return schema;
    });
  return found;
}

/** The schemas of a keyword that holds a list of them. */
export function branchesOf(part: Part, name: string): Place[] {
  const list = part.schema[name];
  return Array.isArray(list)
    ? list.map((branch: JsonValue, at) => below(part, [name, String(at)], branch))
    : [];
}

/** The schema of a keyword that holds one, in a list of it. */
export function innerOf(part: Part, name: string): Place[] {
  const schema = part.schema[name];
  return schema === undefined ? [] : [below(part, [name], schema)];
}

/** The schemas of a keyword that holds them by name. */
export function namedIn(part: Part, name: string): [name: string, place: Place][] {
  const members = part.schema[name];
  if (!isJsonObject(members)) return [];
  return Object.entries(members).flatMap(([member, schema]) =>
    schema === undefined ? [] : [[member, below(part, [name, member], schema)]],
  );
}

/** A schema and every schema written inside of it; `$ref`s are not followed. Children that `enters` refuses are left out. */
export function* schemasIn(place: Place, enters: (child: Child) => boolean = () => true): Generator<Part> {
  if (!isPart(place)) return;
  yield place;
  for (const child of childrenOf(place)) if (enters(child)) yield* schemasIn(child, enters);
}

/** Whether what stands at these steps from a schema, if anything does, stands where a schema does. */
export function leadsToSchema(steps: readonly string[]): boolean {
  for (let at = 0; at < steps.length; ) {
    const { holds } = keyword(steps[at] ?? "");
    if (holds === "schema") at += 1;
    else if (holds !== "data" && at + 1 < steps.length) at += 2;
    else return false;
  }
  return true;
}

/** Schemas that look at one value together. */
export interface Conjuncts {
  readonly parts: readonly Part[];
  /** Schemas that are `false`, which allow nothing. */
  readonly never: readonly Place[];
}

/** What places say together, `$ref` and `allOf` followed, each schema once; of what leads nowhere nothing is said. */
export function conjunctsOf(places: readonly Place[]): Conjuncts {
  const parts = new Map<JsonObject, Part>();
  const never: Place[] = [];
  const waiting = [...places];
  for (const place of waiting) {
    if (place.schema === false) never.push(place);
    if (!isPart(place) || parts.has(place.schema)) continue;
    parts.set(place.schema, place);
    waiting.push(...branchesOf(place, "allOf"));
    const target = referred(place);
    if (target !== undefined) waiting.push(target);
  }
  return { parts: [...parts.values()], never };
}

/** What a keyword holds, with each schema in it changed; `steps` lead to it from the schema around. */
export function mapHeld(
  name: string,
  held: JsonValue | undefined,
  change: (schema: JsonValue, steps: readonly string[]) => JsonValue,
): JsonValue | undefined {
  const { holds } = keyword(name);
  if (held === undefined || holds === "data") return held;
  if (holds === "schema") return change(held, [name]);
  if (holds === "list")
    return Array.isArray(held) ? held.map((each: JsonValue, at) => change(each, [name, String(at)])) : held;
  return isJsonObject(held) ? mapMembers(held, (each, member) => change(each, [name, member])) : held;
}

/** A copy of `schema` with each direct subschema replaced by what `change` makes of it. */
export function mapSubschemas(schema: JsonObject, change: (subschema: JsonValue) => JsonValue): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([name, held]) => [name, mapHeld(name, held, change)]),
  );
}

/** A copy of `members` with each value changed; safe for every member name. */
export function mapMembers(
  members: JsonObject,
  change: (value: JsonValue, name: string) => JsonValue,
): JsonObject {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, value === undefined ? value : change(value, name)]),
  );
}

/** Whether any value in `value`, or the name of any member, is `text`. */
export function mentions(value: JsonValue | undefined, text: string): boolean {
  if (Array.isArray(value)) return value.some((item) => mentions(item, text));
  if (!isJsonObject(value)) return value === text;
  return Object.hasOwn(value, text) || Object.values(value).some((member) => mentions(member, text));
}
