import type { Field, FieldKind } from "../../filter/fields.ts";
import { kept } from "../../kept.ts";
import { jsonPath } from "./names.ts";

/**
 * SQL expressions over a row of a collection's table. Filters and index keys are made from the same ones, letter by
 * letter: SQLite serves a comparison by an expression index only where the two are equal.
 *
 * Every expression is strict: it is the value where the stored JSON has the type asked for, and NULL otherwise, so that
 * `true` is never 1 and an object never its own text.
 */

/** A place in a document, as SQL for the name of its JSON type and for its value. */
export interface Place {
  readonly type: string;
  readonly value: string;
}

export type JsonType = "text" | "number" | "boolean";
/** `any`: of a field declared with several types; booleans are blobs, so that each type keeps to itself. */
export type Strictness = JsonType | "any";

/** A comparison with values of one JSON type. */
export interface Test {
  readonly type: JsonType;
  /** `value` is SQL for the stored value, strict so. */
  readonly condition: (value: string, strictness: Strictness) => string;
  /** An index finds the values that pass. */
  readonly indexable: boolean;
}

export const booleanAsBlob = { true: "x'01'", false: "x'00'" } as const;

export function placeIn(json: string, segments: readonly string[]): Place {
  const path = jsonPath(segments);
  return { type: `json_type(${json}, ${path})`, value: `json_extract(${json}, ${path})` };
}

/** Types whose values SQL has as they are. */
export function isPlain(strictness: Strictness): strictness is "text" | "number" {
  return strictness === "text" || strictness === "number";
}

export function hasType({ type }: Place, wanted: "text" | "number"): string {
  return wanted === "text" ? `${type} = 'text'` : `${type} IN ('integer', 'real')`;
}

export function strict({ type, value }: Place, strictness: Strictness): string {
  switch (strictness) {
    case "text":
      return `CASE ${type} WHEN 'text' THEN ${value} END`;
    case "number":
      return `CASE WHEN ${type} IN ('integer', 'real') THEN ${value} END`;
    case "boolean":
      return `CASE ${type} WHEN 'true' THEN 1 WHEN 'false' THEN 0 END`;
    case "any": {
      const { true: yes, false: no } = booleanAsBlob;
      return `CASE WHEN ${type} IN ('text', 'integer', 'real') THEN ${value} WHEN ${type} = 'true' THEN ${yes} WHEN ${type} = 'false' THEN ${no} END`;
    }
  }
}

/** SQLite orders numbers before strings before blobs; a range over a value of any type must stay among its own. */
export function withinType(
  type: "text" | "number",
  strictness: Strictness,
  value: string,
  range: string,
): string {
  if (strictness !== "any") return `(${range})`;
  return type === "number"
    ? `(${range} AND ${value} < '')`
    : `(${range} AND ${value} >= '' AND ${value} < x'')`;
}

/**
 * The places that a field's path reaches in `json`: rows to select from, one table for each array on the way, and the
 * place in such a row. With `elements`, an array at the end of the path counts by its elements.
 */
export function reach(
  field: Field,
  json: string,
  elements: boolean,
): { readonly from: readonly string[]; readonly place: Place } {
  const from: string[] = [];
  const last = field.segments.length - 1;
  let path: string[] = [];
  let place: Place = { type: "'object'", value: json };
  let source = json;
  field.segments.forEach((segment, at) => {
    path.push(segment);
    place = placeIn(source, path);
    if (field.arrays[at] !== true || (at === last && !elements)) return;

    const alias = `e${from.length}`;
    from.push(`json_each(${elementsAt(source, path)}) AS ${alias}`);
    place = { type: `${alias}.type`, value: `${alias}.value` };
    source = `CASE ${place.type} WHEN 'object' THEN ${place.value} END`;
    path = [];
  });
  return { from, place };
}

/** JSON of the array at a place. A value that stands where an array is declared counts as an array of itself. */
export function elementsAt(json: string, segments: readonly string[]): string {
  const { type } = placeIn(json, segments);
  const inner = `${json} -> ${jsonPath(segments)}`;
  return `CASE ${type} WHEN 'array' THEN ${inner} ELSE json_array(${inner}) END`;
}

/** How a value of this type is compared with the field. */
export function strictnessFor(field: Field, type: JsonType): Strictness {
  const own = declaredStrictness(field);
  return own === "any" ? own : type;
}

/** How the field's own values are indexed. */
export function declaredStrictness(field: Field): Strictness {
  const [first, ...others] = new Set(field.kinds.filter((kind) => kind !== "object").map(jsonTypeOf));
  return first === undefined || others.length > 0 ? "any" : first;
}

function jsonTypeOf(kind: Exclude<FieldKind, "object">): JsonType {
  switch (kind) {
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    default:
      return "text";
  }
}

/** A day, as a pattern of `GLOB`. */
export const dayGlob = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]";

/** Server-owned fields that the table keeps in columns of its own. */
export type ColumnField = { readonly sql: string; readonly holds: "text" | "number" | "instant" };

const columnFields: ReadonlyMap<string, ColumnField> = new Map<string, ColumnField>([
  ["id", { sql: "id", holds: "text" }],
  ["_meta.owner", { sql: "owner", holds: "text" }],
  ["_meta.version", { sql: "nullif(version, 0)", holds: "number" }],
  ["_meta.created_at", { sql: "created_at", holds: "instant" }],
  ["_meta.deleted_at", { sql: "deleted_at", holds: "instant" }],
  ["_meta.purge_at", { sql: "purge_at", holds: "instant" }],
]);

export function columnOf(field: Field): ColumnField | undefined {
  return columnFields.get(field.path);
}

/** Fields are declared once and asked for all the time. */
const keyExpressions = new WeakMap<Field, string>();

/** The key of a declared index over a field that passes no array. */
export function keyExpression(field: Field): string {
  return kept(keyExpressions, field, () => columnOf(field)?.sql ?? documentKey(field));
}

/**
 * The same, always over the document: SQLite names an index that is violated only when its keys are expressions.
 */
export function documentKey(field: Field): string {
  return strict(placeIn("doc", field.segments), declaredStrictness(field));
}

/** What a key over the field holds. */
export function heldAs(field: Field): "instant" | Strictness {
  return columnOf(field)?.holds ?? declaredStrictness(field);
}
