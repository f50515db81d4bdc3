import { ApiError } from "../errors.ts";
import type { Filter } from "../filter/algebra.ts";
import { documentFields, type Field } from "../filter/fields.ts";
import type { Order, Position } from "../filter/order.ts";
import type { JsonObject } from "../json.ts";
import type { Answer, RealmInstance } from "../realm/exchange.ts";
import type { StoredDocument } from "../store/contract.ts";
import { collections, keyFields, sessionFields } from "./collections.ts";
import {
  type Read,
  readAudit,
  readInvitation,
  readKey,
  readSecret,
  readSession,
  readUser,
} from "./records.ts";

/** Query parameters of every list outside documents. */
export const pageParameters = ["limit", "after"] as const;

/** A list outside documents: of what, and in which order. */
export interface RecordList<Record> {
  readonly collection: string;
  readonly read: (document: StoredDocument) => Read<Record>;
  /** By time, then by the id that clients see. */
  readonly order: Order;
  readonly position: (record: Record) => readonly [time: string, id: string];
  /** Signed along with every cursor: it is one of this list alone. */
  readonly context: string;
}

const { id: byId } = documentFields;

/** Oldest first, but for the audit trail, which begins with what was last. */
export const lists = {
  users: listOf(collections.users, byId, readUser, (user) => [user.created_at, user.id]),
  sessions: listOf(collections.sessions, sessionFields.session, readSession, (session) => [
    session.created_at,
    session.session,
  ]),
  invitations: listOf(collections.invitations, byId, readInvitation, (invitation) => [
    invitation.created_at,
    invitation.id,
  ]),
  keys: listOf(collections.keys, keyFields.key, readKey, (key) => [key.created_at, key.key]),
  secrets: listOf(collections.secrets, byId, readSecret, (secret) => [secret.created_at, secret.id]),
  audit: listOf(collections.audit, byId, readAudit, (record) => [record.at, record.id], "newest first"),
};

function listOf<Record>(
  collection: string,
  id: Field,
  read: RecordList<Record>["read"],
  position: RecordList<Record>["position"],
  direction: "oldest first" | "newest first" = "oldest first",
): RecordList<Record> {
  const descending = direction === "newest first";
  const order = [documentFields["_meta.created_at"], id].map((field) => ({ field, descending }));
  return { collection, read, order, position, context: `${collection}, ${direction}` };
}

export interface PageRequest {
  /** 1-100. */
  readonly limit: number;
  /** As it was sent; the list judges it. */
  readonly after: string | undefined;
}

/** @throws ApiError `invalid_query` */
export function pageRequest(parameters: ReadonlyMap<string, string>): PageRequest {
  const limit = parameters.get("limit");
  if (limit !== undefined && !/^(?:[1-9]\d?|100)$/.test(limit))
    throw invalidParameter("limit", "must be 1 to 100");
  return { limit: Number(limit ?? 20), after: parameters.get("after") };
}

export function invalidParameter(path: string, reason: string): ApiError {
  return new ApiError("invalid_query", `The query parameter ${path} is invalid.`, {
    details: [{ path, reason }],
  });
}

/**
 * One page of a list as lists outside documents answer it (api-decisions: Shapes and statuses). A cursor is a position:
 * records that come or go meanwhile neither repeat nor hide others. `entry` is what is shown of a record.
 * @throws ApiError `invalid_query` for a cursor that is none of this list
 */
export async function answerPage<Record>(
  { store, cursors }: Pick<RealmInstance, "store" | "cursors">,
  list: RecordList<Record>,
  filter: Filter,
  { limit, after }: PageRequest,
  entry: (record: Record) => JsonObject,
): Promise<Answer> {
  const { collection, read, order, position, context } = list;
  const documents = await store.collection(collection).find({
    filter,
    visibility: "live",
    order,
    ...(after !== undefined && { after: positionIn(cursors.open(after, context)) }),
    limit: limit + 1,
    skip: 0,
  });
  const records = documents.slice(0, limit).map((document) => read(document).record);
  const last = records.at(-1);
  const more = documents.length > limit && last !== undefined;
  const body: JsonObject = { items: records.map(entry), has_more: more };
  if (more) body.next_cursor = cursors.sign(JSON.stringify(position(last)), context);
  return { status: 200, body: JSON.stringify(body) };
}

function positionIn(payload: string | undefined): Position {
  if (payload === undefined) throw invalidParameter("after", "is not a cursor of this list");
  return JSON.parse(payload);
}
