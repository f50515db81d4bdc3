import { kept } from "../../../kept.ts";
import type { DocumentWrite, StoredDocument } from "../../contract/document.ts";
import type { CollectionShape } from "../../contract/shape.ts";
import { withForm } from "../../writable.ts";
import { BsonBytes, type } from "./bson-bytes.ts";
import { JsonBytes } from "./json-bytes.ts";

/**
 * A stored document as responses carry it, from its BSON. The text is written byte by byte, without an object in between,
 * so that a page of documents is answered without parsing any of them. The engine's own members are left out; `_id` comes
 * first, as `id`. What JSON has no type for (others may have written it) is Extended JSON, relaxed.
 */
export function storedDocument(bytes: Uint8Array): StoredDocument {
  const document = new BsonBytes(bytes);
  const facts = factsOf(document);
  const { id, version, score } = facts;
  const text = textOf(document, facts);
  return score === undefined ? { id, version, text } : { id, version, text, score };
}

/** The same without its text. */
export function storedVersion(bytes: Uint8Array): StoredDocument {
  const { id, version } = factsOf(new BsonBytes(bytes));
  return { id, version, text: "" };
}

/** The same with the number of its form. */
export function formedDocument(bytes: Uint8Array, shape: Pick<CollectionShape, "form">): StoredDocument {
  const document = new BsonBytes(bytes);
  const facts = factsOf(document);
  const { id, version, form } = facts;
  return withForm(shape, { id, version, text: textOf(document, facts) }, form);
}

/** The same, as it was written. */
export function writtenDocument(bytes: Uint8Array, shape: Pick<CollectionShape, "form">): DocumentWrite {
  const document = new BsonBytes(bytes);
  const facts = factsOf(document);
  const { id, version, createdAt = 0, deletedAt, purgeAt, form } = facts;
  const text = textOf(document, facts);
  return withForm(shape, { id, version, text, createdAt, deletedAt, purgeAt }, form);
}

/** What stands beside a document's own members. */
interface Facts {
  id: string;
  version: number;
  createdAt: number | undefined;
  deletedAt: number | undefined;
  purgeAt: number | undefined;
  score: number | undefined;
  form: number;
  isBare: boolean;
  days: Days | undefined;
}

/** The places of `_meta.svc.days` as a tree, by name and index. */
type Days = Map<string, Days>;

function factsOf(document: BsonBytes): Facts {
  const facts: Facts = {
    id: "",
    version: 0,
    createdAt: undefined,
    deletedAt: undefined,
    purgeAt: undefined,
    score: undefined,
    form: 0,
    isBare: false,
    days: undefined,
  };
  document.each(0, (kind, name, value) => {
    if (document.isName(name, "_id")) facts.id = idOf(document, kind, value);
    else if (kind === type.object && document.isName(name, "_meta")) readMeta(document, value, facts);
  });
  return facts;
}

/** Ids of ours are strings; documents of others are at least shown. */
function idOf(document: BsonBytes, kind: number, at: number): string {
  if (kind === type.string) return document.string(at);
  return kind === type.objectId ? document.hex(at, at + 12) : document.extended(kind, at);
}

function readMeta(document: BsonBytes, at: number, facts: Facts): void {
  document.each(at, (kind, name, value) => {
    if (document.isName(name, "version")) facts.version = document.number(kind, value) ?? 0;
    else if (document.isName(name, "created_at")) facts.createdAt = document.date(kind, value);
    else if (document.isName(name, "deleted_at")) facts.deletedAt = document.date(kind, value);
    else if (document.isName(name, "purge_at")) facts.purgeAt = document.date(kind, value);
    else if (kind === type.object && document.isName(name, "svc")) readOwn(document, value, facts);
  });
}

function readOwn(document: BsonBytes, at: number, facts: Facts): void {
  document.each(at, (kind, name, value) => {
    if (document.isName(name, "score")) facts.score = document.number(kind, value);
    else if (document.isName(name, "form")) facts.form = document.number(kind, value) ?? 0;
    else if (document.isName(name, "bare")) facts.isBare = true;
    else if (kind === type.array && document.isName(name, "days")) facts.days = daysOf(document, value);
  });
}

