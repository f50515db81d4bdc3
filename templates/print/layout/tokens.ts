/** The words of emitted TypeScript. */

export interface Token {
  readonly text: string;
  /** Empty lines before it. */
  readonly linesBefore: number;
}

const comment = String.raw`\/\*[^]*?\*\/|\/\/.*`;
const string = String.raw`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'`;
/** Nothing is ever divided. */
const pattern = String.raw`\/(?:[^\\/[\n]|\\.|\[(?:[^\]\\]|\\.)*\])+\/[a-z]*`;
const number = String.raw`\d[\w.]*(?:(?<=e)[+-]\d+)?`;
const sign = String.raw`=>|\.\.\.|\?\.|[=!]==|&&|\|\||\?\?|[^\s"']`;
const word = new RegExp(
  String.raw`(\s*)(${[comment, string, pattern, number, String.raw`[\w$]+`, sign].join("|")})`,
  "y",
);

/** A module's words in their order. */
export class Tokens {
  readonly #tokens: readonly Token[];
  #at = 0;

  /** @throws SyntaxError where a text does not end, a string for one. */
  constructor(text: string) {
    const whole = text.trimEnd();
    const tokens: Token[] = [];
    word.lastIndex = 0;
    while (word.lastIndex < whole.length) {
      const start = word.lastIndex;
      const [, space = "", found] = word.exec(whole) ?? [];
      if (found === undefined)
        throw new SyntaxError(`no word of a module: ${whole.slice(start, start + 40)}`);
      tokens.push({ text: found, linesBefore: space.split("\n").length - 1 });
    }
    this.#tokens = tokens;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#tokens.length;
  }

  /** The word `ahead` of the next one; empty at the end. */
  peek(ahead = 0): string {
    return this.#tokens[this.#at + ahead]?.text ?? "";
  }

  /** Line ends before the next word. */
  get linesBefore(): number {
    return this.#tokens[this.#at]?.linesBefore ?? 0;
  }

  next(): string {
    const { text } = this.#tokens[this.#at] ?? this.#refuse("more");
    this.#at++;
    return text;
  }

  /** @throws SyntaxError when the next word names nothing. */
  name(): string {
    return /^[\w$]/.test(this.peek()) ? this.next() : this.#refuse("a name");
  }

  /** Takes the next word if it is this one. */
  takes(text: string): boolean {
    if (this.peek() !== text) return false;
    this.#at++;
    return true;
  }

  /** @throws SyntaxError when the next word is another. */
  expect(text: string): void {
    if (!this.takes(text)) this.#refuse(text);
  }

  /** @throws SyntaxError where a statement goes on that should be over. */
  end(): void {
    if (!this.takes(";") && this.linesBefore === 0 && !this.isAtEnd) this.#refuse(";");
  }

  /** What stands after the bracket that closes the next one. */
  afterBracket(): string {
    let depth = 0;
    for (let ahead = 0; this.peek(ahead) !== ""; ahead++) {
      if ("([{".includes(this.peek(ahead))) depth++;
      if (")]}".includes(this.peek(ahead)) && --depth === 0) return this.peek(ahead + 1);
    }
    return "";
  }

  #refuse(wanted: string): never {
    const around = this.#tokens.slice(Math.max(0, this.#at - 5), this.#at + 1).map(({ text }) => text);
    throw new SyntaxError(`${wanted} is missing in a module at: ${around.join(" ")}`);
  }
}
