import { join } from "node:path";
import type { Clock } from "../../clock.ts";
import type { StoreReader } from "../contract/beside.ts";
import { Connection } from "./connection.ts";
import { requireKnownFormat } from "./file.ts";
import { keptCollections } from "./kept-collections.ts";
import { tableName } from "./names.ts";
import { hasForm } from "./provision.ts";
import { Table } from "./table.ts";

/** Milliseconds that a read waits for a lock. */
const PATIENCE = 5_000;

/**
 * Opens `<folder>/<realm>.sqlite`, which is there, for reading alone.
 * @throws Error for a file in a newer format
 */
export function openSqliteReader(folder: string, realm: string, clock: Clock): StoreReader {
  const path = join(folder, `${realm}.sqlite`);
  const connection = new Connection(path, { readOnly: true, busyTimeout: PATIENCE });
  try {
    requireKnownFormat(connection.database, path);
  } catch (error) {
    connection.close();
    throw error;
  }
  return readerOn(connection, clock);
}

/** Reads what a connection sees, which `close` closes. */
export function readerOn(connection: Connection, clock: Clock): StoreReader {
  const tables = new Map<string, Table>();
  return {
    async scan(shape, after, limit, characters) {
      let table = tables.get(shape.name);
      if (table === undefined) {
        if (!isThere(connection, shape.name)) return [];
        table = new Table(shape, hasForm(connection, shape.name));
        tables.set(shape.name, table);
      }
      return table.scan(connection, clock.now(), after, limit, characters);
    },
    collections: async () => keptCollections(connection, clock.now()),
    close: async () => connection.close(),
  };
}

function isThere(connection: Connection, collection: string): boolean {
  const found = connection.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1");
  return found.get(tableName(collection)) !== undefined;
}