function daysOf(document: BsonBytes, at: number): Days {
  const days: Days = new Map();
  document.each(at, (kind, _, value) => {
    if (kind !== type.string) return;
    let place = days;
    for (const segment of document.string(value).split(".")) place = kept(place, segment, () => new Map());
  });
  return days;
}

const output = new JsonBytes();

const open = { object: 0x7b, array: 0x5b } as const;
const close = { object: 0x7d, array: 0x5d } as const;
const comma = 0x2c;
const colon = 0x3a;

/** Milliseconds before and after 1970 for which JavaScript has dates. */
const MAX_DATE = 8_640_000_000_000_000;

function textOf(document: BsonBytes, { id, isBare, days }: Facts): string {
  output.begin();
  output.put('{"id":');
  output.put(JSON.stringify(id));
  document.each(0, (kind, name, value) => {
    if (document.isName(name, "_id") || document.isName(name, "id")) return;
    const isMeta = kind === type.object && document.isName(name, "_meta");
    if (isMeta && isBare) return;
    output.putByte(comma);
    putName(document, name, value);
    const below = days && daysBelow(document, days, name, value);
    if (isMeta) putMembers(document, value, below, true);
    else putValue(document, kind, value, below);
  });
  output.putByte(close.object);
  return output.end();
}

function putName(document: BsonBytes, from: number, value: number): void {
  output.putString(document.bytes, from, value - 1);
  output.putByte(colon);
}

function daysBelow(document: BsonBytes, days: Days, name: number, value: number): Days | undefined {
  return days.get(document.text(name, value - 1));
}

/** @param isMeta leave out what is the engine's */
function putMembers(document: BsonBytes, from: number, days: Days | undefined, isMeta = false): void {
  output.putByte(open.object);
  let isFirst = true;
  let at = from + 4;
  for (let kind = document.byte(at); kind !== 0; kind = document.byte(at)) {
    const name = at + 1;
    const value = document.afterName(name);
    at = document.end(kind, value);
    if (isMeta && document.isName(name, "svc")) continue;
    if (!isFirst) output.putByte(comma);
    isFirst = false;
    putName(document, name, value);
    putValue(document, kind, value, days && daysBelow(document, days, name, value));
  }
  output.putByte(close.object);
}

function putItems(document: BsonBytes, from: number, days: Days | undefined): void {
  output.putByte(open.array);
  let index = 0;
  let at = from + 4;
  for (let kind = document.byte(at); kind !== 0; kind = document.byte(at)) {
    const value = document.afterName(at + 1);
    at = document.end(kind, value);
    if (index > 0) output.putByte(comma);
    putValue(document, kind, value, days?.get(String(index)));
    index += 1;
  }
  output.putByte(close.array);
}

/** @param days days that stand there or below; of a date: it is one */
function putValue(document: BsonBytes, kind: number, at: number, days: Days | undefined): void {
  switch (kind) {
    case type.string:
      output.putString(document.bytes, at + 4, at + 3 + document.int32(at));
      break;
    case type.int32:
      output.put(String(document.int32(at)));
      break;
    case type.object:
      putMembers(document, at, days);
      break;
    case type.array:
      putItems(document, at, days);
      break;
    case type.boolean:
      output.put(document.byte(at) === 0 ? "false" : "true");
      break;
    case type.null:
      output.put("null");
      break;
    case type.date:
      putDate(document, at, days !== undefined);
      break;
    case type.double:
      putDouble(document, at);
      break;
    case type.int64:
      output.put(String(document.int64(at)));
      break;
    default:
      output.put(document.extended(kind, at));
  }
}

function putDouble(document: BsonBytes, at: number): void {
  const value = document.double(at);
  if (Object.is(value, -0)) output.put("-0");
  else output.put(Number.isFinite(value) ? String(value) : document.extended(type.double, at));
}

function putDate(document: BsonBytes, at: number, isDay: boolean): void {
  const value = Number(document.int64(at));
  if (Math.abs(value) > MAX_DATE) output.put(`{"$date":{"$numberLong":"${document.int64(at)}"}}`);
  else output.putDate(value, isDay);
}
