import { longestLine, numberAfter, Starts } from "../starts.ts";
import type { Asked } from "./asked.ts";

export interface InLine {
  readonly number: number;
  readonly asked: Asked;
}

/** The runs of which a thread was told, and of which it has not told yet what came of them, in their order. */
export class Line {
  readonly starts = new Starts();
  readonly #runs: InLine[] = [];
  #last = 0;

  get length(): number {
    return this.#runs.length;
  }

  /** Those that have not begun. */
  get waiting(): number {
    let waiting = 0;
    for (let at = this.#runs.length - 1; at >= 0; at--) {
      const run = this.#runs[at];
      if (run === undefined || this.starts.hasBegun(run.number)) break;
      waiting += 1;
    }
    return waiting;
  }

  /** Whether there is a number left for another. */
  get isFull(): boolean {
    const [first] = this.#runs;
    const next = numberAfter(this.#last);
    return first !== undefined && (next < first.number || next - first.number >= longestLine);
  }

  /** It stands last; its number. */
  add(asked: Asked): number {
    this.#last = numberAfter(this.#last);
    this.#runs.push({ number: this.#last, asked });
    this.starts.offer(this.#last);
    return this.#last;
  }

  /** The one of that number. */
  find(number: number): Asked | undefined {
    const [first] = this.#runs;
    if (first?.number === number) return first.asked;
    return this.#runs.find((run) => run.number === number)?.asked;
  }

  /** What came of it is known. */
  delete(number: number): void {
    const [first] = this.#runs;
    if (first?.number === number) this.#runs.shift();
    else this.#remove(({ number: other }) => other === number);
  }

  /** The first that has not ended: it is under way, or is about to be. */
  get front(): InLine | undefined {
    const ended = this.#runs.findIndex(({ number }) => this.starts.hasEnded(number));
    return this.#runs[ended + 1];
  }

  /** The one that what the thread tells next is of, though it may have ended: of those before it all is known. */
  get telling(): InLine | undefined {
    return this.#runs[0];
  }

  /** Takes back one that has not begun; false: it has. */
  withdraw(asked: Asked): boolean {
    const run = this.#runs.find((each) => each.asked === asked);
    if (run === undefined || !this.starts.withdraw(run.number)) return false;
    this.delete(run.number);
    return true;
  }

  /** Takes back all that have not begun. @param behind but not this one */
  withdrawAll(behind?: InLine): readonly Asked[] {
    const back = this.#runs.filter((run) => run !== behind && this.starts.withdraw(run.number));
    this.#remove((run) => back.includes(run));
    return back.map(({ asked }) => asked);
  }

  /** All that is left; it is empty then. */
  clear(): readonly Asked[] {
    return this.#runs.splice(0).map(({ asked }) => asked);
  }

  #remove(isMeant: (run: InLine) => boolean): void {
    const left = this.#runs.filter((run) => !isMeant(run));
    this.#runs.splice(0, this.#runs.length, ...left);
  }
}
