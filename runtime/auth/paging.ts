import { ApiError } from "../errors.ts";
import type { Filter } from "../filter/algebra.ts";
import { exists, not } from "../filter/algebra.ts";
import { documentFields, type Field } from "../filter/fields.ts";
import type { Order, Position } from "../filter/order.ts";
import type { JsonObject } from "../json.ts";
import type { RealmInstance } from "../realm/exchange.ts";
import type { StoredDocument } from "../store/contract/document.ts";
import { findPage } from "../store/page.ts";
import { compareText } from "../text-order.ts";
import { collections, keyFields, sessionFields } from "./collections.ts";
import { readKey } from "./key-records.ts";
import { type Read, readAudit, readInvitation, readSecret, readSession, readUser } from "./records.ts";

/** What lists ask of a realm. */
type ListedRealm = Pick<RealmInstance, "store" | "cursors" | "pageCharacters">;

/** A list outside documents: of what, and in which order. */
export interface RecordList<Record> {
  readonly collection: string;
  readonly read: (document: StoredDocument) => Read<Record>;
  /** Seekable; of two records one comes first. */
  readonly order: Order;
  readonly position: (record: Record) => Position;
  /** Signed along with every cursor: it is one of this list alone. */
  readonly context: string;
}

const { id: byId } = documentFields;

/** Those that no rotation replaced. */
export const currentKeys = not(exists(keyFields.former));

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

/** A list by time, then by the id that clients see. */
export function listOf<Record>(
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

/**
 * A parameter that is one of few.
 * @throws ApiError `invalid_query`
 */
export function oneOf<Value extends string>(
  parameters: ReadonlyMap<string, string>,
  name: string,
  values: readonly Value[],
): Value | undefined {
  const given = parameters.get(name);
  const known = values.find((value) => value === given);
  if (given !== known) throw invalidParameter(name, `must be one of ${values.join(", ")}`);
  return known;
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
  realm: ListedRealm,
  list: RecordList<Record>,
  filter: Filter,
  request: PageRequest,
  entry: (record: Record) => JsonObject,
): Promise<JsonObject> {
  return answerEntries(realm, list, filter, request, async (records) => records.map(entry));
}

/**
 * As {@link answerPage}, where what is shown of records takes more than themselves: `entries` reads it for the whole page
 * at once.
 * @throws ApiError `invalid_query` for a cursor that is none of this list
 */
export async function answerEntries<Record>(
  { store, cursors, pageCharacters }: ListedRealm,
  list: RecordList<Record>,
  filter: Filter,
  { limit, after }: PageRequest,
  entries: (records: readonly Record[]) => Promise<readonly JsonObject[]>,
): Promise<JsonObject> {
  const { collection, read, order, position, context } = list;
  const { found, hasMore } = await findPage(store.collection(collection), {
    filter,
    visibility: "live",
    order,
    ...(after !== undefined && { after: positionIn(cursors.open(after, context)) }),
    limit,
    skip: 0,
    characters: pageCharacters,
  });
  const records = found.map((document) => read(document).record);
  const last = records.at(-1);
  const next = hasMore && last !== undefined ? position(last) : undefined;
  return pageOf(cursors, context, await entries(records), next);
}

/**
 * One page of what is at hand, as {@link answerPage} answers it, in the order of ids.
 * @param context signed along with every cursor
 * @throws ApiError `invalid_query` for a cursor that is none of this list
 */
export function answerAtHand<Record extends { readonly id: string }>(
  { cursors }: Pick<RealmInstance, "cursors">,
  { records, context }: { readonly records: readonly Record[]; readonly context: string },
  { limit, after }: PageRequest,
  entry: (record: Record) => JsonObject,
): JsonObject {
  const [since] = after === undefined ? [""] : positionIn(cursors.open(after, context));
  const rest = records
    .filter(({ id }) => id > String(since))
    .sort((one, other) => compareText(one.id, other.id));
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  const next = rest.length > limit && last !== undefined ? [last.id] : undefined;
  return pageOf(cursors, context, page.map(entry), next);
}

/** @param next the position that the page after this one begins after; undefined: there is none */
function pageOf(
  cursors: RealmInstance["cursors"],
  context: string,
  items: readonly JsonObject[],
  next: Position | undefined,
): JsonObject {
  const body: JsonObject = { items, has_more: next !== undefined };
  if (next !== undefined) body.next_cursor = cursors.sign(JSON.stringify(next), context);
  return body;
}

function positionIn(payload: string | undefined): Position {
  if (payload === undefined) throw invalidParameter("after", "is not a cursor of this list");
  return JSON.parse(payload);
}
