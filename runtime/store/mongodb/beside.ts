import type { Db } from "mongodb";
import type { Clock } from "../../clock.ts";
import type { StoreReader } from "../contract/beside.ts";
import { storeError } from "./errors.ts";
import { keptCollections } from "./kept-collections.ts";
import { scanDocuments } from "./read/scan.ts";
import type { Stored } from "./write/codec.ts";

export interface MongoReaderOptions {
  /** Of the realm; its client is closed by who opened it. */
  readonly database: Db;
  readonly clock: Clock;
  /** Milliseconds that a read may take. */
  readonly queryTime: number;
  readonly searchTime?: number;
}

export function openMongoReader(options: MongoReaderOptions): StoreReader {
  const { database, clock, queryTime, searchTime = queryTime } = options;
  return {
    async scan(shape, after, limit, characters) {
      const documents = database.collection<Stored>(shape.name);
      try {
        return await scanDocuments(documents, { clock, searchTime }, shape, after, limit, characters);
      } catch (error) {
        throw storeError(error);
      }
    },
    async collections() {
      try {
        return await keptCollections(database, clock.now(), searchTime);
      } catch (error) {
        throw storeError(error);
      }
    },
    close: async () => undefined,
  };
}
