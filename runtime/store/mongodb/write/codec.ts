import type { Document } from "mongodb";
import { epochOf } from "../../../filter/dates.ts";
import { deletionFields, documentFields, type Field } from "../../../filter/fields.ts";
import { isJsonObject, type JsonObject } from "../../../json.ts";
import type { DocumentWrite } from "../../contract/document.ts";
import type { CollectionShape } from "../../contract/shape.ts";
import { formWritten } from "../../writable.ts";
import { holdsBsonDates } from "../layout.ts";
import { stemFields } from "../text/search.ts";

/** A document of ours as it is stored; what others wrote may have ids of other types. */
export interface Stored extends Document {
  readonly _id: string;
}

export interface Encoded {
  readonly document: Stored;
  /** Fields of which the document holds something else than their declaration allows (see `Regularity`). */
  readonly irregular: readonly Field[];
}

/** How documents of a collection become BSON. Everything that depends on the shape alone is found out here. */
export function encoderFor(shape: CollectionShape): (write: DocumentWrite) => Encoded {
  const places = placesOf(shape);
  return (write) => {
    const { id: _, ...members }: JsonObject = JSON.parse(write.text);
    const stems = shape.text && stemFields(shape.text, members);
    const document: Stored = { _id: write.id, ...members };
    const walk: Walk = { irregular: new Set(), days: [] };
    for (const place of places) convert(document, place, "", walk);
    const form = formWritten(shape, write);
    const own = {
      ...(write.deletedAt === undefined && { live: true }),
      ...(form > 0 && { form }),
      ...(walk.days.length > 0 && { days: walk.days }),
      ...stems,
    };
    const meta: unknown = document["_meta"];
    document["_meta"] = isJsonObject(meta)
      ? { ...meta, svc: own }
      : { ...columnsOf(write), svc: { ...own, bare: true } };
    const irregular = [...walk.irregular];
    return { document: write.text.includes(MARK) ? unmarked(document) : document, irregular };
  };
}

/** A member by which the driver knows values of types of its own; in documents it means nothing. */
const MARK = "_bsontype";

/** The document as maps, which the driver stores as the objects that they stand for. */
function unmarked(document: Stored): Stored {
  return Object.assign(mapOf(document), { _id: document._id });
}

function mapOf(object: object): Map<string, unknown> {
  return new Map(Object.entries(object).map(([name, value]) => [name, asMap(value)]));
}

function asMap(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asMap);
  return isJsonObject(value) && !(value instanceof Date) ? mapOf(value) : value;
}

/** A member of a stored document or of an object in it; undefined where it has none of the name. */
export function memberOf(value: unknown, name: string): unknown {
  if (value instanceof Map) return value.get(name);
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The `_meta` of a text that has none. */
function columnsOf({ version, createdAt, deletedAt, purgeAt }: DocumentWrite): Document {
  return {
    created_at: new Date(createdAt),
    ...(version !== 0 && { version }),
    ...(deletedAt !== undefined && { deleted_at: new Date(deletedAt) }),
    ...(purgeAt !== undefined && { purge_at: new Date(purgeAt) }),
  };
}

/** A name on the way to declared fields. */
interface Place {
  readonly name: string;
  isArray: boolean;
  /** The field that ends here. */
  field: Field | undefined;
  /** Strings are dates. */
  isDate: boolean;
  /** Every field that ends here or below. */
  readonly fields: Field[];
  readonly below: Place[];
}

interface Walk {
  readonly irregular: Set<Field>;
  readonly days: string[];
}

const times: readonly Field[] = [
  documentFields["_meta.created_at"],
  documentFields["_meta.updated_at"],
  deletionFields["_meta.deleted_at"],
  deletionFields["_meta.purge_at"],
];

function placesOf({ fields, indexes }: CollectionShape): readonly Place[] {
  const ofIndexes = indexes.flatMap(({ keys }) => keys.map(({ field }) => field));
  // Ours are dates whether anybody asks for them or not.
  const declared = [...times, ...ofIndexes, ...Object.values(fields)];
  const byPath = new Map(declared.map((field) => [field.path, field] as const));
  byPath.delete(documentFields.id.path);
  const root: Place[] = [];
  for (const field of byPath.values()) {
    let level = root;
    for (const [at, name] of field.segments.entries()) {
      let place = level.find((one) => one.name === name);
      if (place === undefined) {
        place = { name, isArray: false, field: undefined, isDate: false, fields: [], below: [] };
        level.push(place);
      }
      place.isArray ||= field.arrays[at] === true;
      place.fields.push(field);
      if (at === field.segments.length - 1) {
        place.field = field;
        place.isDate = holdsBsonDates(field);
      }
      level = place.below;
    }
  }
  return root;
}

/** Makes dates of a member's strings, in place, and notes what is irregular. */
function convert(object: Document, place: Place, prefix: string, walk: Walk): void {
  const { name } = place;
  if (!Object.hasOwn(object, name)) return;
  const value: unknown = object[name];
  if (value === null) return;
  const path = prefix + name;
  if (Array.isArray(value) !== place.isArray) note(place.fields, walk);
  else if (Array.isArray(value)) convertItems(value, place, path, walk);
  else {
    const converted = convertValue(value, place, path, walk);
    if (converted !== value) object[name] = converted;
  }
}

function convertItems(items: unknown[], place: Place, path: string, walk: Walk): void {
  for (const [at, item] of items.entries()) {
    if (item === null) continue;
    if (Array.isArray(item)) note(place.fields, walk);
    else {
      const converted = convertValue(item, place, `${path}.${at}`, walk);
      if (converted !== item) items[at] = converted;
    }
  }
}

/** Of a scalar or an object. */
function convertValue(value: unknown, place: Place, path: string, walk: Walk): unknown {
  if (isJsonObject(value)) for (const below of place.below) convert(value, below, `${path}.`, walk);
  const { field } = place;
  if (field === undefined) return value;
  if (place.isDate && typeof value === "string") {
    const epoch = epochOf(value);
    const isDay = value.length === DAY;
    // One of the form that is not declared stays a string: as such it comes before or after others.
    if (epoch === undefined || !field.kinds.includes(isDay ? "date" : "date-time")) {
      walk.irregular.add(field);
      return value;
    }
    if (isDay) walk.days.push(path);
    return new Date(epoch);
  }
  if (!allows(field, value)) walk.irregular.add(field);
  return value;
}

/** Characters of `YYYY-MM-DD`. */
const DAY = 10;

function allows({ kinds }: Field, value: unknown): boolean {
  if (kinds.length === 0) return true;
  switch (typeof value) {
    case "string":
      return kinds.includes("string");
    case "number":
      return kinds.includes("integer") || kinds.includes("number");
    case "boolean":
      return kinds.includes("boolean");
    default:
      return kinds.includes("object");
  }
}

function note(fields: readonly Field[], { irregular }: Walk): void {
  for (const field of fields) irregular.add(field);
}
