/** Whether bytes are text: without NUL, in UTF-8, or in UTF-16 or UTF-32 where a byte order mark says so. */
import { isUtf8 } from "node:buffer";
import { open } from "node:fs/promises";
import type { Spooled } from "../../blobs/store.ts";
import { headOf } from "./head.ts";

export type Charset = "utf-8" | "utf-16le" | "utf-16be" | "utf-32le" | "utf-32be";

/** Bytes of the first piece: mostly what is no text does not begin as one. */
const FIRST = 16_384;
const PIECE = 262_144;

/** Bytes that tell the charset of a text. */
export const MARK = 4;

/** The charset that a text is of, as its first bytes say. A NUL is in no text, so that UTF-32 is not taken for UTF-16. */
export function charsetOf(head: Uint8Array): Charset {
  const [a, b, c, d] = head;
  if (a === 0xff && b === 0xfe) return c === 0 && d === 0 ? "utf-32le" : "utf-16le";
  if (a === 0xfe && b === 0xff) return "utf-16be";
  return a === 0 && b === 0 && c === 0xfe && d === 0xff ? "utf-32be" : "utf-8";
}

/** The charset of a text; undefined for what is none. */
export async function textIn(spooled: Spooled): Promise<Charset | undefined> {
  const charset = charsetOf(await headOf(spooled, MARK));
  return (await isTextOf(spooled, judges[charset])) ? charset : undefined;
}

/** What bytes of a charset are made of. */
interface Judge {
  isTextAlone(bytes: Buffer): boolean;
  /** Bytes of a character at the end that may go on: at most three. */
  begun(bytes: Buffer): number;
}

async function isTextOf(spooled: Spooled, { isTextAlone, begun }: Judge): Promise<boolean> {
  if (spooled.kind === "memory") return isTextAlone(spooled.bytes);
  const file = await open(spooled.path, "r");
  try {
    let buffer = Buffer.allocUnsafeSlow(FIRST);
    // What a character that a piece ends in has there is read again with its rest.
    let kept = 0;
    for (let at = 0; ; ) {
      const { bytesRead } = await file.read(buffer, kept, buffer.length - kept, at);
      const whole = buffer.subarray(0, kept + bytesRead);
      if (bytesRead === 0) return isTextAlone(whole);
      at += bytesRead;
      const end = whole.length - begun(whole);
      if (!isTextAlone(whole.subarray(0, end))) return false;
      kept = whole.length - end;
      if (buffer.length === FIRST) buffer = Buffer.allocUnsafeSlow(PIECE);
      whole.copy(buffer, 0, end);
    }
  } finally {
    await file.close();
  }
}

const utf8: Judge = {
  isTextAlone: (bytes) => isUtf8(bytes) && !bytes.includes(0),
  begun(bytes) {
    for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
      const byte = bytes[bytes.length - back] ?? 0;
      if (byte < 0x80) return 0;
      if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
    }
    return 0;
  },
};

const isHigh = (unit: number) => unit >= 0xd800 && unit < 0xdc00;
const isLow = (unit: number) => unit >= 0xdc00 && unit < 0xe000;

/** @param unit of two bytes at a place */
function utf16(unit: (bytes: Buffer, at: number) => number): Judge {
  return {
    isTextAlone(bytes) {
      if (bytes.length % 2 !== 0) return false;
      for (let at = 0; at < bytes.length; at += 2) {
        const one = unit(bytes, at);
        if (one === 0 || isLow(one)) return false;
        if (!isHigh(one)) continue;
        at += 2;
        if (at >= bytes.length || !isLow(unit(bytes, at))) return false;
      }
      return true;
    },
    begun(bytes) {
      const odd = bytes.length % 2;
      const last = bytes.length - odd - 2;
      return last >= 0 && isHigh(unit(bytes, last)) ? odd + 2 : odd;
    },
  };
}

/** @param unit of four bytes at a place */
function utf32(unit: (bytes: Buffer, at: number) => number): Judge {
  return {
    isTextAlone(bytes) {
      if (bytes.length % 4 !== 0) return false;
      for (let at = 0; at < bytes.length; at += 4) {
        const one = unit(bytes, at);
        if (one === 0 || one > 0x10ffff || isHigh(one) || isLow(one)) return false;
      }
      return true;
    },
    begun: (bytes) => bytes.length % 4,
  };
}

const judges: Readonly<Record<Charset, Judge>> = {
  "utf-8": utf8,
  "utf-16le": utf16((bytes, at) => bytes.readUInt16LE(at)),
  "utf-16be": utf16((bytes, at) => bytes.readUInt16BE(at)),
  "utf-32le": utf32((bytes, at) => bytes.readUInt32LE(at)),
  "utf-32be": utf32((bytes, at) => bytes.readUInt32BE(at)),
};
