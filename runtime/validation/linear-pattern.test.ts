import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { linearPattern, UnsupportedPattern } from "./linear-pattern.ts";

const longest = 256;

/** Both engines' word on each text. */
function verdicts(source: string, texts: readonly string[]): readonly [string, boolean, boolean][] {
  const own = linearPattern(source, longest);
  return texts.map((text) => [text, own.test(text), new RegExp(source, "u").test(text)]);
}

const texts = [
  "",
  "a",
  "b",
  "ab",
  "ba",
  "aab",
  "abab",
  "a b",
  "A1",
  "aA1",
  "\n",
  "é",
  "😀",
  "a😀b",
  "\ud83d",
  "-",
  "]",
  "a\nb",
];

describe("a linear pattern answers as the engine does", () => {
  test.each([
    "^(a+)+$",
    "a|b",
    "^(?:a|ab)*?b?$",
    "^(?<x>a)?(b){0,2}$",
    "^.$",
    "^..$",
    "^[^]$",
    "[]",
    "^[\\]\\-a]+$",
    "^[^ab]+$",
    "\\ba\\b",
    "\\Ba",
    "^(?=.*[A-Z])(?=.*\\d)\\w+$",
    "^(?!.*ab)",
    "(?<=a)b",
    "(?<!a)b",
    "(?<=^(?:a|b)*)a$",
    "(?<=(?<!b)a)b",
    "(?=(?<=a)b)b",
    "^\\u{1F600}$",
    "^\\ud83d\\ude00$",
    "^\\ud83d$",
    "^\\p{L}\\P{L}?$",
    "^[\\p{Lu}\\d]+$",
    "^\\x61\\u0062$",
    "^a{2}b{1,}$",
    "^(?:){3}a{0}$",
    "^(?:a*)*$",
    "(?:^|b)a",
    "\\n|\\cJ|\\0",
    "",
  ])("%s", (source) => {
    for (const [text, own, engine] of verdicts(source, texts)) expect([text, own]).toEqual([text, engine]);
  });

  const atom = fc.constantFrom("a", "b", ".", "[ab]", "[^a]", "\\w", "^", "$", "\\b", "\\B");
  const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
    pattern: fc.oneof(
      { maxDepth: 4, depthSize: "small" },
      atom,
      fc.tuple(tie("pattern"), tie("pattern")).map(([one, other]) => `${one}${other}`),
      fc.tuple(tie("pattern"), tie("pattern")).map(([one, other]) => `(?:${one}|${other})`),
      fc
        .tuple(tie("pattern"), fc.constantFrom("*", "+", "?", "{2}", "{0,2}", "{1,}", "*?", "??"))
        .map(([one, quantifier]) => `(${one})${quantifier}`),
      fc
        .tuple(fc.constantFrom("?=", "?!", "?<=", "?<!"), tie("pattern"))
        .map(([kind, one]) => `(${kind}${one})`),
    ),
  }));

  test("random ones", () => {
    const text = fc.array(fc.constantFrom("a", "b", " "), { maxLength: 6 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 5, maxLength: 5 }), (source, some) => {
        for (const [, own, engine] of verdicts(source, some)) expect(own).toBe(engine);
      }),
      { numRuns: 1_500 },
    );
  });
});

describe("a linear pattern ends", () => {
  test.each([
    ["^(a+)+$", `${"a".repeat(255)}!`],
    ["^(a|a)*$", `${"a".repeat(255)}!`],
    ["^([a-z]+)*$", `${"a".repeat(255)}!`],
    ["^(.*a){12}$", `${"a".repeat(255)}b`],
    ["^(a?){64}a{64}$", "a".repeat(63)],
    ["^(?=(a+)+$)(?!(a+)+b)", `${"a".repeat(255)}!`],
  ])("%s on what the engine would take years for", (source, attack) => {
    expect(linearPattern(source, longest).test(attack)).toBe(false);
  });

  test("what is longer than it is asked of is not looked at: its length is refused elsewhere", () => {
    const pattern = linearPattern("^(a+)+$", 4);
    expect(["aaaa", "aaa!", "aaaa!", "!".repeat(100_000)].map((text) => pattern.test(text))).toEqual([
      true,
      false,
      true,
      true,
    ]);
    expect(linearPattern("^😀+$", 4).test("😀😀😀!")).toBe(false);
  });
});

test.each([
  ["^(a+)\\1$", "refers back"],
  ["^(?<x>a+)\\k<x>$", "refers back"],
  ["^(?:[a-z]{0,100}){9}$", "more than 500 states"],
  ["a".repeat(1_001), "1001 characters"],
])("%s cannot be matched so", (source, why) => {
  expect(() => linearPattern(source, longest)).toThrow(UnsupportedPattern);
  expect(() => linearPattern(source, longest)).toThrow(why);
});
