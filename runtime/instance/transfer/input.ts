/** What documents are imported from. */
import { type Incoming, NoDocument } from "../../documents/importing/incoming.ts";

/** A collection's documents in a file, or in standard input. */
export interface Input {
  /** As people may read it. */
  readonly name: string;
  /**
   * From the beginning, a few at a time.
   * @throws InputRefused where nothing in it can be read
   */
  documents(): AsyncGenerator<readonly Incoming[]>;
}

/** An input that is none at all; the message names it. */
export class InputRefused extends Error {}

/** Bytes of a line: no store holds a longer document. */
export const LONGEST = 16 * 1024 ** 2;

const tooLong = `the line is longer than ${LONGEST / 1024 ** 2} MiB`;

export function requireShort(isLong: boolean): void {
  if (isLong) throw new NoDocument(tooLong);
}

/**
 * Nothing that is no text is gone through line by line.
 * @param first bytes of the input
 * @throws InputRefused
 */
export function requireText(name: string, first: Uint8Array): void {
  const [one, two] = first;
  const isUtf16 = (one === 0xff && two === 0xfe) || (one === 0xfe && two === 0xff);
  if (isUtf16 || one === 0 || two === 0) throw new InputRefused(`${name}: is not UTF-8, but UTF-16`);
  if (one === 0x1f && two === 0x8b)
    throw new InputRefused(`${name}: is compressed: unpack it first (gunzip)`);
  if (one === 0x50 && two === 0x4b) throw new InputRefused(`${name}: is a ZIP archive: unpack it first`);
}

/** Bytes of a UTF-8 mark at the beginning. */
export function markLength(first: Uint8Array): number {
  return first[0] === 0xef && first[1] === 0xbb && first[2] === 0xbf ? 3 : 0;
}
