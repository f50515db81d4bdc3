/** Server-sent events, as the HTML standard reads them, from bytes that are cut anywhere. */

/** What stands between two empty lines: an event, the id that the stream is at from here on, or both. */
export interface EventBlock {
  event: string;
  data: string | undefined;
  id: string | undefined;
}

/** Characters of one event: longer ones are not this server's. */
const longestEvent = 2 ** 24;

export class EventParser {
  readonly #decoder = new TextDecoder();
  /** Of a line whose end has not come yet. */
  #pieces: string[] = [];
  #pieceLength = 0;
  /** The text so far ends with a carriage return, to which a line feed may still belong. */
  #returned = false;
  #event = "";
  #data: string[] = [];
  #dataLength = 0;
  #id: string | undefined;

  /**
   * The blocks that these bytes bring to their end.
   * @throws RangeError for an event that is too long
   */
  parse(bytes: Uint8Array): EventBlock[] {
    const text = this.#decoder.decode(bytes, { stream: true });
    if (text === "") return [];
    const blocks: EventBlock[] = [];
    let start = this.#returned && text.startsWith("\n") ? 1 : 0;
    const endings = /\r\n?|\n/g;
    endings.lastIndex = start;
    for (let found = endings.exec(text); found !== null; found = endings.exec(text)) {
      this.#hold(text.slice(start, found.index));
      start = endings.lastIndex;
      const line = this.#pieces.join("");
      this.#pieces = [];
      this.#pieceLength = 0;
      const block = line === "" ? this.#block() : this.#field(line);
      if (block) blocks.push(block);
    }
    this.#hold(text.slice(start));
    this.#returned = text.endsWith("\r");
    return blocks;
  }

  #hold(piece: string): void {
    this.#pieceLength += piece.length;
    if (this.#pieceLength + this.#dataLength > longestEvent)
      throw new RangeError(`an event of more than ${longestEvent} characters`);
    if (piece !== "") this.#pieces.push(piece);
  }

  #field(line: string): undefined {
    const [, name = "", value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (name === "event") this.#event = value;
    else if (name === "id" && !value.includes("\0")) this.#id = value;
    else if (name === "data") {
      this.#data.push(value);
      this.#dataLength += value.length + 1;
    }
  }

  #block(): EventBlock | undefined {
    const data = this.#data.length > 0 ? this.#data.join("\n") : undefined;
    const block = { event: this.#event || "message", data, id: this.#id };
    this.#event = "";
    this.#data = [];
    this.#dataLength = 0;
    this.#id = undefined;
    return block.data === undefined && block.id === undefined ? undefined : block;
  }
}
