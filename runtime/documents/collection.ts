import type { Clock } from "../clock.ts";
import { tooManyRequests } from "../errors.ts";
import { Frequency } from "../frequency.ts";
import { kept } from "../kept.ts";
import { identityOf } from "../realm/caller.ts";
import { type CollectionDefinition, storeNameOf } from "../realm/definition.ts";
import type { Exchange, RealmInstance } from "../realm/exchange.ts";
import type { DocumentReader, DocumentWriter, StoreCollection } from "../store/contract/collection.ts";
import type { Access } from "./access.ts";
import { FieldRules } from "./field-rules.ts";
import { type FileMembers, fileMembers } from "./files/members.ts";
import { type Viewer, viewer } from "./view.ts";

const minute = 60_000;

export interface Collection {
  readonly definition: CollectionDefinition;
  /** In the store: `<database>.<collection>`. */
  readonly storeName: string;
  /** `/v1/<realm>/<database>/<collection>`. */
  readonly path: string;
  readonly documents: StoreCollection;
  readonly view: Viewer;
  readonly fieldRules: FieldRules | undefined;
  /** Present where documents have files. */
  readonly files: FileMembers | undefined;
  readonly clock: Clock;
  readonly newId: () => string;
  /** Present where clients choose ids. */
  readonly duplicates: Duplicates | undefined;
}

/** Where a write happens: the collection itself, or its part in a transaction. */
export type Documents = DocumentReader & DocumentWriter;

/** What a caller may find out of ids that are taken. */
export interface Duplicates {
  /** @throws ApiError `too_many_requests` */
  check(access: Access, exchange: Exchange): void;
  count(access: Access, exchange: Exchange): void;
}

const collections = new WeakMap<RealmInstance, Map<CollectionDefinition, Collection>>();

/** The collection of a realm; one for all of its routes, since what it counts is counted over all of them. */
export function collectionOf(realm: RealmInstance, definition: CollectionDefinition): Collection {
  const ofRealm = kept(collections, realm, () => new Map<CollectionDefinition, Collection>());
  return kept(ofRealm, definition, () => openCollection(realm, definition));
}

function openCollection(realm: RealmInstance, definition: CollectionDefinition): Collection {
  const { database, name, fieldRules } = definition;
  const storeName = storeNameOf(definition);
  return {
    definition,
    storeName,
    path: `/v1/${definition.realm}/${database}/${name}`,
    documents: realm.store.collection(storeName),
    view: viewer(definition),
    fieldRules: fieldRules === undefined ? undefined : new FieldRules(definition),
    files: fileMembers(realm, definition),
    clock: realm.clock,
    newId: realm.newId,
    duplicates: duplicatesOf(realm, definition),
  };
}

function duplicatesOf(
  realm: RealmInstance,
  { database, name, customId }: CollectionDefinition,
): Duplicates | undefined {
  if (customId === undefined) return undefined;
  // Nobody finds out by trying which ids exist (spec: Custom ids 4).
  const taken = new Frequency({ limit: customId.duplicateLimit, period: minute }, realm.clock);
  return {
    check(access, exchange) {
      const wait = taken.wait(callerKey(access, exchange));
      if (wait > 0) throw tooManyRequests("Too many creates asked for ids that are taken.", wait);
    },
    count(access, exchange) {
      taken.count(callerKey(access, exchange));
      realm.countIdConflict(database, name);
    },
  };
}

/** Who is counted together: a user, a key, or an address. */
export function callerKey({ caller }: Access, exchange: Exchange): string {
  if (caller === undefined) return `address:${exchange.address}`;
  return identityOf(caller) ?? `address:${exchange.address}`;
}
