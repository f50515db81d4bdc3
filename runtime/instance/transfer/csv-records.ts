/** Records of RFC 4180. */
import { isUtf8 } from "node:buffer";
import { InputRefused, LONGEST, requireShort } from "./input.ts";
import { isBlank, type TextLine } from "./text-lines.ts";

export interface CsvRecord {
  /** The first of its lines. */
  readonly line: number;
  readonly raw: Buffer;
  /** Or why it is no record. */
  readonly cells: readonly string[] | Error;
}

/** Bytes that a line takes beside its text while its record is put together. */
const OVERHEAD = 100;

const notUtf8 = "is not UTF-8";
const open = "a quote is not closed before the file ends: is it whole?";
const closing = "a quote is closed, and something else than a comma or the end of the line follows";
const inside = "a quote stands in a cell that does not begin with one";

/** Puts records together from lines: what is wrong with one is over with its line. */
export class RecordReader {
  readonly #name: string;
  #cells: string[] = [];
  /** Of a quoted cell that goes on in the next line. */
  #open: string[] | undefined;
  #lines: TextLine[] = [];
  /** That its lines take, about. */
  #bytes = 0;

  constructor(name: string) {
    this.#name = name;
  }

  /**
   * @returns the record that ends with the line, if one does
   * @throws InputRefused for a record that is longer than any document
   */
  add(line: TextLine): CsvRecord | undefined {
    if (this.#open === undefined && isBlank(line)) return undefined;
    this.#lines.push(line);
    this.#bytes += line.raw.length + OVERHEAD;
    const [{ line: first } = line] = this.#lines;
    if (this.#bytes > LONGEST && this.#lines.length > 1)
      throw new InputRefused(
        `${this.#name}: line ${first}: the record is longer than ${LONGEST / 1024 ** 2} MiB; is a quote not closed?`,
      );
    try {
      requireShort(line.isLong);
      if (!isUtf8(line.raw)) throw new Error(notUtf8);
      if (!this.#read(line.raw.toString("utf8"))) return undefined;
      return this.#ended(this.#cells);
    } catch (error) {
      if (error instanceof Error) return this.#ended(error);
      throw error;
    }
  }

  /** What is left when no line comes any more. */
  end(): CsvRecord | undefined {
    return this.#open === undefined ? undefined : this.#ended(new Error(open));
  }

  #ended(cells: CsvRecord["cells"]): CsvRecord {
    const [first, ...others] = this.#lines;
    const line = first?.line ?? 1;
    const raw =
      others.length === 0
        ? (first?.raw ?? Buffer.alloc(0))
        : Buffer.concat(this.#lines.map((each) => each.raw));
    [this.#cells, this.#open, this.#lines, this.#bytes] = [[], undefined, [], 0];
    return { line, raw, cells };
  }

  /** @returns whether the record ends with it */
  #read(whole: string): boolean {
    const hasReturn = whole.endsWith("\r");
    const text = hasReturn ? whole.slice(0, -1) : whole;
    for (let at = 0; ; ) {
      const isQuoted = this.#open !== undefined || text[at] === '"';
      const end = isQuoted
        ? this.#quoted(text, this.#open === undefined ? at + 1 : at)
        : this.#plain(text, at);
      if (end === undefined) {
        this.#open?.push(hasReturn ? "\r\n" : "\n");
        return false;
      }
      if (end >= text.length) return true;
      if (text[end] !== ",") throw new Error(closing);
      at = end + 1;
      if (at === text.length) {
        this.#cells.push("");
        return true;
      }
    }
  }

  /** @returns where the cell ends */
  #plain(text: string, from: number): number {
    const comma = text.indexOf(",", from);
    const end = comma < 0 ? text.length : comma;
    const cell = text.slice(from, end);
    if (cell.includes('"')) throw new Error(inside);
    this.#cells.push(cell);
    return end;
  }

  /** @returns where the cell ends, after its quote; undefined where it goes on in the next line */
  #quoted(text: string, from: number): number | undefined {
    this.#open ??= [];
    for (let start = from; ; ) {
      const quote = text.indexOf('"', start);
      if (quote < 0) {
        this.#open.push(text.slice(start));
        return undefined;
      }
      const isDoubled = text[quote + 1] === '"';
      this.#open.push(text.slice(start, isDoubled ? quote + 1 : quote));
      start = quote + 2;
      if (isDoubled) continue;
      this.#cells.push(this.#open.join(""));
      this.#open = undefined;
      return quote + 1;
    }
  }
}
