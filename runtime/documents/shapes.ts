import type { RealmDefinition } from "../realm/definition.ts";
import type { CollectionShape } from "../store/contract.ts";
import { storeNameOf } from "./collection.ts";
import { idempotencyShape } from "./idempotency.ts";

/** What the store of a realm holds for its documents. Nothing follows their changes yet. */
export function documentCollections({ collections, accounts }: RealmDefinition): CollectionShape[] {
  const shapes = collections.map(
    (definition): CollectionShape => ({
      name: storeNameOf(definition),
      fields: definition.fields,
      indexes: definition.indexes,
      ...(definition.text !== undefined && { text: definition.text }),
      permanent: true,
      feed: false,
    }),
  );
  return accounts === undefined ? shapes : [...shapes, idempotencyShape];
}
