import { LONGEST, markLength, requireText } from "./input.ts";

/** A line of a text, without its end. */
export interface TextLine {
  /** From 1. */
  readonly line: number;
  /** Of one that is longer than {@link LONGEST}, its beginning. */
  readonly raw: Buffer;
  readonly isLong: boolean;
  /** Nothing ends it but the end of the file. */
  readonly isCut: boolean;
}

const newline = 0x0a;

/**
 * The lines of a text in UTF-8 with or without a mark, some at a time. Holds one line, and of one that is too long nothing
 * but its beginning.
 * @param name of the input, for messages
 * @throws InputRefused where it is no text
 */
export async function* textLines(
  name: string,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly TextLine[]> {
  const lines = new Lines();
  let isFirst = true;
  for await (const chunk of chunks) {
    if (isFirst) requireText(name, chunk);
    const found = lines.add(isFirst ? chunk.subarray(markLength(chunk)) : chunk);
    isFirst = false;
    if (found.length > 0) yield found;
  }
  const last = lines.last();
  if (last !== undefined) yield [last];
}

class Lines {
  #line = 1;
  /** Of the line that is not at its end. */
  #pieces: Uint8Array[] = [];
  #length = 0;

  add(chunk: Uint8Array): readonly TextLine[] {
    const found: TextLine[] = [];
    let from = 0;
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
      found.push(this.#end(chunk.subarray(from, at), false));
      from = at + 1;
    }
    const rest = chunk.subarray(from);
    // A copy: the chunk is not kept for the sake of its end.
    if (rest.length > 0 && this.#length <= LONGEST) this.#pieces.push(rest.slice());
    this.#length += rest.length;
    return found;
  }

  /** What stands after the last end of a line, if anything. */
  last(): TextLine | undefined {
    return this.#length === 0 ? undefined : this.#end(new Uint8Array(), true);
  }

  #end(piece: Uint8Array, isCut: boolean): TextLine {
    const line = this.#line;
    const isLong = this.#length + piece.length > LONGEST;
    const raw =
      this.#length === 0
        ? Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
        : Buffer.concat([...this.#pieces, piece]);
    this.#line += 1;
    [this.#pieces, this.#length] = [[], 0];
    return { line, raw, isLong, isCut };
  }
}

export function isBlank({ raw }: TextLine): boolean {
  return raw.length === 0 || (raw.length < 100 && /^[ \t\r]*$/.test(raw.toString("latin1")));
}
