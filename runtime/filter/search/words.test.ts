import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { soughtOf, wordsOf } from "./words.ts";

describe("words", () => {
  test.each([
    ["letters and digits, in lower case", "The 3 CARS, at 9.30!", "the|3|cars|at|9|30"],
    ["hyphens and other signs separate", "e-mail/web_site: a+b", "e|mail|web|site|a|b"],
    ["marks belong to their letter", "Cafe\u0301 nin\u0303o", "caf\u00e9|ni\u00f1o"],
    ["compatibility forms are the same", "\uff21\uff22\uff23 \ufb01ne \u2460", "abc|fine|1"],
    [
      "an apostrophe separates, and the single letter it cuts off is left out",
      "Ada's l'homme O\u2019Brien",
      "ada|homme|brien",
    ],
    ["but not when nothing else is there", "I'm o'n", "i|m|o|n"],
    ["longer parts stay", "dell'arte rock'n'roll don't", "dell|arte|rock|roll|don"],
    ["quotation marks are not apostrophes", "'a' 'quoted text'", "a|quoted|text"],
    ["sigma at the end of a word is a sigma", "ΟΔΟΣ οδοσ οδος", "οδοσ|οδοσ|οδοσ"],
    ["the dotted capital I is an i", "\u0130stanbul", "istanbul"],
    ["other scripts", "Привет, नमस्ते! שלום", "привет|नमस्ते|שלום"],
    ["scripts without spaces fall into pieces", "東京都 x漢y 猫", "東|東京|京|京都|都|x|漢|y|猫"],
    ["nothing", " \u{1f600} -- !", ""],
  ])("%s", (_, text, words) => expect(wordsOf(text).join("|")).toBe(words));

  test("Turkish has an i without a dot", () => {
    expect(wordsOf("IŞIK İzmir", "tr")).toEqual(["ışık", "izmir"]);
    expect(wordsOf("IŞIK İzmir")).toEqual(["işik", "izmir"]);
  });

  test("a part of a text without spaces is a run of its pieces", () => {
    const whole = ` ${wordsOf("国立国会図書館").join(" ")} `;
    expect(whole).toContain(` ${wordsOf("国会図").join(" ")} `);
    expect(whole).toContain(` ${wordsOf("会").join(" ")} `);
    expect(whole).not.toContain(` ${wordsOf("国図").join(" ")} `);
  });

  test("words of a query ask for pairs, or for the only character", () => {
    expect(soughtOf(wordsOf("東京都"))).toEqual(["東京", "京都"]);
    expect(soughtOf(wordsOf("猫"))).toEqual(["猫"]);
  });

  test("huge words are cut, never within a character", () => {
    expect(wordsOf(`${"a".repeat(100_000)} b`)).toEqual(["a".repeat(64), "b"]);
    const [word] = wordsOf(`a${"\u{10428}".repeat(100)}`);
    expect(word).toBe(`a${"\u{10428}".repeat(31)}`);
  });

  test("only letters, marks and digits are left; what is left comes out the same again", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), (text) => {
        const words = wordsOf(text);
        for (const word of words) expect(word).toMatch(/^[\p{L}\p{M}\p{N}]+$/u);
        const apart = words.filter((word) => !/[\u0e00-\uffff]/.test(word));
        expect(wordsOf(apart.join(" "))).toEqual(apart);
      }),
    );
  });
});
