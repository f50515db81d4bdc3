import { storedFields } from "../../../compiler/model/file-fields.ts";
import type { Collection, Realm } from "../../../compiler/model/model.ts";
import { serverFields } from "../../../compiler/model/server-fields.ts";
import type { FieldKind } from "../../../runtime/filter/fields.ts";
import type { JsonObject } from "../../../runtime/json.ts";

/** A field that queries may name, declared or the server's own. */
export interface QueryField {
  readonly path: string;
  readonly kinds: readonly FieldKind[];
  readonly nullable: boolean;
  /** An array stands at the path itself. */
  readonly array: boolean;
}

/** Every field that queries of the collection may name: the server's own first, then files and the declared ones by path. */
export function queryFields(realm: Realm, collection: Collection): readonly QueryField[] {
  return [
    ...Object.values(serverFields(realm, collection)).map((field) => ({ ...field, array: false })),
    ...storedFields(collection).map((field) => ({ ...field, array: field.arrays.includes(field.path) })),
  ];
}

/** One value of these kinds; undefined where there are none. */
export function valueSchema(kinds: readonly FieldKind[], nullable: boolean): JsonObject | undefined {
  const types = [...kinds.filter((kind) => plain.has(kind)), ...(nullable ? ["null"] : [])].sort();
  const dates = kinds.filter((kind) => kind === "date" || kind === "date-time");
  const schemas: JsonObject[] = dates.map((format) => ({ type: "string", format }));
  const [only] = schemas;
  // A date or null is one type that is asserted to have a format where it is a string.
  if (schemas.length === 1 && only && types.every((type) => type === "null")) {
    return types.length === 0 ? only : { type: ["string", "null"], format: only["format"] };
  }
  if (types.length > 0) schemas.push({ type: types.length === 1 ? types[0] : types });
  return schemas.length > 1 ? { anyOf: schemas } : schemas[0];
}

/** Kinds that JSON Schema has a type of the same name for. */
const plain: ReadonlySet<FieldKind> = new Set(["string", "integer", "number", "boolean"]);
