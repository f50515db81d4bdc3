/** Milliseconds that a run takes at most, for others to be put in line behind it. */
const short = 1;
/** Milliseconds that a run may have to stand in line, as far as one can tell. */
const patience = 2;
/** Runs in line, however short they are. */
const most = 64;
/** Runs that count, about: the last ones. */
const remembered = 16;

/** What the pool knows of a function. */
export class PooledFunction {
  /** Runs that were taken in, and are not over. */
  taken = 0;
  /** Which part of its last runs were short; at first none, since nobody knows. */
  #shortOnes = 0;
  /** Milliseconds of those. */
  #usual = short;

  /** One took so many milliseconds. */
  took(duration: number): void {
    const isShort = duration < short;
    this.#shortOnes += ((isShort ? 1 : 0) - this.#shortOnes) / remembered;
    if (isShort) this.#usual += (duration - this.#usual) / remembered;
  }

  /** Runs that may stand in line for one thread behind one that is under way: a few that take longer are taken back from. */
  get inLine(): number {
    return this.#shortOnes > 0.75 ? Math.min(most, Math.ceil(patience / this.#usual)) : 0;
  }
}
