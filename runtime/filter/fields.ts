/**
 * The query field table: every path that a filter may name, what it holds and where arrays stand on the way.
 * Emitted per collection as `fields.ts`; server-owned fields come from the tables below.
 */

/** What a path holds. `date-time` and `date` are strings stored under `x-svc-store: date`, normalised at write. */
export type FieldKind = "string" | "integer" | "number" | "boolean" | "date-time" | "date" | "object";

/** What a declaration names: the kinds, and `null` where the type includes null. */
export type FieldType = FieldKind | "null";

export interface Field {
  /** Dotted path, for example `lines.sku`. */
  readonly path: string;
  readonly segments: readonly string[];
  /** More than one for a union such as `["string", "integer"]`. */
  readonly kinds: readonly FieldKind[];
  /** One entry a segment: true where the value reached by that segment is declared as an array. */
  readonly arrays: readonly boolean[];
  /** The type (or that of the elements of an array) includes null. */
  readonly nullable: boolean;
}

/** Whether a path is this one, or lies below it. */
export function isWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}.`);
}

/** Path to field. */
export type FieldTable = Readonly<Record<string, Field>>;

/**
 * Declares one field. `arrays` lists the paths (the field's own, or of a segment on the way) that hold arrays:
 * `field("lines.sku", ["string", "null"], ["lines"])`.
 */
export function field(
  path: string,
  types: FieldType | readonly FieldType[],
  arrays: readonly string[] = [],
): Field {
  const segments = path.split(".");
  const named = typeof types === "string" ? [types] : types;
  return {
    path,
    segments,
    kinds: named.filter((type) => type !== "null"),
    arrays: segments.map((_, at) => arrays.includes(segments.slice(0, at + 1).join("."))),
    nullable: named.includes("null"),
  };
}

/** Whether an array stands on the field's path, its own value included. */
export function passesArray({ arrays }: Field): boolean {
  return arrays.includes(true);
}

/** Whether the value of the field itself is declared as an array. */
export function holdsArray({ arrays }: Field): boolean {
  return arrays.at(-1) === true;
}

/** Server-owned fields of every document. */
export const documentFields = {
  id: field("id", "string"),
  "_meta.created_at": field("_meta.created_at", "date-time"),
  "_meta.updated_at": field("_meta.updated_at", "date-time"),
  "_meta.version": field("_meta.version", "integer"),
} satisfies FieldTable;

/** Server-owned fields in realms with authentication. */
export const ownershipFields = {
  "_meta.owner": field("_meta.owner", ["string", "null"]),
  "_meta.created_by": field("_meta.created_by", "string"),
  "_meta.updated_by": field("_meta.updated_by", "string"),
} satisfies FieldTable;

/** Server-owned fields in soft-delete collections. */
export const deletionFields = {
  "_meta.deleted_at": field("_meta.deleted_at", "date-time"),
  "_meta.deleted_by": field("_meta.deleted_by", "string"),
  "_meta.purge_at": field("_meta.purge_at", "date-time"),
} satisfies FieldTable;

const { "_meta.deleted_by": _, ...unowned } = deletionFields;

/** The same in realms without authentication, where nobody is known to have deleted anything. */
export const unownedDeletionFields = unowned;

/** Server-owned field in collections that use organizations. */
export const organizationFields = {
  "_meta.org": field("_meta.org", "string"),
} satisfies FieldTable;

/** Server-owned field in collections that use teams. */
export const teamFields = {
  "_meta.team": field("_meta.team", "string"),
} satisfies FieldTable;

/** Server-owned field in realms with triggers: what a write came of. */
export const chainFields = {
  "_meta.chain": field("_meta.chain", "object"),
} satisfies FieldTable;

/** Everything that the server owns; which of it documents have is said by `serverFieldTables` of the compiler. */
export const serverOwnedFields = {
  ...documentFields,
  ...ownershipFields,
  ...deletionFields,
  ...organizationFields,
  ...teamFields,
  ...chainFields,
} satisfies FieldTable;
