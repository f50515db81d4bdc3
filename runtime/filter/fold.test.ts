import { expect, test } from "vitest";
import { fold } from "./fold.ts";

const last = 0x10ffff;
const isSurrogate = (point: number) => point >= 0xd800 && point < 0xe000;
const points = Array.from({ length: last + 1 }, (_, point) => point)
  .filter((point) => !isSurrogate(point))
  .map((point) => String.fromCodePoint(point));
const insensitive = (point: string) => new RegExp(`\\u{${point.codePointAt(0)?.toString(16)}}`, "giu");

/** Every other code point is its own only equal, by Unicode's own account. */
const cased = points.filter((point) =>
  /[\p{Changes_When_Casefolded}\p{Changes_When_Casemapped}]/u.test(point),
);

test("where 4: over all code points, folding makes equal exactly what a pattern without case takes for equal", () => {
  expect(cased.length).toBeGreaterThan(2800);
  const all = cased.join("");
  const byFold = new Map<string, string[]>();
  for (const point of cased) byFold.set(fold(point), [...(byFold.get(fold(point)) ?? []), point]);
  for (const point of cased) expect(all.match(insensitive(point))).toEqual(byFold.get(fold(point)));
});

test("where 4: code points without case stay, and none folds to them", () => {
  const isCased = new Set(cased);
  expect(points.filter((point) => !isCased.has(point) && fold(point) !== point)).toEqual([]);
  expect(cased.filter((point) => !isCased.has(fold(point)))).toEqual([]);
});

test("folding twice is folding once, and one code point stays one", () => {
  for (const point of cased) {
    expect(Array.from(fold(point))).toHaveLength(1);
    expect(fold(fold(point))).toBe(fold(point));
  }
});

test.each([
  ["ß is not ss, but is ẞ", "Straße", "STRAẞE", "strasse"],
  ["the Kelvin sign is k", "KELVIN", "\u212aelvin", "celvin"],
  ["long s is s", "\u017fo", "SO", "zo"],
  ["final sigma is sigma", "ΌΣΟΣ", "όσος", "όσοζ"],
  ["dotted I is only itself", "\u0130", "\u0130", "i"],
  ["dotless i is only itself", "\u0131", "\u0131", "I"],
  ["beyond the first plane", "\u{10400}x", "\u{10428}X", "\u{10401}x"],
  ["Cherokee", "\u13a0", "\uab70", "\uab71"],
])("where 4: %s", (_, a, same, other) => {
  expect(fold(a)).toBe(fold(same));
  expect(fold(a)).not.toBe(fold(other));
});
