import { type Change, type ChangeFeed, HistoryExpired, type StoredDocument } from "../contract.ts";
import { Listeners } from "../listeners.ts";
import type { Connection } from "./connection.ts";
import type { Value } from "./driver.ts";
import { limitTo } from "./query.ts";
import { documentOf, textOf, valuesOf, wholeNumberOf } from "./rows.ts";

const KEPT = 24 * 60 * 60 * 1000;
/** Changes that one commit forgets at most, so that no write pays for a day's worth. */
const FORGOTTEN_AT_ONCE = 200;

/**
 * The change feed's table. Positions only grow. `svc_feed_start` is the newest position forgotten: histories from
 * before it have a gap.
 */
export const feedTables = `
  CREATE TABLE IF NOT EXISTS svc_feed (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    collection TEXT NOT NULL,
    id TEXT NOT NULL,
    before_version INTEGER,
    before TEXT,
    after_version INTEGER,
    after TEXT
  );
  CREATE TABLE IF NOT EXISTS svc_feed_start (position INTEGER NOT NULL);
  INSERT INTO svc_feed_start SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM svc_feed_start);
`;

const insertChange = `
  INSERT INTO svc_feed (at, collection, id, before_version, before, after_version, after) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)`;
const expiredChanges = `
  SELECT max(position) FROM (SELECT position, at FROM svc_feed ORDER BY position LIMIT ${FORGOTTEN_AT_ONCE}) WHERE at < ?1`;
const oldestChange = "SELECT at FROM svc_feed ORDER BY position LIMIT 1";
const forgetUpTo = "DELETE FROM svc_feed WHERE position <= ?1";
const moveStart = "UPDATE svc_feed_start SET position = ?1";
const headPosition = "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'svc_feed'), 0)";
const bounds = `SELECT position, (${headPosition}) FROM svc_feed_start`;
const changesAfter = `
  SELECT position, at, collection, id, before_version, before, after_version, after
  FROM svc_feed WHERE position > ?1 ORDER BY position ${limitTo("?2")}`;

/** Records a change, inside the transaction that makes it. */
export function recordChange(
  connection: Connection,
  at: number,
  collection: string,
  change: { readonly id: string; readonly before?: StoredDocument; readonly after?: StoredDocument },
): void {
  const { id, before, after } = change;
  connection.prepare(insertChange).run(at, collection, id, ...image(before), ...image(after));
}

const image = (document: StoredDocument | undefined): readonly [Value, Value] =>
  document === undefined ? [null, null] : [document.version, document.text];

/** Forgets some of the changes that are older than a day; answers whether any was. */
export function forgetExpired(connection: Connection, now: number): boolean {
  const oldest = connection.prepare(oldestChange).get();
  if (oldest === undefined || wholeNumberOf(valuesOf(oldest)[0]) >= now - KEPT) return false;
  const [position] = valuesOf(connection.prepare(expiredChanges).get(now - KEPT));
  connection.prepare(forgetUpTo).run(wholeNumberOf(position));
  connection.prepare(moveStart).run(wholeNumberOf(position));
  return true;
}

/** Reads the feed; {@link announce} is called after each commit that recorded changes. */
export class SqliteFeed implements ChangeFeed {
  readonly #reading: () => Connection;
  readonly #listeners = new Listeners();

  constructor(reading: () => Connection) {
    this.#reading = reading;
  }

  async head(): Promise<string> {
    const [position] = valuesOf(this.#reading().prepare(headPosition).get());
    return `${wholeNumberOf(position)}`;
  }

  async read(position: string, limit: number): Promise<readonly Change[]> {
    const connection = this.#reading();
    const after = /^\d{1,15}$/.test(position) ? Number(position) : undefined;
    const [start, head] = valuesOf(connection.prepare(bounds).get());
    if (after === undefined || after < wholeNumberOf(start) || after > wholeNumberOf(head))
      throw new HistoryExpired();
    return connection.prepare(changesAfter).all(after, limit).map(changeOf);
  }

  onCommit(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  announce(): void {
    this.#listeners.tell();
  }
}

function changeOf(row: unknown): Change {
  const [position, at, collection, id, beforeVersion, before, afterVersion, after] = valuesOf(row);
  return {
    position: `${wholeNumberOf(position)}`,
    at: wholeNumberOf(at),
    collection: textOf(collection),
    id: textOf(id),
    ...(before === null ? {} : { before: documentOf(id, beforeVersion, before) }),
    ...(after === null ? {} : { after: documentOf(id, afterVersion, after) }),
  };
}
