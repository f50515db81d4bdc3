/** Lets so many pieces of work run at once; others wait in their order, as many as the queue takes, as long as it lets them. */
export class Turns {
  readonly #atOnce: number;
  readonly #queue: number;
  readonly #full: () => Error;
  readonly #patience: number;
  readonly #waiting = new Set<() => void>();
  #running = 0;

  /**
   * @param full what is thrown where the queue takes no more
   * @param patience milliseconds in the queue after which it is thrown, too; default: any
   */
  constructor(atOnce: number, queue: number, full: () => Error, patience = Number.POSITIVE_INFINITY) {
    this.#atOnce = atOnce;
    this.#queue = queue;
    this.#full = full;
    this.#patience = patience;
  }

  /** Whether more work would be refused. */
  get isFull(): boolean {
    return this.#running >= this.#atOnce && this.#waiting.size >= this.#queue;
  }

  get running(): number {
    return this.#running;
  }

  /** So much waits. */
  get waiting(): number {
    return this.#waiting.size;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#atOnce) this.#running += 1;
    else if (this.#waiting.size < this.#queue) await this.#turn();
    else throw this.#full();
    try {
      return await work();
    } finally {
      // A place is handed on, not given back and taken again.
      const [next] = this.#waiting;
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  #turn(): Promise<void> {
    return new Promise((begin, giveUp) => {
      const next = () => {
        clearTimeout(timer);
        this.#waiting.delete(next);
        begin();
      };
      const end = () => {
        this.#waiting.delete(next);
        giveUp(this.#full());
      };
      const timer = Number.isFinite(this.#patience) ? setTimeout(end, this.#patience) : undefined;
      this.#waiting.add(next);
    });
  }
}

/** The event loop, for those who share it. */
export interface EventLoop {
  /** Milliseconds of a monotonic clock. */
  now(): number;
  /** Resolves in its next turn. */
  turn(): Promise<void>;
}

const eventLoop: EventLoop = {
  now: () => performance.now(),
  turn: () => new Promise((resolve) => setImmediate(resolve)),
};

/** What somebody may take of each turn of the event loop: so many milliseconds, and so many units of what it counts. */
export class Pace {
  readonly #milliseconds: number;
  readonly #units: number;
  readonly #loop: EventLoop;
  /** When the first work in this turn of the event loop began. */
  #since: number | undefined;
  #spent = 0;

  constructor(milliseconds: number, units = Number.POSITIVE_INFINITY, loop: EventLoop = eventLoop) {
    this.#milliseconds = milliseconds;
    this.#units = units;
    this.#loop = loop;
  }

  /** Answers the turn in which to go on; undefined: there is room in this one. */
  spend(units = 0): Promise<void> | undefined {
    if (this.#since === undefined) {
      this.#since = this.#loop.now();
      void this.#loop.turn().then(() => {
        this.#since = undefined;
        this.#spent = 0;
      });
    }
    this.#spent += units;
    const isOver = this.#spent >= this.#units || this.#loop.now() - this.#since >= this.#milliseconds;
    return isOver ? this.#loop.turn() : undefined;
  }
}

/** Begins a piece of work, in this turn of the event loop or a later one. */
export type Piece = () => Promise<void>;

/**
 * Long work of the main thread, in pieces: one work after another, in the order in which they came, and in each turn of the
 * event loop so many milliseconds of them together, so that everybody else has their turns meanwhile.
 */
export class Slices {
  readonly #pace: Pace;
  readonly #works = new Turns(1, Number.POSITIVE_INFINITY, () => new Error("the queue has no end"));

  constructor(milliseconds: number, loop?: EventLoop) {
    this.#pace = new Pace(milliseconds, undefined, loop);
  }

  /** @param work begins each piece by awaiting what it is given */
  run<T>(work: (piece: Piece) => Promise<T>): Promise<T> {
    return this.#works.run(() => work(this.#piece));
  }

  readonly #piece: Piece = async () => {
    for (let later = this.#pace.spend(); later !== undefined; later = this.#pace.spend()) await later;
  };
}
