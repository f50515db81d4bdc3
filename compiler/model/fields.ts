/** The declared fields of a schema (configuration.md, schema.json). */
import type { FieldKind } from "../../runtime/filter/fields.ts";
import type { Span } from "../diagnostics/diagnostic.ts";
import { fileSpan } from "../diagnostics/span.ts";
import { type Place, placeOf, type Schema } from "../schema/place.ts";
import {
  anything,
  type MemberShape,
  type Shape,
  type StringStore,
  shapeOf,
  storesOf,
  TooManyParts,
  union,
} from "../schema/shapes.ts";
import type { DeclaredField } from "./model.ts";

/** Fields that one schema may declare. */
const MAX_FIELDS = 2000;

/** Names that the server owns at the top of a document. */
export const reservedFields: ReadonlySet<string> = new Set(["id", "_id", "_meta", "_expanded"]);

export interface DeclaredFields {
  readonly fields: readonly DeclaredField[];
  /** Paths at which a mistake in the schema leaves open what stands there; `""` for the whole. */
  readonly open: readonly string[];
  /** Fields that one branch stores as a date and another does not. */
  readonly disagreements: readonly {
    readonly path: string;
    readonly stores: readonly StringStore[];
    readonly span: Span;
  }[];
}

/**
 * Every path reachable through `properties` and the elements of arrays, also by `$ref`, `allOf` and the branches of
 * `anyOf` and `oneOf`; sorted by path. `locate` says where a declaration stands.
 *
 * @throws TooManyParts
 */
export function declaredFields(
  schema: Schema,
  locate: (place: Place) => Span = ({ path }) => fileSpan(path),
): DeclaredFields {
  const shape = shapeOf(placeOf(schema), schema.faults);
  const fields: DeclaredField[] = [];
  const open: string[] = shape.open ? [""] : [];
  const disagreements: DeclaredFields["disagreements"][number][] = [];
  collect("", shape.members, []);
  const byPath = (a: { path: string }, b: { path: string }): number =>
    a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
  return { fields: fields.sort(byPath), open, disagreements: disagreements.sort(byPath) };

  function collect(prefix: string, members: Shape["members"], arraysBefore: readonly string[]): void {
    for (const [name, member] of members) {
      if (!isFieldName(name) || (prefix === "" && reservedFields.has(name))) continue;
      if (member.shape.types.size === 0) continue;
      collectField(`${prefix}${name}`, member, arraysBefore);
    }
  }

  function collectField(
    path: string,
    { shape: own, declared }: MemberShape,
    arraysBefore: readonly string[],
  ): void {
    const element = own.types.has("array") ? (own.items ?? anything) : undefined;
    const arrays = element === undefined ? arraysBefore : [...arraysBefore, path];
    const sides = element === undefined ? [own] : [own, element];
    if (sides.some((side) => side.open)) {
      open.push(path);
      for (const members of membersOf(sides)) collect(`${path}.`, members, arrays);
      return;
    }
    const stores = new Set(sides.flatMap((side) => [...storesOf(side)]));
    const span = locate(declared);
    if (fields.length >= MAX_FIELDS)
      throw new TooManyParts(`it declares more than ${MAX_FIELDS} fields, counting every path`);
    const values = valuesOf(sides);
    if (stores.size > 1) disagreements.push({ path, stores: [...stores], span });
    fields.push({
      path,
      kinds: kindsOf(sides, stores),
      arrays,
      scalar: [...own.types].some((type) => type !== "array" && type !== "null"),
      nullable: sides.some((side) => side.types.has("null")),
      ...(values === undefined ? {} : { values }),
      span,
    });
    for (const members of membersOf(sides)) collect(`${path}.`, members, arrays);
  }
}

/** Whether documents may have a member of this name at all. */
export function isFieldName(name: string): boolean {
  return name !== "" && !name.includes(".") && !name.startsWith("$");
}

/** Of the value itself and of the elements of an array there. A value without scalars is compared like an object. */
function kindsOf(sides: readonly Shape[], stores: ReadonlySet<StringStore>): FieldKind[] {
  const kinds = new Set<FieldKind>();
  for (const [at, side] of sides.entries()) {
    const { types } = side;
    if (types.has("string")) for (const store of stores) kinds.add(store === "plain" ? "string" : store);
    if (types.has("number")) kinds.add("number");
    else if (types.has("integer")) kinds.add("integer");
    if (types.has("boolean")) kinds.add("boolean");
    if (types.has("object") || (at > 0 && types.has("array"))) kinds.add("object");
  }
  if (kinds.has("number")) kinds.delete("integer");
  if (kinds.size === 0) kinds.add("object");
  return [...kinds].sort();
}

function valuesOf(sides: readonly Shape[]): string[] | undefined {
  const strings = sides.filter((side) => side.types.has("string"));
  if (strings.length === 0 || strings.some((side) => side.values === undefined)) return undefined;
  return [...new Set(strings.flatMap((side) => [...(side.values ?? [])]))].sort();
}

/** Members of the object, of the objects in the array, or of both as one. */
function membersOf(sides: readonly Shape[]): Shape["members"][] {
  const objects = sides.filter((side) => side.types.has("object"));
  return objects.length === 0 ? [] : [objects.reduce(union).members];
}
