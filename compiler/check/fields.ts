import {
  deletionFields,
  documentFields,
  type FieldKind,
  type FieldTable,
  ownershipFields,
} from "../../runtime/filter/fields.ts";
import type { Collection, DeclaredField, Realm } from "../model/model.ts";

/** What checks ask of a field, declared or server-owned. */
export interface KnownField {
  readonly kinds: readonly FieldKind[];
  /** Paths on the way, or the field's own, that hold arrays. */
  readonly arrays: readonly string[];
}

/** Server-owned fields that documents of the collection have. */
export function serverFields(realm: Realm, collection: Collection): FieldTable {
  const { "_meta.deleted_by": deletedBy, ...deletion } = deletionFields;
  return {
    ...documentFields,
    ...(realm.auth ? ownershipFields : {}),
    ...(collection.softDelete === undefined ? {} : deletion),
    ...(collection.softDelete !== undefined && realm.auth ? { "_meta.deleted_by": deletedBy } : {}),
  };
}

export function declaredField(collection: Collection, path: string): DeclaredField | undefined {
  return collection.fields.find((field) => field.path === path);
}

/** A declared or server-owned field by its path. */
export function knownField(realm: Realm, collection: Collection, path: string): KnownField | undefined {
  const server = serverFields(realm, collection);
  const own = Object.hasOwn(server, path) ? server[path] : undefined;
  return own === undefined ? declaredField(collection, path) : { kinds: own.kinds, arrays: [] };
}
