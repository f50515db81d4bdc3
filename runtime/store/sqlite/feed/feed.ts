import type { StoredDocument } from "../../contract/document.ts";
import { HistoryExpired } from "../../contract/errors.ts";
import { type Change, type ChangeFeed, type ChangePage, HELD } from "../../contract/feed.ts";
import { FeedPage } from "../../feed-page.ts";
import { Listeners } from "../../listeners.ts";
import type { Connection } from "../connection.ts";
import type { Value } from "../driver.ts";
import { limitTo } from "../query.ts";
import { documentOf, textOf, valuesOf, wholeNumberOf } from "../rows.ts";

const KEPT = 24 * 60 * 60 * 1000;
/** Changes, and bytes of them, that are forgotten at once: a few milliseconds' worth. */
const FORGOTTEN_AT_ONCE = 1_000;
const FORGOTTEN_BYTES = 2 ** 22;
/** Bytes that a change takes beside its documents, about. */
const OVERHEAD = 100;

const bytesOf = (document: string) => `octet_length(coalesce(${document}, ''))`;
const headPosition = "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'svc_feed'), 0)";
const insertChange = `
  INSERT INTO svc_feed (at, collection, id, before_version, before, after_version, after, begins, bytes, commit_start)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7,
    coalesce((SELECT begins + bytes FROM svc_feed ORDER BY position DESC LIMIT 1), 0),
    ${bytesOf("?5")} + ${bytesOf("?7")} + ${OVERHEAD},
    coalesce(?8, (${headPosition}) + 1))`;
/**
 * Older than the time `?1` and held back by nobody, older than the time `?3`, or followed by more than `?2` bytes, its own
 * among them.
 */
const isHeld = "position > (SELECT min(position) FROM svc_feed_holds)";
const isDue = `(at < ?1 AND ${isHeld} IS NOT 1 OR at < ?3
  OR begins < (SELECT begins + bytes FROM svc_feed ORDER BY position DESC LIMIT 1) - ?2)`;
const oldestIsDue = `SELECT ${isDue} FROM svc_feed ORDER BY position LIMIT 1`;
const dueChanges = `
  SELECT max(position)
  FROM (SELECT position, at, begins FROM svc_feed ORDER BY position LIMIT ${FORGOTTEN_AT_ONCE})
  WHERE ${isDue} AND begins < (SELECT begins FROM svc_feed ORDER BY position LIMIT 1) + ${FORGOTTEN_BYTES}`;
const forgetUpTo = "DELETE FROM svc_feed WHERE position <= ?1";
const moveStart = "UPDATE svc_feed_start SET position = ?1";
const hold = `
  INSERT INTO svc_feed_holds (name, position) VALUES (?1, ?2)
  ON CONFLICT (name) DO UPDATE SET position = excluded.position`;
const release = "DELETE FROM svc_feed_holds WHERE name = ?1";
const startPosition = "SELECT position FROM svc_feed_start";
const bounds = `SELECT position, (${headPosition}) FROM svc_feed_start`;
const changesAfter = `
  SELECT position, at, collection, id, before_version, before, after_version, after, commit_start,
    commit_start IS NOT
      (SELECT next.commit_start FROM svc_feed next WHERE next.position > own.position ORDER BY next.position LIMIT 1)
  FROM svc_feed own WHERE position > ?1 ORDER BY position ${limitTo("?2")}`;

/** A document's id, and, where these are recorded, what stood in it. */
export interface Written {
  readonly id: string;
  readonly before?: StoredDocument | undefined;
  readonly after?: StoredDocument | undefined;
}

/** Records a change, inside the transaction that makes it: one without images is told by its id alone. */
export function recordChange(connection: Connection, at: number, collection: string, change: Written): void {
  const { id, before, after } = change;
  const values = [at, collection, id, ...image(before), ...image(after), connection.commitStart ?? null];
  const { lastInsertRowid } = connection.prepare(insertChange).run(...values);
  connection.commitStart ??= Number(lastInsertRowid);
}

