/** What a plan is made for: documents as they are stored, and the configurations that they were stored under. */
import type { Clock } from "../../runtime/clock.ts";
import { remoteDocuments } from "../../runtime/instance/transfer/reading.ts";
import { type Remote, ServerAnswered } from "../../runtime/instance/transfer/remote.ts";
import { isJsonObject, type JsonValue } from "../../runtime/json.ts";
import { configurationsBeside, type RecordedConfiguration } from "../../runtime/realm/recorded.ts";
import { batches } from "../../runtime/store/batches.ts";
import type { StoreReader } from "../../runtime/store/contract/beside.ts";
import type { DocumentWrite } from "../../runtime/store/contract/document.ts";
import { StoreRefused } from "../../runtime/store/contract/errors.ts";
import { openStores } from "../../runtime/store/engines.ts";
import { describeLocation, type StoreLocation } from "../../runtime/store/location.ts";
import type { Collection, Realm } from "../model/model.ts";
import { shapeOf } from "../plans/shapes.ts";

/** A document's text with `_meta`, and in which form it is, where that is known. */
export type HeldDocument = Pick<DocumentWrite, "id" | "text" | "deletedAt" | "form"> & {
  readonly version?: number;
};

export interface Held {
  /** As people may read it. */
  readonly name: string;
  readonly engine: "embedded" | "mongodb" | "server";
  /** Realms of which something is stored, as far as that can be known. */
  realms(): Promise<readonly string[]>;
  /**
   * Configurations that a realm's store was provisioned with, the oldest first; undefined where nothing was ever stored for it.
   * @throws StoreUnavailable | ServerUnreachable | ServerRefused | ServerAnswered
   */
  recorded(realm: string): Promise<readonly RecordedConfiguration[] | undefined>;
  /**
   * All documents of a collection, deleted ones too, in the order of their ids.
   * @param collection as it is stored or served
   * @param after an id; default: from the beginning
   * @throws StoreUnavailable | ServerUnreachable | ServerRefused | ServerAnswered
   */
  documents(realm: Realm, collection: Collection, after?: string): AsyncIterable<readonly HeldDocument[]>;
  close(): Promise<void>;
}

/** Reads documents and configurations of a running server, by its administrator routes. */
export function heldByServer(remote: Remote): Held {
  return {
    name: remote.name,
    engine: "server",
    // A server tells of the realms that it serves alone.
    realms: async () => [],
    async recorded(realm) {
      const answer = await found(remote.send({ method: "GET", path: `${realm}/_admin/config/files` }));
      if (answer === undefined) return undefined;
      const { items } = answer;
      return Array.isArray(items) ? items.flatMap(recordIn) : [];
    },
    async *documents({ name: realm }, { database, name, softDelete }, after) {
      const pages = remoteDocuments(
        remote,
        { realm, database, name, ...(softDelete && { softDelete }) },
        after,
      );
      for (;;) {
        const page = await found(pages.next());
        if (page === undefined || page.done === true) return;
        yield page.value;
      }
    },
    close: async () => undefined,
  };
}

/** Undefined where the server has no such thing. */
async function found<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ServerAnswered && error.status === 404) return undefined;
    throw error;
  }
}

function recordIn(value: JsonValue): readonly RecordedConfiguration[] {
  const { fingerprint, provisioned_at: provisionedAt, files } = isJsonObject(value) ? value : {};
  const isOne = typeof fingerprint === "string" && typeof provisionedAt === "string" && isJsonObject(files);
  return isOne ? [{ fingerprint, provisionedAt, files }] : [];
}

/** Milliseconds that reading a batch may take. */
const PATIENCE = 120_000;

/** Short, so that a server beside never waits long for the machine. */
const size = { documents: 500, characters: 1024 ** 2 };

/** Reads a store beside whoever serves it: nothing is made and nothing is written. @param setting names the location */
export async function heldInStore(location: StoreLocation, setting: string, clock: Clock): Promise<Held> {
  const stores = await openStores({ location, setting, clock, queryTime: PATIENCE });
  const readers = new Map<string, StoreReader>();
  const readerOf = async (realm: string): Promise<StoreReader | undefined> => {
    const reader = readers.get(realm) ?? (await stores.reader(realm));
    if (reader !== undefined) readers.set(realm, reader);
    return reader;
  };
  return {
    name: describeLocation(location),
    engine: location.engine === "sqlite" ? "embedded" : "mongodb",
    async realms() {
      try {
        return await stores.realms();
      } catch (error) {
        // Who may not list databases is not told of realms that are configured no longer.
        if (error instanceof StoreRefused) return [];
        throw error;
      }
    },
    async recorded(realm) {
      const reader = await readerOf(realm);
      return reader && configurationsBeside(reader);
    },
    async *documents(realm, collection, after) {
      const reader = await readerOf(realm.name);
      if (reader === undefined) return;
      const shape = shapeOf(realm, collection);
      yield* batches({ scan: (...from) => reader.scan(shape, ...from) }, size, after);
    },
    close: () => stores.close(),
  };
}
