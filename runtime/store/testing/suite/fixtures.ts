import { documentFields, type FieldTable, field } from "../../../filter/fields.ts";
import type { JsonObject } from "../../../json.ts";
import type { StoreCollection } from "../../contract/collection.ts";
import type { DocumentWrite, StoredDocument } from "../../contract/document.ts";
import type { Change, ChangeFeed, DocumentChange } from "../../contract/feed.ts";
import type { CollectionShape, IndexShape } from "../../contract/shape.ts";
import type { Store } from "../../contract/store.ts";

export const fields = {
  ...documentFields,
  name: field("name", "string"),
  place: field("place", "string"),
  size: field("size", "integer"),
  flag: field("flag", "boolean"),
  tags: field("tags", "string", ["tags"]),
} satisfies FieldTable;

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
/** Where the suite's clock stands when a test begins. */
export const start = Date.parse("2026-03-01T10:00:00.000Z");

/** In what engines may differ. */
export interface Traits {
  /**
   * The feed's history is kept for a day of the suite's clock, and what is committed is in it; or the server of a shared
   * store decides, and changes come a moment after they are committed.
   */
  readonly history: "clock" | "server";
}

/** What the parts of the suite share: a store for each test, and its clock. */
export interface Suite {
  readonly traits: Traits;
  readonly clock: { time: number; now(): number };
  readonly store: Store;
  /** Collection `app.people` with these indexes. */
  people(...indexes: readonly IndexShape[]): Promise<StoreCollection>;
}

/** A collection's shape over the suite's fields. */
export function shape(
  name: string,
  { indexes = [], feed = false, permanent = false }: Partial<CollectionShape> = {},
): CollectionShape {
  return { name, fields, indexes, feed, permanent };
}

/** An index over paths, `-` for descending. */
export function index(name: string, paths: readonly string[], unique = false): IndexShape {
  const keys = paths.map((path) => {
    const descending = path.startsWith("-");
    const found = Object.entries(fields).find(([key]) => key === (descending ? path.slice(1) : path));
    if (found === undefined) throw new Error(`no field ${path}`);
    return { field: found[1], descending };
  });
  return { name, keys, unique };
}

/** A document as the document layer writes it. */
export function written(
  id: string,
  body: JsonObject,
  { version = 1, createdAt = start, deletedAt, purgeAt }: Partial<Omit<DocumentWrite, "id" | "text">> = {},
): DocumentWrite {
  const meta = {
    created_at: new Date(createdAt).toISOString(),
    updated_at: new Date(createdAt).toISOString(),
    ...(version === 0 ? {} : { version }),
    ...(deletedAt === undefined ? {} : { deleted_at: new Date(deletedAt).toISOString() }),
    ...(purgeAt === undefined ? {} : { purge_at: new Date(purgeAt).toISOString() }),
  };
  return { id, version, text: JSON.stringify({ id, ...body, _meta: meta }), createdAt, deletedAt, purgeAt };
}

export const stored = ({ id, version, text }: DocumentWrite): StoredDocument => ({ id, version, text });
export const idsOf = (documents: readonly StoredDocument[]): readonly string[] =>
  documents.map(({ id }) => id);
/** `+a` inserted, `~a` replaced, `-a` removed, `=a` any of it where ids are recorded. */
export const summary = (change: Change) => {
  if (change.recorded === "ids") return `=${change.id}`;
  const { id, before, after } = change;
  return `${before === undefined ? "+" : after === undefined ? "-" : "~"}${id}`;
};

/** A change that tells documents. */
export function documentIn(change: Change): DocumentChange {
  if (change.recorded !== "documents") throw new Error(`of ${change.id} only the id is recorded`);
  return change;
}

/** What is there of the feed after a position. */
export async function read(feed: ChangeFeed, position: string, limit: number): Promise<readonly Change[]> {
  return (await feed.read(position, limit)).changes;
}

/** Changes after a position, at most `limit`; there at once, or, where they come later, until there are `count`. */
export function changesSince(
  { store: { feed }, traits }: Suite,
  position: string,
  count: number,
  limit = 100,
): Promise<readonly Change[]> {
  return traits.history === "clock" ? read(feed, position, limit) : arrived(feed, position, count, limit);
}

/** The same, waited for as the feed tells of changes. */
export async function arrived(
  feed: ChangeFeed,
  position: string,
  count: number,
  limit = 100,
): Promise<readonly Change[]> {
  for (;;) {
    let stop = () => {};
    const told = new Promise<void>((resolve) => {
      stop = feed.onCommit(resolve);
    });
    try {
      const changes = await read(feed, position, limit);
      if (changes.length >= count) return changes;
      await told;
    } finally {
      stop();
    }
  }
}

export function bodyOf(document: StoredDocument | undefined): JsonObject {
  return JSON.parse(document?.text ?? "{}");
}

export async function failureOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error("this should have failed");
}

/** Does so many things at once as no server finds too many. */
export async function inLanes<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const left = items.values();
  const lanes = Array.from({ length: 20 }, async () => {
    for (const item of left) await work(item);
  });
  await Promise.all(lanes);
}
