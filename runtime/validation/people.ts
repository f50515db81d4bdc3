import { codePointLength } from "./text.ts";

/** A valid e-mail address as the WHATWG HTML standard defines it for `<input type=email>`: ASCII only. */
const address =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

/** Begins an encoded word (RFC 2047), which some mail servers decode into an address of another domain. */
const encoded = "=?";

/**
 * The form in which addresses compare, case-insensitively; undefined for what is not an address (RFC 5321: at most 254
 * characters, 64 before the `@`).
 */
export function emailKey(email: string): string | undefined {
  if (email.length > 254 || email.indexOf("@") > 64 || !address.test(email)) return undefined;
  return email.includes(encoded) ? undefined : email.toLowerCase();
}

export function isPassword(password: string): boolean {
  if (password.length > 2 * 256) return false;
  const characters = codePointLength(password);
  return characters >= 8 && characters <= 256;
}

/** A BCP 47 language tag in its canonical form (`de-ch` is `de-CH`); undefined for anything else. */
export function canonicalLocale(locale: string): string | undefined {
  if (locale.length > 100) return undefined;
  try {
    return Intl.getCanonicalLocales(locale)[0];
  } catch {
    return undefined;
  }
}
