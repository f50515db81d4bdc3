import type { HostReply, HostRequest } from "../invocation.ts";

/** Requests of a run that are under way at a time; others wait. */
const atOnce = 64;

/** What a run asks of the server; once the run is over nothing is asked any more, and nobody hears of what comes. */
export class Requests {
  readonly #send: (id: number, request: HostRequest) => void;
  readonly #answered = new Map<number, (reply: HostReply) => void>();
  readonly #waiting: (() => void)[] = [];
  #next = 0;
  #isOver = false;

  constructor(send: (id: number, request: HostRequest) => void) {
    this.#send = send;
  }

  /** Those that were not answered yet. */
  get pending(): number {
    return this.#answered.size + this.#waiting.length;
  }

  /** Never settles once the run is over: nobody is there to handle its failure. */
  ask(request: HostRequest): Promise<HostReply> {
    return new Promise((resolve) => {
      if (this.#isOver) return;
      const begin = () => {
        const id = this.#next++;
        this.#answered.set(id, resolve);
        this.#send(id, request);
      };
      if (this.#answered.size < atOnce) begin();
      else this.#waiting.push(begin);
    });
  }

  /** What comes of other work; nothing, once the run is over. */
  whileOpen<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      work.then(
        (value) => this.#isOver || resolve(value),
        (error: unknown) => this.#isOver || reject(error),
      );
    });
  }

  receive(id: number, reply: HostReply): void {
    const answered = this.#answered.get(id);
    if (answered === undefined) return;
    this.#answered.delete(id);
    this.#waiting.shift()?.();
    answered(reply);
  }

  end(): void {
    this.#isOver = true;
    this.#waiting.length = 0;
    this.#answered.clear();
  }
}
