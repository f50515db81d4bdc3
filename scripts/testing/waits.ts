/** Waits that fail on a machine that others load, found in the sources of tests. */

interface Refused {
  readonly pattern: RegExp;
  readonly instead: string;
}

const refused: readonly Refused[] = [
  {
    pattern: /\bvi\s*\.\s*wait(?:For|Until)\b/g,
    instead: "vitest gives up after a second: until() of runtime/testing/until.ts",
  },
  {
    pattern: /\bwhile \([^\n]*\)\s*await (?:new Promise\([^\n]*\bsetTimeout\b|setTimeout\(|sleep\(|pause\()/g,
    instead: "a loop without a limit says nothing of what it waits for: until() of runtime/testing/until.ts",
  },
  {
    pattern: /\bexpect\(\s*(?:Date|performance)\.now\(\) - /g,
    instead: "time that has passed says what else the machine does: a clock that the test holds",
  },
];

/** Returns a line for each wait in a file that {@link refused} names. */
export function waitsIn(path: string, text: string): readonly string[] {
  return refused.flatMap(({ pattern, instead }) =>
    [...text.matchAll(pattern)].map(
      ({ index }) => `${path}:${text.slice(0, index).split("\n").length}: ${instead}`,
    ),
  );
}
