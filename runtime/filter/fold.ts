/**
 * Unicode simple case folding: two texts fold to the same one exactly where a JavaScript `iu` pattern takes them for
 * equal. One code point becomes one code point, so positions and lengths in code points stay.
 */
export const fold = folding();

/** Makes {@link fold}. Self-contained, for its text runs in reader threads too (see sqlite/functions.ts). */
export function folding(): (text: string) => string {
  const beyondAscii = /[\u0080-\uffff]/;
  // What lower case changes, and small letters that are another one's variant, such as final sigma.
  const changing =
    /[\u0345\p{Changes_When_Lowercased}\u00b5\u017f\u03c2\u03d0\u03d1\u03d5\u03d6\u03f0\u03f1\u03f5\u1c80-\u1c88\u1e9b\u1fbe\u1fd3\u1fe3\ufb05]/gu;
  /** The code points met; no more than the pattern knows, which are fewer than two thousand. */
  const folded = new Map([
    // Its lower case is two code points; it is one with i in Turkish only.
    ["\u0130", "\u0130"],
    // The same letters under two code points, as no mapping of one code point says.
    ["\u1fd3", "\u0390"],
    ["\u1fe3", "\u03b0"],
    ["\ufb05", "\ufb06"],
  ]);

  const foldPoint = (point: string): string => {
    let found = folded.get(point);
    if (found === undefined) {
      const lower = point.toUpperCase().toLowerCase();
      // Where upper case is several code points, lower case is what the letters have in common.
      found = lower.length === point.length ? lower : point.toLowerCase();
      folded.set(point, found);
    }
    return found;
  };

  return (text) => (beyondAscii.test(text) ? text.replace(changing, foldPoint) : text.toLowerCase());
}
