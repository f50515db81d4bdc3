import { expect, it } from "vitest";
import { newRecoveryCodes, recoveryHash } from "./recovery.ts";

it("ten codes of 80 bits each, in readable groups, all different", () => {
  const codes = newRecoveryCodes();
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) expect(code).toMatch(/^[a-kmnp-z2-9]{4}(-[a-kmnp-z2-9]{4}){3}$/);
  // 32 characters a place: of 160 drawn, far more than a few differ.
  expect(new Set(codes.join("").replaceAll("-", "")).size).toBeGreaterThan(16);
});

it("is compared whatever its case, dashes and spaces; only SHA-256 is kept", () => {
  const hash = recoveryHash("abcd-efgh-ijkm-npqr");
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
  for (const same of ["ABCD-EFGH-IJKM-NPQR", "abcdefghijkmnpqr", " abcd efgh\tijkm npqr "])
    expect(recoveryHash(same)).toBe(hash);
  expect(recoveryHash("abcd-efgh-ijkm-npqs")).not.toBe(hash);
});

it.each([
  "",
  "123456",
  "abcd-efgh-ijkm-npq",
  "abcd-efgh-ijkm-npqrs",
  "abcd-efgh-ijkm-npql",
  "-".repeat(100_000),
])("is no recovery code: %.30s", (text) => {
  expect(recoveryHash(text)).toBeUndefined();
});
