import { timestamp } from "../../../clock.ts";
import { kept, Recent } from "../../../kept.ts";

const quote = 0x22;
const backslash = 0x5c;

/** What stands for bytes that cannot stand in a JSON string as they are, and which can. */
const escapes: readonly (string | undefined)[] = Array.from({ length: 256 }, (_, byte) =>
  byte < 0x20 || byte === quote || byte === backslash
    ? JSON.stringify(String.fromCharCode(byte)).slice(1, -1)
    : undefined,
);
const isPlain = Uint8Array.from(escapes, (escaped) => (escaped === undefined ? 1 : 0));

/** Bytes that are kept for the next text. */
const KEPT = 1 << 18;
/** Bytes of a string that are written between two looks whether there is room. */
const CHUNK = 4096;
/** Room for any number, time or constant. */
const ROOM = 64;

const DAY = 86_400_000;

/** A JSON text in the making, as bytes of UTF-8. One serves many texts, one after another. */
export class JsonBytes {
  #out = Buffer.allocUnsafe(KEPT);
  #at = 0;
  /** All bytes written, one over the other: whether the text is ASCII. */
  #seen = 0;

  begin(): void {
    this.#at = 0;
    this.#seen = 0;
  }

  end(): string {
    // The same text, by a copy rather than a conversion.
    const text = this.#out.toString(this.#seen < 0x80 ? "latin1" : "utf8", 0, this.#at);
    if (this.#out.length > KEPT) this.#out = Buffer.allocUnsafe(KEPT);
    return text;
  }

  /** Text as it is. */
  put(text: string): void {
    if (text.length > ROOM) {
      this.#putLong(text);
      return;
    }
    this.#room(3 * ROOM);
    for (let n = 0; n < text.length; n++) {
      const unit = text.charCodeAt(n);
      if (unit > 0x7f) {
        this.#putLong(text.slice(n));
        return;
      }
      this.#out[this.#at++] = unit;
    }
  }

  /** One byte, a character of ASCII. */
  putByte(byte: number): void {
    this.#room(1);
    this.#out[this.#at++] = byte;
  }

  /** A string, which lies there in UTF-8: bytes are copied, but for those that JSON writes otherwise. */
  putString(bytes: Uint8Array, from: number, to: number): void {
    this.putByte(quote);
    for (let start = from; start < to; start += CHUNK) {
      this.#putCharacters(bytes, start, Math.min(start + CHUNK, to));
    }
    this.putByte(quote);
  }

  /** A time in epoch milliseconds as a string, `"2026-03-01T10:00:00.000Z"`, or its day alone. */
  putDate(value: number, isDay: boolean): void {
    this.putByte(quote);
    const day = Math.floor(value / DAY);
    this.put(dayText(day));
    if (!isDay) this.#putTime(value - day * DAY);
    this.putByte(quote);
  }

  /** `T10:00:00.000Z` */
  #putTime(time: number): void {
    this.#room(ROOM);
    const out = this.#out;
    let at = this.#at;
    out[at++] = 0x54;
    at = putDigits(out, at, Math.floor(time / 3_600_000), 2);
    out[at++] = 0x3a;
    at = putDigits(out, at, Math.floor(time / 60_000) % 60, 2);
    out[at++] = 0x3a;
    at = putDigits(out, at, Math.floor(time / 1000) % 60, 2);
    out[at++] = 0x2e;
    at = putDigits(out, at, time % 1000, 3);
    out[at++] = 0x5a;
    this.#at = at;
  }

  #putCharacters(bytes: Uint8Array, from: number, to: number): void {
    this.#room(6 * (to - from));
    const out = this.#out;
    let at = this.#at;
    let seen = this.#seen;
    for (let n = from; n < to; n++) {
      const byte = bytes[n] ?? 0;
      seen |= byte;
      if (isPlain[byte] === 1) out[at++] = byte;
      else for (const character of escapes[byte] ?? "") out[at++] = character.charCodeAt(0);
    }
    this.#at = at;
    this.#seen = seen;
  }

  #putLong(text: string): void {
    this.#room(3 * text.length);
    this.#seen = 0xff;
    this.#at += this.#out.write(text, this.#at, "utf8");
  }

  #room(bytes: number): void {
    const needed = this.#at + bytes;
    if (needed <= this.#out.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#out.length));
    this.#out.copy(larger, 0, 0, this.#at);
    this.#out = larger;
  }
}

function putDigits(out: Uint8Array, from: number, value: number, count: number): number {
  let rest = value;
  for (let at = from + count - 1; at >= from; at--) {
    out[at] = 0x30 + (rest % 10);
    rest = Math.floor(rest / 10);
  }
  return from + count;
}

const days = new Recent<number, string>(1000);

/** @param day since 1970 */
function dayText(day: number): string {
  return kept(days, day, () => timestamp(day * DAY).slice(0, -"T00:00:00.000Z".length));
}
