import { randomInt } from "node:crypto";
import { tokenHash } from "./tokens.ts";

/** 32 characters, none of which is easily read as another. */
const alphabet = "abcdefghijkmnpqrstuvwxyz23456789";
const length = 16;
const group = 4;

/** Codes made at a time. */
const codes = 10;

/** New recovery codes of 80 random bits: `abcd-efgh-ijkm-npqr`. */
export function newRecoveryCodes(): readonly string[] {
  return Array.from({ length: codes }, newCode);
}

function newCode(): string {
  const characters = Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length)));
  return Array.from({ length: length / group }, (_, at) =>
    characters.slice(at * group, (at + 1) * group).join(""),
  ).join("-");
}

/**
 * SHA-256 of a recovery code, however it is written in groups and cases: the only form in which it is stored. Undefined
 * for what is none.
 */
export function recoveryHash(text: string): string | undefined {
  // Longer than any code with its dashes and spaces.
  if (text.length > 64) return undefined;
  const code = text.replace(/[-\s]/g, "").toLowerCase();
  return code.length === length && [...code].every((character) => alphabet.includes(character))
    ? tokenHash(code)
    : undefined;
}
