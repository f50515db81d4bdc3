/** Words that are laid out by themselves. */
import { type Doc, hardLine } from "./document.ts";
import type { Tokens } from "./tokens.ts";

/** The comments before a statement or a member, each on lines of its own. */
export function commentsBefore(tokens: Tokens): Doc {
  const comments: Doc[] = [];
  while (/^\/[/*]/.test(tokens.peek())) {
    const [first = "", ...rest] = tokens.next().split("\n");
    comments.push(
      first.trimEnd(),
      rest.map((text) => [hardLine, ` ${text.trim()}`]),
      hardLine,
    );
  }
  return comments;
}

/** A string in the quotes of which it has fewer; other words as they are. */
export function stringText(word: string): string {
  if (!word.startsWith('"') || !word.includes('\\"')) return word;
  const content = word.slice(1, -1);
  const double = content.split('"').length;
  if (double <= content.split("'").length) return word;
  const escaped = content.replace(/\\(.)|'/gs, (found, after?: string) =>
    after === '"' ? after : found === "'" ? "\\'" : found,
  );
  return `'${escaped}'`;
}

/** `1e+21` is `1e21`; other words as they are. */
export function numberText(word: string): string {
  return /^-?\d/.test(word) ? word.replace("e+", "e") : word;
}

/** A member's name without quotes that it does not need. */
export function keyText(word: string): string {
  return /^"[A-Za-z_$][\w$]*"$/.test(word) ? word.slice(1, -1) : stringText(word);
}
