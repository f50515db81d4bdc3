import type { CollectionShape } from "../../contract/shape.ts";
import type { Connection } from "../connection.ts";
import { tableName } from "../names.ts";
import { textOf, valuesOf } from "../rows.ts";

/**
 * The change feed's table. Positions only grow. `begins` counts the bytes of the changes before, so that those of any
 * stretch are a difference; `commit_start` is the position of the first change of its commit. `svc_feed_start` is the
 * newest position forgotten: histories from before it have a gap. Who holds back history stands in `svc_feed_holds`, what
 * was recorded of each collection when it was last provisioned in `svc_feed_collections`.
 */
const feedTables = `
  CREATE TABLE IF NOT EXISTS svc_feed (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    collection TEXT NOT NULL,
    id TEXT NOT NULL,
    before_version INTEGER,
    before TEXT,
    after_version INTEGER,
    after TEXT,
    begins INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    commit_start INTEGER NOT NULL
  );
  CREATE TABLE IF NOT EXISTS svc_feed_start (position INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS svc_feed_collections (name TEXT PRIMARY KEY, recorded TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS svc_feed_holds (name TEXT PRIMARY KEY, position INTEGER NOT NULL);
  INSERT INTO svc_feed_start SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM svc_feed_start);
`;

const recordedOf = "SELECT recorded FROM svc_feed_collections WHERE name = ?1";
const noteRecorded = `
  INSERT INTO svc_feed_collections (name, recorded) VALUES (?1, ?2)
  ON CONFLICT (name) DO UPDATE SET recorded = excluded.recorded`;
const tableNamed = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1";
const forgetAll = `
  DELETE FROM svc_feed;
  UPDATE svc_feed_start SET position = coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'svc_feed'), 0);
`;

/** To be run in the transaction that provisions, before that makes the collections' tables. */
export function provisionFeed(connection: Connection, shapes: readonly CollectionShape[]): void {
  const isCurrent = connection
    .prepare("SELECT 1 FROM pragma_table_info('svc_feed') WHERE name = 'commit_start'")
    .get();
  // One that does not know commits is of a time in which nothing was followed: it is empty.
  if (isCurrent === undefined) connection.database.exec("DROP TABLE IF EXISTS svc_feed");
  connection.database.exec(feedTables);
  let isWhole = true;
  for (const { name, feed } of shapes) {
    const before = recordedBefore(connection, name);
    if (before === String(feed)) continue;
    // What was written meanwhile is missing, or there as it is not to be kept: history begins here.
    if (feed !== false && before !== undefined) isWhole = false;
    connection.prepare(noteRecorded).run(name, String(feed));
  }
  if (!isWhole) connection.database.exec(forgetAll);
}

/** Undefined for a collection that there was not. */
function recordedBefore(connection: Connection, name: string): string | undefined {
  const noted = connection.prepare(recordedOf).get(name);
  if (noted !== undefined) return textOf(valuesOf(noted)[0]);
  return connection.prepare(tableNamed).get(tableName(name)) === undefined ? undefined : String(false);
}
