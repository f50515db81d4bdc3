/** Lets so many pieces of work run at once; others wait in their order, as many as the queue takes. */
export class Turns {
  readonly #atOnce: number;
  readonly #queue: number;
  readonly #full: () => Error;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /** @param full what is thrown where the queue takes no more */
  constructor(atOnce: number, queue: number, full: () => Error) {
    this.#atOnce = atOnce;
    this.#queue = queue;
    this.#full = full;
  }

  /** Whether more work would be refused. */
  get isFull(): boolean {
    return this.#running >= this.#atOnce && this.#waiting.length >= this.#queue;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#atOnce) this.#running += 1;
    else if (this.#waiting.length < this.#queue) await new Promise<void>((go) => this.#waiting.push(go));
    else throw this.#full();
    try {
      return await work();
    } finally {
      // A place is handed on, not given back and taken again.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
