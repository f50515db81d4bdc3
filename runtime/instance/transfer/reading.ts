/** A realm's documents as streams, wherever they are stored: what commands read that change nothing. */
import type { Clock } from "../../clock.ts";
import { dataPath } from "../../contract/document-administration.ts";
import { documentCollection } from "../../documents/shapes.ts";
import { isJsonObject } from "../../json.ts";
import type { CollectionDefinition, RealmDefinition } from "../../realm/definition.ts";
import { type BatchSize, batches } from "../../store/batches.ts";
import type { DocumentWrite } from "../../store/contract/document.ts";
import type { CollectionShape } from "../../store/contract/shape.ts";
import { openStores } from "../../store/engines.ts";
import { describeLocation, type StoreLocation } from "../../store/location.ts";
import { type Remote, ServerUnreachable } from "./remote.ts";
import { pathOf } from "./selection.ts";

/** A document as it is kept: its text with `_meta`. */
export type KeptDocument = Pick<DocumentWrite, "id" | "text" | "deletedAt">;

/** Where documents of realms are read from. */
export interface Source {
  /** As people may read it. */
  readonly name: string;
  /** Undefined where nothing was ever stored for the realm. */
  open(definition: RealmDefinition): Promise<RealmReader | undefined>;
  close(): Promise<void>;
}

export interface RealmReader {
  /**
   * All documents of a collection, deleted ones too, in the order of their ids; of what is written meanwhile some may be
   * missing. Nothing where the collection was never made.
   * @param after an id; default: from the beginning
   * @throws StoreUnavailable | ServerUnreachable | ServerRefused | ServerAnswered
   */
  documents(definition: CollectionDefinition, after?: string): AsyncGenerator<readonly KeptDocument[]>;
  /** The same of what the service itself keeps; absent where only documents can be read. */
  records?(shape: CollectionShape, after?: string): AsyncGenerator<readonly DocumentWrite[]>;
}

/** Milliseconds that reading a batch may take. */
const PATIENCE = 120_000;

const size: BatchSize = { documents: 1_000, characters: 4 * 1024 ** 2 };

/**
 * Reads a store beside whoever serves it: nothing is made and nothing is written.
 * @param setting what names the location where people see it
 */
export async function storeSource(location: StoreLocation, setting: string, clock: Clock): Promise<Source> {
  const stores = await openStores({ location, setting, clock, queryTime: PATIENCE });
  return {
    name: describeLocation(location),
    async open({ name }) {
      const reader = await stores.reader(name);
      if (reader === undefined) return undefined;
      const records = (shape: CollectionShape, after?: string) =>
        batches({ scan: (...from) => reader.scan(shape, ...from) }, size, after);
      return { records, documents: (definition, after) => records(documentCollection(definition), after) };
    },
    close: () => stores.close(),
  };
}

/** Documents of a page, as many as a server gives. */
const page = 100;

/** Reads documents of a running server, by its administrator routes. */
export function urlSource(remote: Remote): Source {
  return {
    name: remote.name,
    open: async () => ({ documents: (definition, after) => remoteDocuments(remote, definition, after) }),
    close: async () => undefined,
  };
}

/** A collection that a server has. */
export type RemoteCollection = Pick<CollectionDefinition, "realm" | "database" | "name" | "softDelete">;

/**
 * The documents of a collection in pages, each from after the last id of the one before: where the connection is lost, the
 * same request goes on.
 * @throws ServerUnreachable | ServerRefused | ServerAnswered
 */
export async function* remoteDocuments(
  remote: Remote,
  definition: RemoteCollection,
  from: string | undefined,
): AsyncGenerator<readonly KeptDocument[]> {
  for (let after = from; ; ) {
    const { items, has_more: hasMore } = await remote.send({
      method: "GET",
      path: pageAfter(definition, after),
    });
    const documents = (Array.isArray(items) ? items : []).flatMap(keptIn);
    if (!Array.isArray(items) || documents.length < items.length || typeof hasMore !== "boolean")
      throw new ServerUnreachable(`${remote.name}: what answers there is no server of realms`);
    if (documents.length > 0) yield documents;
    after = documents.at(-1)?.id ?? after;
    if (!hasMore || documents.length === 0) return;
  }
}

function pageAfter(definition: RemoteCollection, after: string | undefined): string {
  const query = new URLSearchParams({ order_by: "id", limit: String(page) });
  if (definition.softDelete !== undefined) query.set("deleted", "include");
  if (after !== undefined) query.set("where", JSON.stringify({ id: { $gt: after } }));
  return `${definition.realm}${dataPath}/${pathOf(definition)}?${query}`;
}

function keptIn(item: unknown): readonly KeptDocument[] {
  if (!isJsonObject(item)) return [];
  const { id, _meta: meta } = item;
  if (typeof id !== "string") return [];
  const deleted = isJsonObject(meta) ? meta["deleted_at"] : undefined;
  return [
    {
      id,
      text: JSON.stringify(item),
      ...(typeof deleted === "string" && { deletedAt: Date.parse(deleted) }),
    },
  ];
}