const image = (document: StoredDocument | undefined): readonly [Value, Value] =>
  document === undefined ? [null, null] : [document.version, document.text];

/** Whether changes are older than they are kept, or beyond so many bytes. */
export function isSomeDue(connection: Connection, now: number, bytes: number): boolean {
  const oldest = connection.prepare(oldestIsDue).get(now - KEPT, bytes, now - HELD);
  return oldest !== undefined && valuesOf(oldest)[0] === 1;
}

/** Forgets the oldest of these. */
export function forgetSome(connection: Connection, now: number, bytes: number): void {
  const [position] = valuesOf(connection.prepare(dueChanges).get(now - KEPT, bytes, now - HELD));
  if (position === null) return;
  connection.prepare(forgetUpTo).run(wholeNumberOf(position));
  connection.prepare(moveStart).run(wholeNumberOf(position));
}

/** See {@link ChangeFeed.hold}. */
export function holdBack(connection: Connection, name: string, position: number | undefined): void {
  if (position === undefined) connection.prepare(release).run(name);
  else connection.prepare(hold).run(name, position);
}

/** Reads the feed; {@link announce} is called after each commit that recorded changes. */
export class SqliteFeed implements ChangeFeed {
  readonly #reading: () => Connection;
  readonly #writing: Writing;
  readonly #listeners = new Listeners();

  constructor(reading: () => Connection, writing: Writing) {
    this.#reading = reading;
    this.#writing = writing;
  }

  async oldest(): Promise<string> {
    return `${wholeNumberOf(valuesOf(this.#reading().prepare(startPosition).get())[0])}`;
  }

  hold(name: string, position: string | undefined): Promise<void> {
    const number = position === undefined ? undefined : numberOf(position);
    if (position !== undefined && number === undefined) return Promise.reject(new HistoryExpired());
    return this.#writing((connection) => holdBack(connection, name, number));
  }

  order(position: string): string | undefined {
    return numberOf(position)?.toString().padStart(DIGITS, "0");
  }

  async head(): Promise<string> {
    const [position] = valuesOf(this.#reading().prepare(headPosition).get());
    return `${wholeNumberOf(position)}`;
  }

  async read(position: string, limit: number, bytes?: number): Promise<ChangePage> {
    const connection = this.#reading();
    const after = numberOf(position);
    const [start, head] = valuesOf(connection.prepare(bounds).get());
    if (after === undefined || after < wholeNumberOf(start) || after > wholeNumberOf(head))
      throw new HistoryExpired();
    const page = new FeedPage(limit, bytes);
    page.add(changesIn(connection.prepare(changesAfter).iterate(after, limit)));
    return page.from(position);
  }

  onCommit(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  announce(): void {
    this.#listeners.tell();
  }
}

/** Runs a statement among the writes. */
type Writing = (work: (connection: Connection) => void) => Promise<void>;

/** Of the longest position. */
const DIGITS = 15;

/** Undefined for what can be no position. */
function numberOf(position: string): number | undefined {
  return /^\d{1,15}$/.test(position) ? Number(position) : undefined;
}

/** Row by row: the whole limit of them may be too large to be at hand together. */
function* changesIn(rows: Iterable<unknown>): Generator<Change> {
  for (const row of rows) yield changeOf(row);
}

function changeOf(row: unknown): Change {
  const [position, at, collection, id, beforeVersion, before, afterVersion, after, commitStart, isLast] =
    valuesOf(row);
  const recorded = {
    position: `${wholeNumberOf(position)}`,
    commit: `${wholeNumberOf(commitStart)}`,
    isLast: isLast === 1,
    at: wholeNumberOf(at),
    collection: textOf(collection),
    id: textOf(id),
  };
  if (before === null && after === null) return { ...recorded, recorded: "ids" };
  return {
    ...recorded,
    recorded: "documents",
    ...(before === null ? {} : { before: documentOf(id, beforeVersion, before) }),
    ...(after === null ? {} : { after: documentOf(id, afterVersion, after) }),
  };
}
