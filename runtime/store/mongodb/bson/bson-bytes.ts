import { BSON } from "mongodb";

/** Types of elements (specification: bsonspec.org). */
export const type = {
  double: 1,
  string: 2,
  object: 3,
  array: 4,
  binary: 5,
  objectId: 7,
  boolean: 8,
  date: 9,
  null: 10,
  regularExpression: 11,
  pointer: 12,
  code: 13,
  symbol: 14,
  scopedCode: 15,
  int32: 16,
  timestamp: 17,
  int64: 18,
  decimal: 19,
} as const;

/** A document of BSON, looked at where it lies. Places are counted in bytes from its beginning. */
export class BsonBytes {
  readonly bytes: Uint8Array;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Calls back for each element of the document or array that begins there. */
  each(from: number, element: (kind: number, name: number, value: number) => void): void {
    let at = from + 4;
    for (let kind = this.byte(at); kind !== 0; kind = this.byte(at)) {
      const value = this.afterName(at + 1);
      element(kind, at + 1, value);
      at = this.end(kind, value);
    }
  }

  byte(at: number): number {
    return this.bytes[at] ?? 0;
  }

  /** Behind the zero that ends the name. */
  afterName(at: number): number {
    const { bytes } = this;
    let end = at;
    while (bytes[end] !== 0) if (++end > bytes.length) throw new RangeError("a document of BSON has no end");
    return end + 1;
  }

  isName(at: number, name: string): boolean {
    for (let n = 0; n < name.length; n++) if (this.bytes[at + n] !== name.charCodeAt(n)) return false;
    return this.bytes[at + name.length] === 0;
  }

  /** Where the value that begins there ends. */
  end(kind: number, at: number): number {
    switch (kind) {
      case type.string:
      case type.code:
      case type.symbol:
        return at + 4 + this.int32(at);
      case type.object:
      case type.array:
      case type.scopedCode:
        return at + this.int32(at);
      case type.int32:
        return at + 4;
      case type.double:
      case type.date:
      case type.int64:
      case type.timestamp:
        return at + 8;
      case type.boolean:
        return at + 1;
      case type.binary:
        return at + 5 + this.int32(at);
      case type.objectId:
        return at + 12;
      case type.decimal:
        return at + 16;
      case type.pointer:
        return at + 16 + this.int32(at);
      case type.regularExpression:
        return this.afterName(this.afterName(at));
      default:
        return at;
    }
  }

  int32(at: number): number {
    return this.#view.getInt32(at, true);
  }

  int64(at: number): bigint {
    return this.#view.getBigInt64(at, true);
  }

  double(at: number): number {
    return this.#view.getFloat64(at, true);
  }

  /** Of any type of number but decimals. */
  number(kind: number, at: number): number | undefined {
    if (kind === type.int32) return this.int32(at);
    if (kind === type.double) return this.double(at);
    return kind === type.int64 ? Number(this.int64(at)) : undefined;
  }

  /** Epoch milliseconds. */
  date(kind: number, at: number): number | undefined {
    return kind === type.date ? Number(this.int64(at)) : undefined;
  }

  string(at: number): string {
    return this.text(at + 4, at + 3 + this.int32(at));
  }

  hex(from: number, to: number): string {
    return this.#buffer(from, to).toString("hex");
  }

  text(from: number, to: number): string {
    return this.#buffer(from, to).toString("utf8");
  }

  /** A value for which JSON has no type as MongoDB's Extended JSON, relaxed: `{"$oid":"..."}`. */
  extended(kind: number, at: number): string {
    const end = this.end(kind, at);
    // A document of its own, whose only member has an empty name.
    const alone = Buffer.alloc(4 + 2 + (end - at) + 1);
    alone.writeInt32LE(alone.length, 0);
    alone[4] = kind;
    alone.set(this.bytes.subarray(at, end), 6);
    try {
      const value = BSON.deserialize(alone, { promoteValues: false, bsonRegExp: true });
      return BSON.EJSON.stringify(value, { relaxed: true }).slice('{"":'.length, -1);
    } catch {
      return "null";
    }
  }

  #buffer(from: number, to: number): Buffer {
    const { buffer, byteOffset } = this.bytes;
    return Buffer.from(buffer, byteOffset + from, to - from);
  }
}
