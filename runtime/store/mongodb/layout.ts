import type { Field } from "../../filter/fields.ts";

/**
 * How a realm lies in MongoDB: a database of its own, a collection per collection. Documents are stored as they are, so
 * that people can look at them: `_id` is the id, then come the document's own members, then `_meta`. Dates declared with
 * `x-svc-store: date`, and those of `_meta`, are BSON dates. What the engine needs beside that stands in `_meta.svc`, which
 * no client can write and no answer shows.
 */
export const own = {
  /** True, and there, as long as the document is not soft-deleted. */
  live: "_meta.svc.live",
  /** Where BSON dates stand for days (`2026-03-01`), not instants: `due`, `lines.0.due`. Absent without any. */
  days: "_meta.svc.days",
  /** The text written has no `_meta`; what stands there is the engine's. */
  bare: "_meta.svc.bare",
  /** Number of the last migration that the document is in the form of; absent for 0. */
  form: "_meta.svc.form",
  /** Of a text index: one string of tokens for each weight, `_meta.svc.stems.w5`. */
  stems: "_meta.svc.stems",
  /** Instead of them where there are very many: the same strings, which no index has. */
  unindexed: "_meta.svc.unindexed",
  /** What the stems were made by: the declaration's fingerprint. */
  analysis: "_meta.svc.analysis",
  /** In answers of searches by relevance alone. */
  score: "_meta.svc.score",
  /** On the way to an answer alone: what documents are sorted by that they do not have as such. */
  order: "_meta.svc.order",
} as const;

/** What SQLite keeps in columns. BSON dates but for the first two; `version` is absent for 0. */
export const columns = {
  id: "_id",
  version: "_meta.version",
  createdAt: "_meta.created_at",
  deletedAt: "_meta.deleted_at",
  purgeAt: "_meta.purge_at",
} as const;

/** Of live documents alone, and of deleted ones: partial indexes have them, and queries say the same to use these. */
export const isLive = { [own.live]: true } as const;
export const isDeleted = { [columns.deletedAt]: { $type: "date" } } as const;

/** Where a field's values lie. */
export function pathOf({ path }: Field): string {
  return path === "id" ? columns.id : path;
}

/**
 * Whether the field's values are BSON dates. Where other strings may stand beside dates all of them are strings, for text
 * operators apply to them.
 */
export function holdsBsonDates({ kinds }: Field): boolean {
  return (kinds.includes("date-time") || kinds.includes("date")) && !kinds.includes("string");
}

/** Our indexes are told from others by their names; `provision` never touches others. */
export const INDEX_PREFIX = "svc_";

/** Whether a collection is one of the service's own (see `CollectionShape`). */
export function isOwn(name: string): boolean {
  return name.startsWith("_svc.");
}

/** What the engine remembers of each collection (see `states.ts`), which instances run, leases, and the progress of copies. */
export const bookkeeping = {
  collections: "_svc.collections",
  instances: "_svc.instances",
  leases: "_svc.leases",
} as const;

export function isBookkeeping(name: string): boolean {
  return Object.values(bookkeeping).some((each) => each === name);
}
