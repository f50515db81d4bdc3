/** Schemas that look at one value together: written beside each other, or led to by `allOf` and `$ref`. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../../../runtime/json.ts";
import { targetOf, valueAt } from "../../../model/pointers.ts";
import { pathOf, pointerOf } from "../../../source/source.ts";
import { mayMatch } from "../../patterns.ts";

/** A schema and where it stands. */
export interface Place {
  /** Its file. */
  readonly path: string;
  readonly at: readonly string[];
  readonly schema: JsonValue;
}

/** One that is an object of keywords. */
export interface Part extends Place {
  readonly schema: JsonObject;
}

export type Documents = (path: string) => JsonValue | undefined;

export interface Conjuncts {
  readonly parts: readonly Part[];
  /** Schemas that are `false`, which allow nothing. */
  readonly never: readonly Place[];
}

/** What the places say together, `$ref` and `allOf` followed; of what leads nowhere nothing is said. */
export function conjunctsOf(places: readonly Place[], documentOf: Documents): Conjuncts {
  /** By their schemas: each stands in one place. */
  const parts = new Map<JsonObject, Part>();
  const never: Place[] = [];
  const waiting = [...places];
  for (const place of waiting) {
    const { schema } = place;
    if (schema === false) never.push(place);
    if (!isJsonObject(schema) || parts.has(schema)) continue;
    parts.set(schema, { ...place, schema });
    waiting.push(...branchesOf({ ...place, schema }, "allOf"));
    const target = typeof schema.$ref === "string" ? targetOf(schema.$ref, place.path) : undefined;
    const document = target === undefined ? undefined : documentOf(target.path);
    const value = target && document !== undefined ? valueAt(document, target.pointer) : undefined;
    if (target !== undefined && value !== undefined)
      waiting.push({ path: target.path, at: pathOf(target.pointer), schema: value });
  }
  return { parts: [...parts.values()], never };
}

export function keyOf({ path, at }: Place): string {
  return `${path}#${pointerOf(at)}`;
}

/** The schemas of a keyword that holds a list of them. */
export function branchesOf({ path, at, schema }: Part, keyword: string): Place[] {
  const list = schema[keyword];
  if (!Array.isArray(list)) return [];
  return list.map((branch: JsonValue, index) => ({
    path,
    at: [...at, keyword, String(index)],
    schema: branch,
  }));
}

/** The schema of a keyword that holds one. */
export function innerOf({ path, at, schema }: Part, ...steps: readonly string[]): Place[] {
  const value = valueAt(schema, pointerOf(steps));
  return value === undefined ? [] : [{ path, at: [...at, ...steps], schema: value }];
}

/** What the parts say of a member: of each, what it declares by name or pattern, else what it says of all others. */
export function memberOf(parts: readonly Part[], name: string): Place[] {
  return parts.flatMap((part) => {
    const { properties, patternProperties } = part.schema;
    const patterns = isJsonObject(patternProperties) ? Object.keys(patternProperties) : [];
    const declared = [
      ...(isJsonObject(properties) && Object.hasOwn(properties, name)
        ? innerOf(part, "properties", name)
        : []),
      ...patterns
        .filter((pattern) => mayMatch(pattern, name))
        .flatMap((pattern) => innerOf(part, "patternProperties", pattern)),
    ];
    return declared.length > 0 ? declared : innerOf(part, "additionalProperties");
  });
}

/** What the parts say of the element at a position. */
export function elementOf(parts: readonly Part[], position: number): Place[] {
  return parts.flatMap((part) => {
    const { prefixItems } = part.schema;
    const length = Array.isArray(prefixItems) ? prefixItems.length : 0;
    return position < length ? innerOf(part, "prefixItems", String(position)) : innerOf(part, "items");
  });
}
