import { isSeekable, type Order, type OrderValue, type Position, positionOf } from "../../filter/order.ts";
import { isId } from "../../ids.ts";
import { kept, Recent } from "../../kept.ts";
import type { Signer } from "../../signing.ts";
import type { StoredDocument } from "../../store/contract/document.ts";
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

interface Paging {
  /** `order_by=id`: the cursor is the last document's id. */
  readonly byId: boolean;
  readonly seekable: boolean;
  /** Signed along with every position. */
  readonly context: string;
  readonly position: (stored: StoredDocument) => Position;
  /** The last cursor made, and of which document: the first page is asked for again and again. */
  latest?: { readonly text: string; readonly cursor: string | undefined };
  /** Cursors by what is signed in them: pages are asked for again, and signing costs as much as finding half of one. */
  readonly signed: Recent<string, string>;
  /** Positions of cursors made or believed before: most come back to us. */
  readonly believed: Recent<string, Position>;
}

/** Cursors of an order that are remembered, and how long one of them may be. */
const rememberedCursors = 200;
const memorable = 512;

/** How long a document may be that is remembered with its cursor. */
const rememberedText = 16_384;

/** @param collection its name in the store */
export function cursors(signer: Signer, collection: string): Cursors {
  // The default order is of all lists, and those asked for often are kept.
  const known = new WeakMap<Order, Paging>();
  const pagingOf = (order: Order): Paging => kept(known, order, () => pagingIn(collection, order));
  const made = (paging: Paging, stored: StoredDocument): string | undefined => {
    const { position, context, signed, believed } = paging;
    const at = position(stored);
    const payload = JSON.stringify(at);
    const known = signed.get(payload);
    if (known !== undefined) return known;
    const cursor = mark + signer.sign(payload, context);
    if (cursor.length <= memorable) {
      signed.set(payload, cursor);
      believed.set(cursor, at);
    }
    return cursor.length > longest ? undefined : cursor;
  };
  return {
    after(order, stored) {
      const paging = pagingOf(order);
      if (paging.byId) return stored.id;
      if (!paging.seekable) return undefined;
      if (stored.text.length > rememberedText) return made(paging, stored);
      if (paging.latest?.text !== stored.text) {
        paging.latest = { text: stored.text, cursor: made(paging, stored) };
      }
      return paging.latest.cursor;
    },
    read(order, cursor) {
      const { byId, seekable, context, believed } = pagingOf(order);
      if (byId) return isId(cursor) ? [cursor] : undefined;
      if (!seekable || !cursor.startsWith(mark)) return undefined;
      const known = believed.get(cursor);
      if (known !== undefined) return known;
      const payload = signer.open(cursor.slice(mark.length), context);
      const position = payload === undefined ? undefined : positionIn(payload, order);
      if (position !== undefined && cursor.length <= memorable) believed.set(cursor, position);
      return position;
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
    signed: new Recent(rememberedCursors),
    believed: new Recent(rememberedCursors),
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
