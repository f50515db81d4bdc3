/** What parts say, each whole and in the order of their names: the first that is not done as it comes, the others later. */
export class Output {
  readonly #waiting: { readonly name: string; text: string; done: boolean }[];
  readonly #write: (text: string) => void;

  constructor(names: readonly string[], write: (text: string) => void) {
    this.#waiting = names.map((name) => ({ name, text: "", done: false }));
    this.#write = write;
  }

  say(name: string, text: string): void {
    const part = this.#of(name);
    if (part === this.#waiting[0]) this.#write(text);
    else part.text += text;
  }

  /** Nothing more comes of a part. */
  done(name: string): void {
    this.#of(name).done = true;
    while (this.#waiting[0]?.done) {
      this.#waiting.shift();
      const [next] = this.#waiting;
      if (next !== undefined) this.#write(next.text);
    }
  }

  #of(name: string) {
    const part = this.#waiting.find((each) => each.name === name);
    if (part === undefined) throw new Error(`${name} is done, or none of the parts`);
    return part;
  }
}
