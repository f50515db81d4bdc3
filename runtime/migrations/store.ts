/** A realm's store for those who write: an old document is met in its newest form. */
import { type CollectionDefinition, type RealmDefinition, storeNameOf } from "../realm/definition.ts";
import { newestForm } from "../realm/migrations.ts";
import type { Decide, Modification, StoreCollection } from "../store/contract/collection.ts";
import type { StoredDocument, Visibility } from "../store/contract/document.ts";
import type { Store } from "../store/contract/store.ts";
import type { TransactionCollection } from "../store/contract/transaction.ts";
import { isOld, migratedText, Unmigratable } from "./forms.ts";

/**
 * Who modifies a document, or reads it in a transaction, is given what its migrations make of it; other reads are answered
 * with what is stored. The store itself where no collection has migrations.
 */
export function migratingStore(store: Store, { collections }: RealmDefinition): Store {
  const migrating = new Map(
    collections.flatMap((definition) =>
      definition.migrations === undefined ? [] : [[storeNameOf(definition), definition] as const],
    ),
  );
  if (migrating.size === 0) return store;
  return overriding(store, {
    collection(name) {
      const definition = migrating.get(name);
      const inner = store.collection(name);
      return definition === undefined ? inner : forWriters(inner, definition);
    },
    transaction: (work, options) =>
      store.transaction(
        (transaction) =>
          work({
            collection(name) {
              const definition = migrating.get(name);
              const inner = transaction.collection(name);
              return definition === undefined ? inner : inTransaction(inner, definition);
            },
          }),
        options,
      ),
  });
}

function forWriters(inner: StoreCollection, definition: CollectionDefinition): StoreCollection {
  return overriding(inner, { modify: modifying(inner, definition) });
}

function inTransaction(
  inner: TransactionCollection,
  definition: CollectionDefinition,
): TransactionCollection {
  return overriding(inner, {
    modify: modifying(inner, definition),
    get: async (id, visibility, filter) => met(definition, await inner.get(id, visibility, filter)),
  });
}

function modifying(inner: Pick<StoreCollection, "modify">, definition: CollectionDefinition) {
  return <M extends Modification>(id: string, visibility: Visibility, decide: Decide<M>, bytes?: number) =>
    inner.modify(id, visibility, (found) => decide(met(definition, found)), bytes);
}

/** One that cannot be migrated stays as it is: what is made of it is judged like everything that is written. */
function met(
  definition: CollectionDefinition,
  found: StoredDocument | undefined,
): StoredDocument | undefined {
  if (found === undefined || !isOld(definition, found)) return found;
  try {
    return { ...found, text: migratedText(definition, found), form: newestForm(definition) };
  } catch (error) {
    if (!(error instanceof Unmigratable)) throw error;
    return found;
  }
}

/** An object like another but for some members; methods of the other are called on itself. */
function overriding<T extends object>(inner: T, own: Partial<T>): T {
  return new Proxy(inner, {
    get(target, name) {
      const source = Object.hasOwn(own, name) ? own : target;
      const value: unknown = Reflect.get(source, name);
      return typeof value === "function" ? value.bind(source) : value;
    },
  });
}
