import { isSeekable, type Order, type OrderValue, type Position, positionOf } from "../../filter/order.ts";
import { isId } from "../../ids.ts";
import type { Signer } from "../../signing.ts";
import type { StoredDocument } from "../../store/contract.ts";
import { parseDocument, splitDocument } from "../encode.ts";

/**
 * Cursors of a collection's lists (spec: Cursor paging): positions of an order, signed, so that none can be made up or
 * taken into another order. In the order of ids alone the cursor is the id.
 */
export interface Cursors {
  /**
   * The cursor after a document; undefined where the order has none, and where it would be too long to be sent back:
   * it holds the document's values.
   */
  after(order: Order, stored: StoredDocument): string | undefined;
  /** The position of a cursor of this order; undefined for everything else. */
  read(order: Order, cursor: string): Position | undefined;
}

/** No id starts with it, so that no cursor of another order is taken for one. */
const mark = "_";

/** Characters: with the longest `where`, a request still fits into the limit of headers. */
const longest = 8192;

/** How an order is paged. */
interface Paging {
  /** `order_by=id`: the cursor is the last document's id. */
  readonly byId: boolean;
  readonly seekable: boolean;
  /** Signed along with every position. */
  readonly context: string;
  readonly position: (stored: StoredDocument) => Position;
  /** The last cursor made, and of which document: the first page is asked for again and again. */
  latest?: { readonly text: string; readonly cursor: string | undefined };
}

/** @param collection its name in the store */
export function cursors(signer: Signer, collection: string): Cursors {
  // Most orders live as long as a request; the default one is of all lists.
  const known = new WeakMap<Order, Paging>();
  const pagingOf = (order: Order): Paging => {
    const paging = known.get(order) ?? pagingIn(collection, order);
    known.set(order, paging);
    return paging;
  };
  const made = ({ position, context }: Paging, stored: StoredDocument): string | undefined => {
    const cursor = mark + signer.sign(JSON.stringify(position(stored)), context);
    return cursor.length > longest ? undefined : cursor;
  };
  return {
    after(order, stored) {
      const paging = pagingOf(order);
      if (paging.byId) return stored.id;
      if (!paging.seekable) return undefined;
      if (paging.latest?.text !== stored.text) {
        paging.latest = { text: stored.text, cursor: made(paging, stored) };
      }
      return paging.latest.cursor;
    },
    read(order, cursor) {
      const { byId, seekable, context } = pagingOf(order);
      if (byId) return isId(cursor) ? [cursor] : undefined;
      if (!seekable || !cursor.startsWith(mark)) return undefined;
      const payload = signer.open(cursor.slice(mark.length), context);
      return payload === undefined ? undefined : positionIn(payload, order);
    },
  };
}

function pagingIn(collection: string, order: Order): Paging {
  const [first] = order;
  // With the kinds: a position means nothing to a field that holds something else by now.
  const keys = order.map(
    ({ field, descending }) => `${descending ? "-" : ""}${field.path}:${field.kinds.join()}`,
  );
  const isServerOwned = order.every(({ field }) => field.path === "id" || field.segments[0] === "_meta");
  return {
    byId: order.length === 1 && first?.field.path === "id" && !first.descending,
    seekable: isSeekable(order),
    context: [collection, ...keys].join("\n"),
    // Of the default order `_meta` is enough.
    position: isServerOwned
      ? ({ id, text }) => positionOf(order, { id, _meta: splitDocument(text).meta })
      : ({ text }) => positionOf(order, parseDocument(text)),
  };
}

function positionIn(payload: string, order: Order): Position | undefined {
  const values: unknown = JSON.parse(payload);
  if (!Array.isArray(values) || values.length !== order.length) return undefined;
  return values.every(isOrderValue) ? values : undefined;
}

function isOrderValue(value: unknown): value is OrderValue {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}
