/**
 * Regular expressions matched in linear time, for patterns on which the engine's own backtracking may take for ever: a text is
 * read once, from its end, with all that may match from each place in hand.
 */
import { kept } from "../kept.ts";
import { type Part, parsePattern, UnsupportedPattern } from "./linear-parse.ts";

export { UnsupportedPattern } from "./linear-parse.ts";

/** What `pattern` asks of a text. */
export interface TextPattern {
  /** True also for texts that are longer than the pattern is asked of: their length is another keyword's. */
  test(text: string): boolean;
}

/** States of one pattern: what a place of a text may cost. */
const MAX_STATES = 500;

/**
 * A regular expression under the `u` flag, without references back to groups, for texts of at most `maxLength` code
 * points.
 * @throws UnsupportedPattern
 * @throws SyntaxError
 */
export function linearPattern(source: string, maxLength: number): TextPattern {
  // What does not compile is no pattern.
  new RegExp(source, "u");
  const machine = new Machine(parsePattern(source));
  return {
    test(text) {
      if (text.length > 2 * maxLength) return true;
      const points = Array.from(text, (one) => one.codePointAt(0) ?? 0);
      return points.length > maxLength || machine.matches(points);
    },
  };
}

type Points = readonly number[];

/** Whether a condition that takes no text holds before the code point at a place. */
type Condition = (at: number, run: Run) => boolean;

/** One text, with what was found out about it. */
interface Run {
  readonly points: Points;
  /** Of each look-around, by its number: at which places its body matches. */
  readonly looks: Uint8Array[];
}

/** A state either takes a code point or goes on without one, where its condition holds. */
interface State {
  readonly takes: OnePoint | undefined;
  readonly holds: Condition | undefined;
  readonly next: number[];
}

class Machine {
  readonly #fragments: Fragment[] = [];
  readonly #main: Fragment;
  #states = 0;
  readonly #ones = new Map<string, OnePoint>();

  constructor(pattern: Part) {
    this.#main = this.#fragment(pattern, true);
  }

  matches(points: Points): boolean {
    const run: Run = { points, looks: [] };
    // Those inside of others come first.
    for (const fragment of this.#fragments) run.looks.push(fragment.places(run));
    return this.#main.places(run).includes(1);
  }

  #fragment(pattern: Part, ahead: boolean): Fragment {
    const states: State[] = [{ takes: undefined, holds: undefined, next: [] }];
    const state = (own: Partial<State>): number => {
      if (++this.#states > MAX_STATES)
        throw new UnsupportedPattern(`it takes more than ${MAX_STATES} states, counting each repetition`);
      return states.push({ takes: undefined, holds: undefined, next: [], ...own }) - 1;
    };
    /** The state in which a part begins that `then` follows. */
    const before = (part: Part, then: number): number => {
      switch (part.kind) {
        case "one":
          return state({ takes: this.#one(part.source), next: [then] });
        case "sequence":
          return (ahead ? part.of.toReversed() : part.of).reduce((next, each) => before(each, next), then);
        case "either":
          return state({ next: part.of.map((each) => before(each, then)) });
        case "repeat":
          return repeated(part, then);
        default:
          return state({ holds: this.#condition(part), next: [then] });
      }
    };
    const repeated = ({ of, min, max }: Extract<Part, { kind: "repeat" }>, then: number): number => {
      let first = then;
      if (max === Number.POSITIVE_INFINITY) {
        const next = [then];
        first = state({ next });
        next.push(before(of, first));
      }
      for (let more = min; more < max && max < Number.POSITIVE_INFINITY; more++)
        first = state({ next: [then, before(of, first)] });
      for (let times = 0; times < min; times++) first = before(of, first);
      return first;
    };
    return new Fragment(states, before(pattern, 0), ahead);
  }

  #condition(part: Exclude<Part, { kind: "one" | "sequence" | "either" | "repeat" }>): Condition {
    switch (part.kind) {
      case "start":
        return (at) => at === 0;
      case "end":
        return (at, { points }) => at === points.length;
      case "boundary": {
        const word = this.#one("\\w");
        const isWord = (point: number | undefined): boolean => point !== undefined && word.is(point);
        return (at, { points }) => (isWord(points[at - 1]) !== isWord(points[at])) === part.holds;
      }
      case "look": {
        const body = this.#fragment(part.of, part.ahead);
        const number = this.#fragments.push(body) - 1;
        return (at, { looks }) => (looks[number]?.[at] === 1) === part.holds;
      }
    }
  }

  #one(source: string): OnePoint {
    return kept(this.#ones, source, () => new OnePoint(source));
  }
}

/** States from a first one to the end, number 0; read towards the end of the text or, behind a place, towards its start. */
class Fragment {
  readonly #states: readonly State[];
  readonly #start: number;
  readonly #ahead: boolean;
  /** Numbers of states that take a code point. */
  readonly #taking: readonly number[];
  /** By number: the states that lead there without one. */
  readonly #leading: readonly (readonly number[])[];

  constructor(states: readonly State[], start: number, ahead: boolean) {
    this.#states = states;
    this.#start = start;
    this.#ahead = ahead;
    this.#taking = states.flatMap(({ takes }, number) => (takes === undefined ? [] : [number]));
    const leading = states.map((): number[] => []);
    for (const [number, { takes, next }] of states.entries())
      if (takes === undefined) for (const each of next) leading[each]?.push(number);
    this.#leading = leading;
  }

  /** By place, from before the first code point to behind the last: 1 where a match begins there. */
  places(run: Run): Uint8Array {
    const { length } = run.points;
    const found = new Uint8Array(length + 1);
    let beyond = new Uint8Array(this.#states.length);
    let here = new Uint8Array(this.#states.length);
    for (let step = 0; step <= length; step++) {
      const at = this.#ahead ? length - step : step;
      const point = step === 0 ? undefined : run.points[this.#ahead ? at : at - 1];
      here.fill(0);
      this.#enter(here, 0, at, run);
      if (point !== undefined) {
        for (const number of this.#taking) {
          const { takes, next } = this.#states[number] ?? {};
          if (beyond[next?.[0] ?? 0] === 1 && takes?.is(point) === true) this.#enter(here, number, at, run);
        }
      }
      found[at] = here[this.#start] ?? 0;
      [beyond, here] = [here, beyond];
    }
    return found;
  }

  /** Notes that the end can be reached from a state, and from those that lead to it. */
  #enter(here: Uint8Array, first: number, at: number, run: Run): void {
    const waiting = [first];
    for (let number = waiting.pop(); number !== undefined; number = waiting.pop()) {
      if (here[number] === 1) continue;
      here[number] = 1;
      for (const each of this.#leading[number] ?? [])
        if (here[each] === 0 && this.#states[each]?.holds?.(at, run) !== false) waiting.push(each);
    }
  }
}

/** What one code point may be. */
class OnePoint {
  readonly #form: RegExp;
  /** Of the first code points. */
  readonly #known: readonly boolean[];

  constructor(source: string) {
    this.#form = new RegExp(`^${source}$`, "u");
    this.#known = Array.from({ length: 128 }, (_, point) => this.#form.test(String.fromCharCode(point)));
  }

  is(point: number): boolean {
    return this.#known[point] ?? this.#form.test(String.fromCodePoint(point));
  }
}
