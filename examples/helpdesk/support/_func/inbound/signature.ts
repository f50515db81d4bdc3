import { createHmac, timingSafeEqual } from "node:crypto";

/** Whether `signature` is the HMAC-SHA256 of the very bytes that came, in hexadecimal digits. */
export function isSigned(body: Uint8Array, signature: string, key: string): boolean {
  const given = Buffer.from(signature, "hex");
  const expected = createHmac("sha256", key).update(body).digest();
  return given.length === expected.length && timingSafeEqual(given, expected);
}
