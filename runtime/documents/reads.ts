import { and, exists, type Filter, not, or } from "../filter/algebra.ts";
import { deletionFields } from "../filter/fields.ts";
import { namesTag } from "../http/etag.ts";
import type { CollectionDefinition } from "../realm/definition.ts";
import type { Answer, Exchange } from "../realm/exchange.ts";
import { filterFor } from "../rules/context.ts";
import type { Visibility } from "../store/contract/document.ts";
import { type Access, isPossible, refusalBy } from "./access.ts";
import type { Deleted } from "./query/judges.ts";

/** The documents that one read may show. */
export interface Scope {
  readonly filter: Filter;
  readonly visibility: Visibility;
}

const isDeleted = exists(deletionFields["_meta.deleted_at"]);

/**
 * The documents that a caller's read may show: those of the read rule, and of the deleted ones those that the restore
 * rule allows too.
 * @param read what the read rule allows (see `readable`), asked before the query is read
 * @throws ApiError `unauthenticated` | `forbidden` where these are none whatever is stored
 */
export function scopeWithin(
  definition: CollectionDefinition,
  access: Access,
  read: Filter,
  deleted: Deleted | undefined,
): Scope {
  if (deleted === undefined) return { filter: read, visibility: "live" };
  const visibility = deleted === "only" ? "deleted" : "all";
  const { context } = access;
  if (context === undefined) return { filter: read, visibility };
  const rule = definition.rules?.restore;
  if (rule === undefined || !isPossible(rule, context)) throw refusalBy(definition, access, "restore");
  const restore = filterFor(rule, context);
  const condition = deleted === "only" ? restore : or(not(isDeleted), restore);
  return { filter: and(read, condition), visibility };
}

/**
 * The `Cache-Control` of answers that anybody may keep (spec: Concurrency 5): anonymous reads of a public collection in
 * its default view. Undefined for answers that are the caller's own.
 */
export function publicCaching({
  publicMaxAge,
}: CollectionDefinition): (exchange: Exchange, deleted: Deleted | undefined) => string | undefined {
  if (publicMaxAge === undefined) return () => undefined;
  const value = `public, max-age=${publicMaxAge}`;
  return ({ headers }, deleted) =>
    deleted === undefined && headers.authorization === undefined && headers.cookie === undefined
      ? value
      : undefined;
}

/**
 * 200 with the body, or 304 without where the client has it already (spec: Concurrency 3).
 * @param vary where it is another than the route's own
 */
export function conditional(
  { headers }: Exchange,
  etag: string,
  cacheControl: string | undefined,
  body: () => string,
  vary?: string,
): Answer {
  const answered = {
    etag,
    ...(cacheControl !== undefined && { "cache-control": cacheControl }),
    ...(vary !== undefined && { vary }),
  };
  if (namesTag(headers["if-none-match"], etag)) return { status: 304, headers: answered };
  return { status: 200, headers: answered, body: body() };
}
