import { expect, it } from "vitest";
import { newTotpSecret, readTotpCode, totpStep, totpUri } from "./totp.ts";

/** RFC 6238, appendix B: the secret of the test vectors (ASCII 12345678901234567890), and the last 6 digits of its codes. */
const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const vectors = [
  [59, "287082"],
  [1_111_111_109, "081804"],
  [1_111_111_111, "050471"],
  [1_234_567_890, "005924"],
  [2_000_000_000, "279037"],
  [20_000_000_000, "353130"],
] as const;

it.each(vectors)("RFC 6238: at %d seconds the code is %s", (seconds, code) => {
  expect(totpStep(secret, code, seconds * 1000, 0)).toBe(Math.floor(seconds / 30));
});

it("a code is good in its own 30 seconds, those before and those after, and in no others", () => {
  const code = "050471";
  const step = Math.floor(1_111_111_111 / 30);
  const begins = step * 30_000;
  const goodAt = (at: number) => totpStep(secret, code, at, 0) === step;
  expect([begins - 30_001, begins - 30_000, begins, begins + 59_999, begins + 60_000].map(goodAt)).toEqual([
    false,
    true,
    true,
    true,
    false,
  ]);
});

it("no code of the step of the last one, or of an earlier one, is good again", () => {
  const at = 1_111_111_111_000;
  const step = Math.floor(at / 30_000);
  expect(totpStep(secret, "050471", at, step - 1)).toBe(step);
  expect(totpStep(secret, "050471", at, step)).toBeUndefined();
  expect(totpStep(secret, "050471", at, step + 5)).toBeUndefined();
});

it("the first steps of time have no step before them", () => {
  expect(totpStep(secret, "755224", 0, 0)).toBeUndefined();
  expect(totpStep(secret, "287082", 30_000, 0)).toBe(1);
});

it("secrets are 160 random bits in base 32", () => {
  const [one, other] = [newTotpSecret(), newTotpSecret()];
  expect(one).toMatch(/^[A-Z2-7]{32}$/);
  expect(one).not.toBe(other);
});

it("the address for apps names realm and account, escaped", () => {
  const uri = new URL(totpUri(secret, "shop", "o'neil+a&b@example.com"));
  expect(uri.protocol).toBe("otpauth:");
  expect(decodeURIComponent(uri.pathname)).toMatch(/shop:o'neil\+a&b@example\.com$/);
  expect(Object.fromEntries(uri.searchParams)).toEqual({
    issuer: "shop",
    secret,
    algorithm: "SHA1",
    digits: "6",
    period: "30",
  });
});

it.each(["12345", "1234567", "12345a", "١٢٣٤٥٦", "123-456", "", "123456\n"])("no code: %j", (text) => {
  expect(readTotpCode(text)).toBeUndefined();
});

it("a code may be written with spaces", () => {
  expect(readTotpCode(" 123 456 ")).toBe("123456");
});
