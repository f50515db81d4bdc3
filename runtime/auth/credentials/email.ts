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
