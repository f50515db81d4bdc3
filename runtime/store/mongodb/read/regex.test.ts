import { describe, expect, test } from "vitest";
import { type Filter, like, text } from "../../../filter/algebra.ts";
import { field } from "../../../filter/fields.ts";
import { matches } from "../../../filter/predicate.ts";
import { hostileTexts } from "../../testing/suite/random.ts";
import { asRegExp } from "../testing/patterns.ts";
import { regexOf } from "./regex.ts";

const name = field("name", "string");

function patternOf(filter: Filter): string {
  if (!("ignoreCase" in filter)) throw new Error("not a text operator");
  return regexOf(filter);
}

describe("patterns", () => {
  test.each([
    [text("startsWith", name, "a.b"), "^a\\.b"],
    [text("endsWith", name, "$"), "\\$\\z"],
    [text("contains", name, "a-b\nc d"), "a\\-b\nc d"],
    [text("contains", name, ""), ""],
    [text("contains", name, "a\0b"), "a\\x00b"],
    [text("startsWith", name, "Ab1", true), "^[aA][bB]1"],
    [text("contains", name, "k", true), "[kK\u212a]"],
    [text("contains", name, "S", true), "[sSſ]"],
    [text("contains", name, "ΣΤ", true), "[σΣς][τΤ]"],
    [text("contains", name, "ß", true), "[ßẞ]"],
    [text("contains", name, "𐐀.", true), "[𐐨𐐀]\\."],
    [like(name, "a_c"), "^a[\\s\\S]c\\z"],
    [like(name, "a%"), "^a[\\s\\S]*\\z"],
    [like(name, "%%"), "^[\\s\\S]*\\z"],
    [like(name, "a%b%_c%d"), "^a(?>[\\s\\S]*?b)(?>[\\s\\S]*?[\\s\\S]c)[\\s\\S]*d\\z"],
    [like(name, "", true), "^\\z"],
  ])("%j: %s", (filter, expected) => {
    expect(patternOf(filter)).toBe(expected);
  });

  test("mean what the operators mean, of every two texts", () => {
    for (const ignoreCase of [false, true]) {
      for (const part of hostileTexts) {
        const points = Array.from(part);
        const patterns = [
          part,
          `%${part}`,
          `${part}%`,
          `_${part}`,
          `${part}%${part}`,
          points.join("%"),
          points.slice(1).join("_"),
        ];
        const filters = [
          ...(["startsWith", "endsWith", "contains"] as const).map((op) => text(op, name, part, ignoreCase)),
          ...patterns.map((pattern) => like(name, pattern, ignoreCase)),
        ];
        for (const filter of filters) {
          const regex = asRegExp(patternOf(filter));
          const wrong = hostileTexts.filter(
            (value) => regex.test(value) !== matches(filter, { name: value }),
          );
          expect(wrong, JSON.stringify(filter)).toEqual([]);
        }
      }
    }
  });

  test("no option or class of the server's tables is used", () => {
    const pattern = patternOf(like(name, "%Straße_%İ%", true));
    expect(pattern).not.toMatch(/\(\?[a-z]|\\[wWdDbBpP]/);
  });
});
