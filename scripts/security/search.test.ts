import { expect, it } from "vitest";
import { newToken } from "../../runtime/auth/credentials/tokens.ts";
import { found } from "./search.ts";

const token = newToken("svs");
const password = 'correct horse/7 +%"\u00e9';
const secrets = new Map([
  ["token", token],
  ["password", password],
]);

it.each([
  ["plain text", (text: string) => Buffer.from(`{"a":"${text}"}`)],
  ["JSON", (text: string) => Buffer.from(JSON.stringify({ a: text }))],
  ["JSON in JSON", (text: string) => Buffer.from(JSON.stringify(JSON.stringify({ a: text })))],
  ["UTF-16", (text: string) => Buffer.from(`\u0001${text}`, "utf16le")],
  ["hexadecimal", (text: string) => Buffer.from(Buffer.from(`x${text}`).toString("hex"))],
  ["a query", (text: string) => Buffer.from(`?a=${encodeURIComponent(text)}`)],
  ["a form", (text: string) => Buffer.from(new URLSearchParams({ a: text }).toString())],
  ...[0, 1, 2, 3].map(
    (before) =>
      [
        `base64 from byte ${before}`,
        (text: string) => Buffer.from(Buffer.from(`${"x".repeat(before)}${text}yz`).toString("base64")),
      ] as const,
  ),
  ["base64url", (text: string) => Buffer.from(Buffer.from(text).toString("base64url"))],
] as const)("secrets are found in %s", (_form, written) => {
  for (const [name, secret] of secrets) expect(found(written(secret), secrets)).toEqual([name]);
});

it("a token is found by the random bytes alone", () => {
  const bytes = Buffer.from(token.slice(4), "base64url");
  for (const form of [bytes, Buffer.from(bytes.toString("hex")), Buffer.from(token.slice(4))]) {
    expect(found(Buffer.concat([Buffer.from("\u0000"), form]), secrets)).toEqual(["token"]);
  }
});

it("nothing is found where nothing is", () => {
  expect(found(Buffer.from(`${newToken("svs")} correct horse`), secrets)).toEqual([]);
});
