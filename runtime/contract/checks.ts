import { storedDate } from "../filter/dates.ts";
import { originNames } from "../realm/organizations.ts";
import { canonicalLocale, emailKey, isPassword } from "../validation/people.ts";
import { codePointLength } from "../validation/text.ts";

/**
 * What no JSON Schema says of the strings in bodies, by name: each answers the string as it is kept, or tells what is wrong
 * with it and answers anything.
 */
export const checks = {
  name: onOneLine,
  /** The same; not what an `origin` of roles is called. */
  teamName(value, told) {
    const name = onOneLine(value, told);
    if (originNames.includes(name)) told(`must not be ${originNames.join(" or ")}`);
    return name;
  },
  slug(value, told) {
    if (value.length > slugLength || !slug.test(value)) {
      told(`must be lower-case letters and digits, separated by single -, at most ${slugLength} characters`);
    }
    return value;
  },
  email(value, told) {
    if (emailKey(value) === undefined) told("must be an e-mail address");
    return value;
  },
  /** A new one. */
  password(value, told) {
    if (!isPassword(value)) told("must have 8 to 256 characters");
    return value;
  },
  /** In its canonical form. */
  locale(value, told) {
    const canonical = canonicalLocale(value);
    if (canonical === undefined) told("must be a language tag (BCP 47) such as de-CH");
    return canonical ?? value;
  },
  /** By who reads the body. */
  later: (value) => value,
  /** A time, as it is stored. */
  instant(value, told) {
    const stored = storedDate(value, "date-time");
    if (stored === undefined) told("must be an RFC 3339 time such as 2030-01-31T00:00:00Z");
    return stored ?? value;
  },
  secret(value, told) {
    if (value.length < 1 || value.length > secretLength) told(`must have 1 to ${secretLength} characters`);
    return value;
  },
} satisfies Record<string, Check>;

/** Characters of a slug (spec: Limits). */
export const slugLength = 63;

/** Characters of a secret's value. */
export const secretLength = 65_536;

const slug = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

type Check = (value: string, told: (reason: string) => void) => string;

/** 1 to 200 characters on one line, without the spaces around it. */
function onOneLine(...[value, told]: Parameters<Check>): string {
  const name = value.trim();
  if (name === "" || codePointLength(name) > 200) told("must have 1 to 200 characters");
  // It stands in subjects of mails, among others.
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)) told("must not contain control characters");
  return name;
}

export type CheckName = keyof typeof checks;
