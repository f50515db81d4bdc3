import type { Collection } from "../documents/collection.ts";
import { collectionOf } from "../documents/collection.ts";
import type { Entrance, Open } from "../documents/entrance.ts";
import type { CollectionDefinition } from "../realm/definition.ts";
import type { RealmInstance } from "../realm/exchange.ts";
import type { FileField, FileLedger } from "../realm/files.ts";
import { type DeclaredField, declaredField } from "./declared.ts";
import { type OpenStorage, storageOf } from "./realm.ts";

/** What the routes of a file field are made of, when its realm starts. */
export interface Place extends DeclaredField {
  readonly realm: RealmInstance;
  readonly definition: CollectionDefinition;
  readonly collection: Collection;
  readonly entrance: Entrance;
  readonly storage: OpenStorage;
  readonly ledger: FileLedger;
}

export function placeIn(
  realm: RealmInstance,
  definition: CollectionDefinition,
  field: FileField,
  open: Open,
): Place {
  const collection = collectionOf(realm, definition);
  if (collection.files === undefined) throw new Error(`${collection.storeName} has no files`);
  return {
    realm,
    definition,
    collection,
    ...declaredField(field),
    entrance: open(realm, [definition]),
    storage: storageOf(realm),
    ledger: collection.files.ledger,
  };
}
