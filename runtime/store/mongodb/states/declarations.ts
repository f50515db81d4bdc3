import type { Collection } from "mongodb";
import { deletionFields, documentFields, type Field } from "../../../filter/fields.ts";
import type { CollectionShape } from "../../contract/shape.ts";
import type { Engine } from "../engine.ts";
import { bookkeeping } from "../layout.ts";

/**
 * What is remembered of a collection: by which declarations its documents were looked at, and where some of them do not
 * fit, or may not. Paths hold dots, hence lists.
 */
export interface CollectionState {
  readonly _id: string;
  readonly fields: readonly FieldDeclaration[];
  readonly irregular: readonly string[];
  /** Those at which arrays stand where none are declared. */
  readonly arrays: readonly string[];
  /** When an instance last said that it will write documents that do not fit. By the server's clock. */
  readonly notedAt?: Date;
}

/** A field by what decides which values fit it. */
export interface FieldDeclaration {
  readonly path: string;
  readonly declaration: string;
}

/** What is remembered of every collection of a realm. */
export function statesOf({ database }: Engine): Collection<CollectionState> {
  return database.collection<CollectionState>(bookkeeping.collections);
}

/** The fields that are asked for in any collection. The id always fits: it is a string. */
const everywhere: readonly Field[] = [
  documentFields["_meta.created_at"],
  documentFields["_meta.updated_at"],
  documentFields["_meta.version"],
  deletionFields["_meta.deleted_at"],
  deletionFields["_meta.purge_at"],
];

/** The fields of a collection by path, those of its indexes included. Other ones are never regular. */
export function declaredFields({ fields, indexes }: CollectionShape): ReadonlyMap<string, Field> {
  const ofIndexes = indexes.flatMap(({ keys }) => keys.map(({ field }) => field));
  const all = [...everywhere, ...ofIndexes, ...Object.values(fields)];
  const byPath = new Map(all.map((field) => [field.path, field] as const));
  byPath.delete(documentFields.id.path);
  return byPath;
}

export function declarationsOf(shape: CollectionShape): readonly FieldDeclaration[] {
  const fields = [...declaredFields(shape).values()];
  return fields.map((field) => ({ path: field.path, declaration: declarationOf(field) }));
}

export function declarationOf({ kinds, arrays }: Field): string {
  return JSON.stringify([[...new Set(kinds)].sort(), arrays]);
}
