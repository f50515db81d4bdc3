const second = 1_000;
/** Longer than any two changes of a clock are apart. */
const aside = 24 * 3_600 * second;

/** What the clocks of a time zone show, in milliseconds as if it were UTC. */
export class WallClock {
  readonly #format: Intl.DateTimeFormat;

  /** @param timezone IANA name */
  constructor(timezone: string) {
    this.#format = new Intl.DateTimeFormat("en-US", {
      timeZone: timezone,
      hourCycle: "h23",
      ...{ year: "numeric", month: "numeric", day: "numeric" },
      ...{ hour: "numeric", minute: "numeric", second: "numeric" },
    });
  }

  /** @param time epoch milliseconds, whose part of a second is left out */
  at(time: number): number {
    const parts = new Map(this.#format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
    return Date.UTC(
      part("year"),
      part("month") - 1,
      ...([part("day"), part("hour"), part("minute"), part("second")] as const),
    );
  }

  /** The latest that the clock has shown by then, as far as it was set back within a day before. */
  latest(time: number): number {
    const offset = (at: number) => this.at(at) - at;
    return this.at(time) + Math.max(0, offset(time - aside) - offset(time));
  }

  /** The first time at which the clock shows this or, where it leaves it out, the first after that. */
  firstShowing(shown: number): number {
    const offsets = [shown - aside, shown + aside].map((time) => this.at(time) - time);
    const times = offsets.map((offset) => shown - offset).filter((time) => this.at(time) === shown);
    return times.length > 0 ? Math.min(...times) : this.#firstAfter(shown, offsets);
  }

  /** Between the two times that it would be by what the clock is before and after its change. */
  #firstAfter(shown: number, offsets: readonly number[]): number {
    const times = offsets.map((offset) => shown - offset);
    let before = Math.min(...times) - second;
    let after = Math.max(...times) + second;
    while (after - before > second) {
      const middle = before + Math.floor((after - before) / 2 / second) * second;
      if (this.at(middle) < shown) before = middle;
      else after = middle;
    }
    return after;
  }
}
