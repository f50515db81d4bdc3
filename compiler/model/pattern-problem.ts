/** What the engine says of a pattern under the `u` flag; `undefined` when it compiles. */
export function patternProblem(pattern: string): string | undefined {
  try {
    new RegExp(pattern, "u");
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return message
      .replace(/^Invalid regular expression: \/.*\/u?: /s, "")
      .replace(/^./, (first) => first.toLowerCase());
  }
}
