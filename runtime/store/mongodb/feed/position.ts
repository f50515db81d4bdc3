import { Binary } from "mongodb";

/** As `watch` of the driver takes them. */
export interface ResumeToken {
  readonly _data: string;
  readonly _typeBits?: Binary;
}

const written = /^((?:[0-9A-F]{2}){1,4096})(?:\.([\w-]{1,512}))?$/;

/** A change stream's resume token as a position of the feed. */
export function positionOf(token: unknown): string {
  if (typeof token !== "object" || token === null) throw new Error("a change stream gave no resume token");
  const data = "_data" in token ? token._data : undefined;
  if (typeof data !== "string") throw new Error("a change stream gave a resume token of an unknown form");
  const bits = "_typeBits" in token ? token._typeBits : undefined;
  return bits instanceof Binary
    ? `${data.toUpperCase()}.${Buffer.from(bits.value()).toString("base64url")}`
    : data.toUpperCase();
}

/** The cluster's time that a position is of: its first 8 bytes, after the mark of their type. */
export function timeOf(position: string): string | undefined {
  return tokenOf(position)?._data.slice(0, 18);
}

/** The token that a position was made from; undefined for what can be none. Whether it is one only the server knows. */
export function tokenOf(position: string): ResumeToken | undefined {
  const [, data, bits] = written.exec(position) ?? [];
  if (data === undefined) return undefined;
  return bits === undefined
    ? { _data: data }
    : { _data: data, _typeBits: new Binary(Buffer.from(bits, "base64url")) };
}
