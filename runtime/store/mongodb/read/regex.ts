import type { LeafFilter } from "../../../filter/algebra.ts";
import { fold } from "../../../filter/fold.ts";
import { escaped } from "./expressions.ts";

/**
 * Text operators as regular expressions of the server (PCRE, in UTF-8, without options). They depend on none of its
 * tables: letters that fold alike are spelled out.
 */

export type TextFilter = Extract<LeafFilter, { readonly ignoreCase: boolean }>;

/** One code point of any kind, a line's end included. */
const ANY = "[\\s\\S]";
const END = "\\z";

export function regexOf(filter: TextFilter): string {
  const literal = filter.ignoreCase ? foldedLiteral : plainLiteral;
  switch (filter.op) {
    case "startsWith":
      return `^${literal(filter.value)}`;
    case "endsWith":
      return `${literal(filter.value)}${END}`;
    case "contains":
      return literal(filter.value);
    case "like":
      return likeRegex(filter.pattern, literal);
  }
}

/**
 * What stands between two `%` is looked for once, from left to right: the first place leaves most for what follows. Hence
 * the atomic groups, without which a text could be gone through again and again.
 */
function likeRegex(pattern: string, literal: (text: string) => string): string {
  const segments = pattern.split("%").map((segment) => segment.split("_").map(literal).join(ANY));
  const [first = "", ...others] = segments;
  const last = others.pop();
  if (last === undefined) return `^${first}${END}`;
  const between = others.filter((segment) => segment !== "").map((segment) => `(?>${ANY}*?${segment})`);
  return `^${first}${between.join("")}${ANY}*${last}${END}`;
}

function plainLiteral(text: string): string {
  return withoutNul(escaped(text));
}

function foldedLiteral(text: string): string {
  const classes = Array.from(fold(text), (point) => {
    const alike = foldedTo().get(point);
    return alike === undefined ? escaped(point) : `[${point}${alike}]`;
  });
  return withoutNul(classes.join(""));
}

/** A pattern ends at a NUL. */
function withoutNul(pattern: string): string {
  return pattern.replaceAll("\0", "\\x00");
}

/** No letter that has a case stands beyond. */
const LAST_CASED = 0x1ffff;

let variants: ReadonlyMap<string, string> | undefined;

/** By folded code point, all others that fold to it. */
function foldedTo(): ReadonlyMap<string, string> {
  if (variants !== undefined) return variants;
  const found = new Map<string, string>();
  for (let code = 0; code <= LAST_CASED; code++) {
    if (code === 0xd800) code = 0xe000;
    const point = String.fromCodePoint(code);
    const folded = fold(point);
    if (folded !== point) found.set(folded, (found.get(folded) ?? "") + point);
  }
  variants = found;
  return found;
}
