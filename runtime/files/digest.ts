import { ApiError } from "../errors.ts";
import { invalidHeader } from "./errors.ts";

const sha256 = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):\s*(?:;[^,]*)?(?=,|$)/;
const entries =
  /^\s*[a-z0-9*_.-]+=:[A-Za-z0-9+/]*={0,2}:\s*(?:;[^,]*)?(?:,\s*[a-z0-9*_.-]+=:[A-Za-z0-9+/]*={0,2}:\s*(?:;[^,]*)?)*$/;

/**
 * The SHA-256 in a `Content-Digest` (RFC 9530), lower-case hexadecimal; undefined where there is none. Other algorithms are
 * not looked at.
 * @throws ApiError `invalid_header`
 */
export function digestIn(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const [, value] = sha256.exec(header) ?? [];
  const names = /(?:^|,)\s*sha-256=/.test(header);
  if (header.length > 1_024 || !entries.test(header) || (names && value === undefined))
    throw invalidHeader("Content-Digest", "must be such as sha-256=:<base64>: (RFC 9530)");
  return value === undefined ? undefined : Buffer.from(value, "base64").toString("hex");
}

/** @throws ApiError `upload_mismatch` */
export function requireSame(expected: string | undefined, actual: string): void {
  if (expected === undefined || expected === actual) return;
  throw new ApiError("upload_mismatch", "The bytes that came are not those that were announced.", {
    details: [{ path: "sha256", reason: `is ${actual}` }],
  });
}
