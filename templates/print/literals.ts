/** The one printer of literals. */
import { isIdentifierName } from "./identifiers.ts";

/** What can be printed as a literal; members that are undefined are left out. */
export type Literal =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly Literal[]
  | { readonly [member: string]: Literal };

/** The text of a literal that evaluates to `value`. */
export function literalText(value: Literal): string {
  switch (typeof value) {
    case "string":
      return stringText(value);
    case "number":
      return numberText(value);
    case "boolean":
    case "undefined":
      return String(value);
    default:
      return value === null ? "null" : structureText(value);
  }
}

function structureText(value: readonly Literal[] | { readonly [member: string]: Literal }): string {
  if (isList(value)) return `[${value.map(literalText).join(", ")}]`;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${memberText(name)}: ${literalText(member)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

function isList(value: object): value is readonly Literal[] {
  return Array.isArray(value);
}

function memberText(name: string): string {
  // A plain `__proto__: …` would set the prototype.
  if (name === "__proto__") return `["__proto__"]`;
  return isIdentifierName(name) ? name : stringText(name);
}

/** Double-quoted. */
function stringText(value: string): string {
  return escapeInvisible(JSON.stringify(value));
}

/**
 * Escapes, in the text of string literals, what ends a line, reorders text on the screen, or cannot be seen. Such
 * characters mean nothing outside strings and comments, so whole modules may be passed.
 */
export function escapeInvisible(text: string): string {
  // Nearly all text is plain, which takes less to see than to look for each of them.
  if (!/[\u007f-\uffff]/.test(text)) return text;
  return text.replace(/[\p{Cf}\u007f-\u009f\u2028\u2029]/gu, (character) =>
    character
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

function numberText(value: number): string {
  if (!Number.isFinite(value)) throw new Error(`not a number that configuration can hold: ${value}`);
  if (Object.is(value, -0)) return "-0";
  if (!Number.isSafeInteger(value) || Math.abs(value) < 10_000) return String(value);
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, "_");
}
