/**
 * Regular expressions under the `u` flag as trees, as far as whether a text matches is concerned: what groups capture, and
 * which of several matches is preferred, is left out.
 */

/** A pattern that cannot be matched in linear time; the message says why. */
export class UnsupportedPattern extends Error {}

export type Part =
  /** One code point that this source matches: a literal, an escape, a class, `.` */
  | { readonly kind: "one"; readonly source: string }
  | { readonly kind: "sequence" | "either"; readonly of: readonly Part[] }
  | { readonly kind: "repeat"; readonly of: Part; readonly min: number; readonly max: number }
  | { readonly kind: "start" | "end" }
  | { readonly kind: "boundary"; readonly holds: boolean }
  | { readonly kind: "look"; readonly of: Part; readonly ahead: boolean; readonly holds: boolean };

/** Characters that a pattern may have. */
const MAX_SOURCE = 1_000;

/**
 * @param source of a regular expression that compiles
 * @throws UnsupportedPattern
 */
export function parsePattern(source: string): Part {
  if (source.length > MAX_SOURCE)
    throw new UnsupportedPattern(`it has ${source.length} characters, at most ${MAX_SOURCE} are allowed`);
  let at = 0;
  return either();

  function either(): Part {
    const branches = [sequence()];
    while (taken(/\|/y) !== undefined) branches.push(sequence());
    const [only, ...others] = branches;
    return only !== undefined && others.length === 0 ? only : { kind: "either", of: branches };
  }

  function sequence(): Part {
    const parts: Part[] = [];
    while (at < source.length && source[at] !== "|" && source[at] !== ")") parts.push(repeated(single()));
    return { kind: "sequence", of: parts };
  }

  function repeated(of: Part): Part {
    const quantifier = taken(/([*+?]|\{(\d+)(,(\d*))?\})\??/y);
    if (quantifier === undefined) return of;
    const [, sign, least, range, most] = quantifier;
    const min = sign === "+" ? 1 : Number(least ?? 0);
    const unbounded = sign === "*" || sign === "+" || (range !== undefined && most === "");
    const max = unbounded ? Number.POSITIVE_INFINITY : sign === "?" ? 1 : Number(most ?? least);
    return { kind: "repeat", of, min, max };
  }

  function single(): Part {
    if (taken(/\^/y)) return { kind: "start" };
    if (taken(/\$/y)) return { kind: "end" };
    const boundary = taken(/\\([bB])/y);
    if (boundary !== undefined) return { kind: "boundary", holds: boundary[1] === "b" };
    if (taken(/\\(?:[1-9]|k)/y)) throw new UnsupportedPattern("it refers back to what a group matched");
    const look = taken(/\(\?(<?)([=!])/y);
    if (look !== undefined)
      return { kind: "look", ahead: look[1] === "", holds: look[2] === "=", of: grouped() };
    if (taken(/\((?:\?:|\?<[^>]+>|(?!\?))/y)) return grouped();
    if (source[at] === "(") throw new UnsupportedPattern("it changes flags within a group");
    const one = taken(
      /\[(?:\\.|[^\]\\])*\]|\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u\{[^}]*\}|\\u....|\\[pP]\{[^}]*\}|\\x..|\\c.|\\?./suy,
    );
    return { kind: "one", source: one?.[0] ?? "" };
  }

  function grouped(): Part {
    const inner = either();
    at++;
    return inner;
  }

  function taken(form: RegExp): RegExpExecArray | undefined {
    form.lastIndex = at;
    const match = form.exec(source) ?? undefined;
    if (match !== undefined) at = form.lastIndex;
    return match;
  }
}
