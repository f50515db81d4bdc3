import type { Analysis } from "./analysis.ts";
import type { SearchTerms } from "./text-index.ts";
import { soughtOf } from "./words.ts";

/** spec: Limits. Bytes of UTF-8. */
const LONGEST = 256;
const TERMS = 10;

/** A phrase in quotes, perhaps after `-`; a run of other characters; or a quote that opens nothing. */
const piece = /(-?)"([^"]*)"|[^\s"]+|"/g;

/**
 * Reads the value of `$search`: words, "phrases in quotes", -excluded words and -"phrases". Nothing else is an operator,
 * and a quote that is not closed is plain text. A written word that falls into several (`well-known`) counts as one
 * term; any of its words matches, all of them in a row exclude.
 * @returns the terms, or a reason why the value is none (see `TextIndex.parse`)
 */
export function parseSearch(value: string, analysis: Analysis): SearchTerms | { readonly problem: string } {
  if (Buffer.byteLength(value) > LONGEST) return { problem: `must have at most ${LONGEST} bytes` };
  const phrases: string[][] = [];
  const words = new Set<string>();
  const excluded: string[][] = [];
  let terms = 0;
  for (const [written, dash, quoted] of value.matchAll(piece)) {
    const excludes = quoted === undefined ? written.startsWith("-") : dash === "-";
    const own = analysis.words(quoted ?? written);
    if (own.length === 0) continue;
    terms += 1;
    if (excludes) excluded.push(own.map(analysis.stem));
    else if (quoted !== undefined) phrases.push(own.map(analysis.stem));
    else for (const word of soughtOf(own)) words.add(analysis.stem(word));
  }
  if (terms === 0) return { problem: "must have a word to search for" };
  if (terms > TERMS) return { problem: `must have at most ${TERMS} words and phrases` };
  return { phrases, words: [...words], excluded };
}
