/**
 * Patterns of `$like`: `%` is any run of characters, `_` exactly one code point, everything else itself; there is no
 * escape.
 */

/** What stands between the `%` of a pattern: literal texts, one code point of any kind between each two. */
type Segment = readonly string[];

/** The text before the first wildcard; the whole pattern where it has none. */
export function literalStart(pattern: string): string {
  return /^[^%_]*/.exec(pattern)?.[0] ?? "";
}

/** Whether all of a text matches; in no more steps than text and pattern are long, multiplied. */
export function likeTest(pattern: string): (text: string) => boolean {
  const segments = pattern.split("%").map((segment) => segment.split("_"));
  const [first = [""], ...others] = segments;
  const last = others.pop();
  if (last === undefined) return (text) => endOf(first, text, 0) === text.length;

  return (text) => {
    let at = endOf(first, text, 0);
    for (const segment of others) {
      if (at === undefined) return false;
      at = endOfNext(segment, text, at);
    }
    const start = startOf(last, text);
    return at !== undefined && start !== undefined && at <= start;
  };
}

/** Where the segment ends that stands at this index; undefined where it does not stand there. */
function endOf(segment: Segment, text: string, from: number): number | undefined {
  let at = from;
  for (const [n, literal] of segment.entries()) {
    if (n > 0) {
      const point = text.codePointAt(at);
      if (point === undefined) return undefined;
      at += point > 0xffff ? 2 : 1;
    }
    if (!text.startsWith(literal, at)) return undefined;
    at += literal.length;
  }
  return at;
}

/** Where the segment ends that stands next from this index on. The leftmost leaves most for those after it. */
function endOfNext(segment: Segment, text: string, from: number): number | undefined {
  const [literal = ""] = segment;
  for (let at = text.indexOf(literal, from); at >= 0; at = text.indexOf(literal, at + 1)) {
    const end = endOf(segment, text, at);
    if (end !== undefined) return end;
    // An empty text is found at the end for ever.
    if (at === text.length) return undefined;
  }
  return undefined;
}

/** Where the segment starts that the text ends with. */
function startOf(segment: Segment, text: string): number | undefined {
  let at = text.length;
  for (const [n, literal] of segment.toReversed().entries()) {
    if (n > 0) {
      if (at === 0) return undefined;
      at -= splitsPoint(text, at - 1) ? 2 : 1;
    }
    if (!text.endsWith(literal, at)) return undefined;
    at -= literal.length;
  }
  return at;
}

/** Whether the index lies between the two halves of a code point. */
function splitsPoint(text: string, at: number): boolean {
  return at > 0 && isHalf(text, at, 0xdc00) && isHalf(text, at - 1, 0xd800);
}

function isHalf(text: string, at: number, first: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === first;
}
