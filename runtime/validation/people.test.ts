import { expect, it } from "vitest";
import { emailKey, isPassword } from "./people.ts";

it.each([
  ["ada@example.com", "ada@example.com"],
  ["Ada.Lovelace+Notes@Example.COM", "ada.lovelace+notes@example.com"],
  ["o'brien@example.co.uk", "o'brien@example.co.uk"],
  ["root@localhost", "root@localhost"],
])("E-mail addresses compare case-insensitively: %s", (email, key) => {
  expect(emailKey(email)).toBe(key);
});

it.each([
  "",
  "ada",
  "@example.com",
  "ada@",
  "ada@@example.com",
  "ada @example.com",
  " ada@example.com",
  "ada@example.com\n",
  "ada@-example.com",
  "ada@example..com",
  "Ada <ada@example.com>",
  "\u212Aate@example.com",
  "=?utf-8?q?ada=40example.org=3e=00?=@example.com",
  `${"a".repeat(65)}@example.com`,
  `a@${"b".repeat(60)}.${"c".repeat(60)}.${"d".repeat(60)}.${"e".repeat(60)}.${"f".repeat(60)}`,
])("What is not an address has no key: %j", (email) => {
  expect(emailKey(email)).toBeUndefined();
});

it("Passwords have 8 to 256 characters, counted as code points", () => {
  expect(isPassword("1234567")).toBe(false);
  expect(isPassword("12345678")).toBe(true);
  expect(isPassword("🔑".repeat(7))).toBe(false);
  expect(isPassword("🔑".repeat(256))).toBe(true);
  expect(isPassword("x".repeat(257))).toBe(false);
});
