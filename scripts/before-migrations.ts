import { systemClock } from "../runtime/clock.ts";
import { documentCollection } from "../runtime/documents/shapes.ts";
import { type CollectionDefinition, storeNameOf } from "../runtime/realm/definition.ts";
import type { DocumentWrite } from "../runtime/store/contract/document.ts";
import { openStores } from "../runtime/store/engines.ts";
import { parseLocation } from "../runtime/store/location.ts";

/** Documents that are loaded together. */
const LOADED = 1_000;

/** A document of the first version, as a server wrote it that knew of no migration. */
export function oldDocument(id: string, members: object): DocumentWrite {
  const at = "2026-01-01T00:00:00.000Z";
  const text = JSON.stringify({ id, ...members, _meta: { created_at: at, updated_at: at, version: 1 } });
  return { id, version: 1, text, createdAt: Date.parse(at), form: 0 };
}

/**
 * Fills the store of a realm with documents of a collection, as it was before the collection had migrations.
 * @param setting `SVC_STORE`
 */
export async function fillBeforeMigrations(
  setting: string,
  realm: string,
  { migrations: _, ...definition }: CollectionDefinition,
  documents: Iterable<DocumentWrite>,
): Promise<void> {
  const location = parseLocation(setting);
  if (location === undefined) throw new Error(`no store: ${setting}`);
  const stores = await openStores({ location, setting: "SVC_STORE", clock: systemClock, queryTime: 60_000 });
  try {
    const store = await stores.open(realm);
    await store.provision([documentCollection(definition)]);
    const collection = store.collection(storeNameOf(definition));
    let batch: DocumentWrite[] = [];
    for (const document of documents) {
      batch.push(document);
      if (batch.length < LOADED) continue;
      await collection.load(batch);
      batch = [];
    }
    await collection.load(batch);
  } finally {
    await stores.close();
  }
}
