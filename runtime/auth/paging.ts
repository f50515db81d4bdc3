import { timestamp } from "../clock.ts";
import { ApiError } from "../errors.ts";
import { and, compare, type Filter } from "../filter/algebra.ts";
import type { Field } from "../filter/fields.ts";
import type { JsonObject } from "../json.ts";
import type { Answer } from "../realm/exchange.ts";
import type { StoreCollection, StoredDocument } from "../store/contract.ts";

/** Query parameters of every list outside documents. */
export const pageParameters = ["limit", "after"] as const;

export interface PageRequest {
  /** 1-100. */
  readonly limit: number;
  readonly after: Position | undefined;
}

/** After the first `seen` records of this creation time. */
interface Position {
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly seen: number;
}

/** @throws ApiError `invalid_query` */
export function pageRequest(parameters: ReadonlyMap<string, string>): PageRequest {
  const limit = parameters.get("limit");
  const after = parameters.get("after");
  if (limit !== undefined && !/^(?:[1-9]\d?|100)$/.test(limit))
    throw invalidParameter("limit", "must be 1 to 100");
  return { limit: Number(limit ?? 20), after: after === undefined ? undefined : position(after) };
}

export function invalidParameter(path: string, reason: string): ApiError {
  return new ApiError("invalid_query", `The query parameter ${path} is invalid.`, {
    details: [{ path, reason }],
  });
}

function position(cursor: string): Position {
  const [, createdAt, seen] = /^(\d{1,14})-(\d{1,9})$/.exec(cursor) ?? [];
  if (createdAt === undefined || seen === undefined)
    throw invalidParameter("after", "is not a cursor of this list");
  return { createdAt: Number(createdAt), seen: Number(seen) };
}

/**
 * One page of records in order of creation, as lists outside documents answer it (api-decisions: Shapes and statuses).
 * `entry` is what is shown of a record.
 */
export async function answerPage<Record extends { readonly created_at: string }>(
  collection: StoreCollection,
  filter: Filter,
  createdAt: Field,
  { limit, after }: PageRequest,
  read: (document: StoredDocument) => { readonly record: Record },
  entry: (record: Record) => JsonObject,
): Promise<Answer> {
  const from =
    after === undefined ? filter : and(filter, compare("gte", createdAt, timestamp(after.createdAt)));
  const documents = await collection.find({
    filter: from,
    visibility: "live",
    limit: limit + 1,
    skip: after?.seen ?? 0,
  });
  const records = documents.slice(0, limit).map((document) => read(document).record);
  const last = records.at(-1);
  const more = documents.length > limit && last !== undefined;
  const body: JsonObject = { items: records.map(entry), has_more: more };
  if (more) body.next_cursor = cursor(records, Date.parse(last.created_at), after);
  return { status: 200, body: JSON.stringify(body) };
}

function cursor(
  records: readonly { readonly created_at: string }[],
  createdAt: number,
  after: Position | undefined,
): string {
  const here = records.filter((record) => Date.parse(record.created_at) === createdAt).length;
  const before = after?.createdAt === createdAt ? after.seen : 0;
  return `${createdAt}-${before + here}`;
}
