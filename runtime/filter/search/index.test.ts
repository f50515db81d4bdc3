import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { search } from "../algebra.ts";
import { field } from "../fields.ts";
import { matches } from "../predicate.ts";
import { textIndex } from "./index.ts";

const index = textIndex({
  fields: [
    { field: field("title", "string"), weight: 10 },
    { field: field("lines.notes", "string", ["lines", "lines.notes"]), weight: 1 },
  ],
  defaultLanguage: "en",
  languageField: field("lang", "string"),
});

const parse = (value: string, language?: string) => index.parse(value, language);

function terms(value: string, language?: string) {
  const parsed = parse(value, language);
  if ("problem" in parsed) throw new Error(parsed.problem);
  return parsed;
}

describe("Full-text search 3: what is searched for", () => {
  test("words, phrases and exclusions", () => {
    expect(terms('running "red cars" -boats dogs -"blue houses"')).toEqual({
      words: ["run", "dog"],
      phrases: [["red", "car"]],
      excluded: [["boat"], ["blue", "hous"]],
    });
  });

  test.each([
    ["operators of other services", "a AND b OR c* title:d (e) +f ^g ~h", "a and b or c titl d e f g h"],
    ["a quote that is not closed", 'red "cars are', "red car are"],
    ["a dash within a word", "well-known", "well known"],
    ["a dash alone", "- red", "red"],
    ["a word twice", "car Cars", "car"],
    ["other quotation marks", "“red cars”", "red car"],
  ])("%s: plain words", (_, value, words) => {
    expect(terms(value)).toEqual({ words: words.split(" "), phrases: [], excluded: [] });
  });

  test("phrases and words need no space between them", () => {
    expect(terms('a"b c"d')).toEqual({ words: ["a", "d"], phrases: [["b", "c"]], excluded: [] });
    expect(terms('a-"b c"')).toEqual({ words: ["a"], phrases: [["b", "c"]], excluded: [] });
  });

  test("an excluded word of several parts excludes them in a row", () => {
    expect(terms("x -well-known --y").excluded).toEqual([["well", "known"], ["y"]]);
  });

  test("a value without any term is a problem; one of exclusions alone is not, and finds nothing", () => {
    for (const value of ["", " ", '""', '"', "-", "!?", '-"…"', "\u{1f600}"])
      expect(parse(value)).toHaveProperty("problem");
    expect(terms("-red")).toEqual({ words: [], phrases: [], excluded: [["red"]] });
    expect(matches(search(index, terms("-red")), { title: "blue" })).toBe(false);
  });

  test("at most 256 bytes", () => {
    expect(parse("é".repeat(128))).not.toHaveProperty("problem");
    expect(parse(`${"é".repeat(128)}a`)).toEqual({ problem: expect.stringContaining("256 bytes") });
  });

  test("at most 10 terms; a phrase is one, and so is a word of several parts", () => {
    expect(parse('a b c d e f g -h "i j k l" well-known-thing')).not.toHaveProperty("problem");
    expect(parse("a b c d e f g h i j k")).toEqual({ problem: expect.stringContaining("10") });
    expect(parse('a b c d e f g h i "j" -k')).toHaveProperty("problem");
    expect(parse("a b c d e f g h i j - !!")).not.toHaveProperty("problem");
  });

  test("no value breaks it, and its terms are words", () => {
    const part = fc.oneof(fc.constantFrom('"', "-", " ", "'", "a", "cars", "東京", "\\", "*"), fc.string());
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
        const parsed = parse(parts.join(""));
        if ("problem" in parsed) return;
        const stems = [...parsed.words, ...parsed.phrases.flat(), ...parsed.excluded.flat()];
        for (const stem of stems) expect(stem).toMatch(/^[\p{L}\p{M}\p{N}]+$/u);
        expect([...parsed.phrases, ...parsed.excluded]).not.toContainEqual([]);
      }),
    );
  });
});

describe("Full-text search 4: the language", () => {
  test("of the query, else the index's own", () => {
    expect(terms("Häuser running", "de").words).toEqual(["haus", "running"]);
    expect(terms("Häuser running").words).toEqual(["häuser", "run"]);
    expect(terms("Häuser running", "ja").words).toEqual(["häuser", "running"]);
  });

  test.each([
    [{ title: "running", lang: "de-AT" }, "running"],
    [{ title: "running", lang: "none" }, "running"],
    [{ title: "running", lang: "ja" }, "running"],
    [{ title: "running", lang: "en_GB" }, "run"],
    [{ title: "running", lang: null }, "run"],
    [{ title: "running", lang: "no such thing" }, "run"],
    [{ title: "running", lang: 5 }, "run"],
    [{ title: "running" }, "run"],
  ])("of a document, where it names one: %j", (document, stem) => {
    expect(index.stems(document)[0]).toBe(stem);
  });
});

describe("Full-text search 1: what is indexed", () => {
  test("each field's stems, with something between the elements of arrays", () => {
    const document = { title: "Red Cars", lines: [{ notes: ["one", "two"] }, { notes: "three" }, {}] };
    expect(index.stems(document)).toEqual(["red car", "one \ue000 two \ue000 three"]);
  });

  test("nothing of what is no string", () => {
    for (const title of [undefined, null, 5, true, ["red"], { a: "red" }])
      expect(index.stems({ ...(title === undefined ? {} : { title }), lines: 7 })).toEqual(["", ""]);
  });

  test("the marker between elements can be neither written nor asked for", () => {
    expect(index.stems({ title: "a \ue000 b" })).toEqual(["a b", ""]);
    expect(terms('"a \ue000 b"').phrases).toEqual([["a", "b"]]);
  });
});

test("texts of a whole request body become stems in bounded time, whatever they hold", () => {
  const size = 1 << 20;
  const distinct = Array.from({ length: 120_000 }, (_, n) => `${n.toString(36)}ing`).join(" ");
  const texts = [
    "a".repeat(size),
    "a'".repeat(size / 2),
    "東".repeat(size / 3),
    "e\u0301".repeat(size / 3),
    distinct,
  ];
  for (const title of texts) expect(index.stems({ title })).toHaveLength(2);
});
