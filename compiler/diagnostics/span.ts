import type { Span } from "./diagnostic.ts";

/** The very start of a file, for what concerns it as a whole (or that it is missing). */
export function fileSpan(file: string): Span {
  return { file, line: 1, column: 1, endLine: 1, endColumn: 1 };
}
