import { ApiError } from "../../errors.ts";
import type { Exchange } from "../../realm/exchange.ts";
import type { DocumentWrite } from "../../store/contract/document.ts";
import { DocumentTooLarge } from "../../store/contract/errors.ts";
import { LARGEST_DOCUMENT } from "../../store/writable.ts";
import type { Piece } from "../../turns.ts";
import { type Access, requireWrite } from "../access.ts";
import type { Collection } from "../collection.ts";
import type { Place } from "../organizations.ts";
import { newDocument } from "../writes/create.ts";
import { checkedDraft } from "../writes/update.ts";
import type { Operation } from "./operations.ts";

/** A create is a document to be inserted: it asks nothing of what is stored. */
export interface PlannedCreate {
  readonly op: "create";
  readonly collection: Collection;
  readonly document: DocumentWrite;
}

/** Another operation is checked as far as it can be. */
export type PlannedChange = InCollection<Exclude<Operation, { op: "create" }>>;
type InCollection<T> = T extends Operation
  ? Omit<T, "collection"> & { readonly collection: Collection }
  : never;

export type Planned = PlannedCreate | PlannedChange;

/** What a batch comes to, before its turn to write. */
export interface Plan {
  readonly operations: readonly Planned[];
  /** Of the operation after these, which fails whatever they come to, as does the batch. */
  readonly refusal: ApiError | undefined;
  /** Characters that replacements may have yet, with the defaults of what they leave out. */
  readonly room: number;
}

/** What the operations of a batch share. */
export interface BatchRequest {
  /** Of the database, by name. */
  readonly collections: ReadonlyMap<string, Collection>;
  readonly access: Access;
  readonly exchange: Exchange;
  readonly place: Place;
}

/**
 * Judges and spells out what can be without the store: it is done in pieces while other batches write.
 * @param piece begins a piece of work
 * @throws ApiError of the first operation | DocumentTooLarge
 */
export async function planBatch(
  request: BatchRequest,
  operations: readonly Operation[],
  piece: Piece,
): Promise<Plan> {
  const planned: Planned[] = [];
  let room = LARGEST_DOCUMENT;
  for (const operation of operations) {
    await piece();
    try {
      const one = planOne(request, operation);
      if (one.op === "create") room = roomAfter(room, one.collection, one.document);
      planned.push(one);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const refusal = positioned(error, planned.length);
      if (planned.length === 0) throw refusal;
      return { operations: planned, refusal, room };
    }
  }
  return { operations: planned, refusal: undefined, room };
}

/**
 * What of so much room is left after a document with the defaults of what it left out: those of one batch together are no
 * larger than one may be, for a small body may stand for a hundred large ones.
 * @throws DocumentTooLarge
 */
export function roomAfter(
  room: number,
  { definition }: Collection,
  { text }: Pick<DocumentWrite, "text">,
): number {
  if (definition.withDefaults === undefined) return room;
  if (text.length > room) throw new DocumentTooLarge("transaction");
  return room - text.length;
}

/** @throws ApiError */
function planOne({ collections, access, exchange, place }: BatchRequest, operation: Operation): Planned {
  const collection = collections.get(operation.collection);
  if (collection === undefined)
    throw new ApiError("not_found", "There is no such collection in this database.");
  const { definition } = collection;
  switch (operation.op) {
    case "create":
      return {
        op: "create",
        collection,
        document: newDocument(collection, access, exchange, operation.draft, place),
      };
    case "delete":
      requireWrite(definition, access, "delete");
      return { ...operation, collection };
    case "replace":
      requireWrite(definition, access, "update");
      return { ...operation, collection, draft: checkedDraft(collection, operation.draft) };
    case "patch":
      requireWrite(definition, access, "update");
      return { ...operation, collection };
  }
}

/** The error of the operation at a position: before the paths in its document, or in place of none. */
export function positioned(error: ApiError, at: number): ApiError {
  const { code, message, details, headers } = error;
  const places = details.map(({ path, reason }) => ({
    path: path === "" ? String(at) : `${at}.${path}`,
    reason,
  }));
  // The version that a single write's error carries in `ETag` would not say whose it is.
  const { etag, ...kept } = headers;
  return new ApiError(code, message, {
    details: places.length > 0 ? places : [{ path: String(at), reason: message }],
    headers: kept,
    cause: error,
  });
}
