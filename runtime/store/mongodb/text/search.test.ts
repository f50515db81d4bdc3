import fc from "fast-check";
import { Query } from "mingo";
import { describe, expect, test } from "vitest";
import { search } from "../../../filter/algebra.ts";
import { field } from "../../../filter/fields.ts";
import { matches } from "../../../filter/predicate.ts";
import { textIndex } from "../../../filter/search/index.ts";
import type { SearchTerms, TextIndex } from "../../../filter/search/text-index.ts";
import { runs } from "../../../testing/random.ts";
import { analysisOf, type StemFields, searchCondition, stemFields } from "./search.ts";

const title = field("title", "string");
const body = field("body", "string");
const tags = field("tags", "string", ["tags"]);
const lang = field("lang", "string");
const declaration = {
  fields: [
    { field: title, weight: 10 },
    { field: body, weight: 2 },
    { field: tags, weight: 10 },
  ],
  defaultLanguage: "en",
  languageField: lang,
};
const index = textIndex(declaration);

/** One whose stems are given. */
const stemming = (...stems: readonly string[]): TextIndex => ({ ...index, stems: () => stems });
const tokenOf = (stem: string) => stemFields(stemming(stem), {}).stems?.["w10"]?.trim() ?? "";

function conditionOf(value: string, isRanked = false) {
  const terms = index.parse(value, undefined);
  if ("problem" in terms) throw new Error(terms.problem);
  return searchCondition({ op: "search", index, terms }, isRanked);
}

describe("tokens", () => {
  test.each([
    ["red", "red"],
    ["x", "x"],
    ["7", "07"],
    ["mp3", "mp03"],
    ["häuser", "h26cuser"],
    ["東京", "3kfl3fjg"],
    ["\u{20000}", "42t4w"],
    ["_", "22n"],
  ])("%s is %s", (stem, token) => {
    expect(tokenOf(stem)).toBe(token);
  });

  test("every tokenizer takes one for one word, whatever it thinks of letters", () => {
    const letter = fc.constantFrom(..."abzäßıİſ東京한कи٣७𝟗Ⅷ_".split(/(?:)/u));
    const word = fc.oneof(
      fc.string({ unit: letter, minLength: 1 }),
      fc.stringMatching(/^[\p{L}\p{M}\p{N}]{1,5}$/u),
    );
    fc.assert(
      fc.property(word, (stem) => {
        expect(tokenOf(stem)).toMatch(/^[a-z0-9]+$/);
      }),
    );
  });

  test("no two stems have the same, nor has any the one for very many", () => {
    const unit = fc.constantFrom(..."az019äл東한\u{20000}".split(/(?:)/u));
    const stem = fc.string({ unit, minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(stem, stem, (one, other) => {
        expect(tokenOf(one) === tokenOf(other)).toBe(one === other);
        expect(tokenOf(one)).not.toBe("1");
      }),
      { numRuns: runs(1_000) },
    );
  });

  test("the longest words that are searched for: only those of Korean syllables and such are longer than 256", () => {
    const longest = (letter: string) => tokenOf(letter.repeat(64 / letter.length)).length;
    for (const letter of ["a", "7", "ж", "東", "ღ", "\u{20000}"])
      expect(longest(letter)).toBeLessThanOrEqual(256);
    expect(longest("한")).toBe(320);
  });
});

describe("what stands beside a document", () => {
  test("a string for each weight, its fields and elements apart", () => {
    const document = { title: "Red cars", body: "7 houses", tags: ["one two", "three"] };
    expect(stemFields(index, document)).toEqual({
      analysis: analysisOf(index),
      stems: { w10: " red car . one two . three ", w2: " 07 hous " },
    });
  });

  test("nothing for fields without words", () => {
    expect(stemFields(index, { body: "!?" })).toEqual({ analysis: analysisOf(index) });
    expect(stemFields(index, { title: 5, tags: ["a"] }).stems).toEqual({ w10: " a " });
  });

  test("very many different words are not indexed, but told", () => {
    const words = (count: number) => Array.from({ length: count }, (_, n) => n.toString(36)).join(" ");
    expect(stemFields(index, { title: words(40_000), body: words(45_000) })).not.toHaveProperty("unindexed");
    expect(stemFields(index, { title: "a ".repeat(200_000) })).not.toHaveProperty("unindexed");
    const made = stemFields(index, { body: words(60_000), tags: ["red"] });
    expect(made.stems).toEqual({ w10: " 1 " });
    expect(made.unindexed?.["w10"]).toBe(" red ");
    expect(made.unindexed?.["w2"]?.split(" ")).toHaveLength(60_002);
  });

  test("what decides about stems is in the fingerprint", () => {
    const others = [
      { ...declaration, fields: declaration.fields.slice(1) },
      { ...declaration, fields: declaration.fields.map(({ field }) => ({ field, weight: 1 })) },
      { ...declaration, fields: [{ field: field("title", "string", ["title"]), weight: 10 }] },
      { ...declaration, fields: [{ field: title, weight: 10 }] },
      { ...declaration, defaultLanguage: "de" },
      { fields: declaration.fields, defaultLanguage: "en" },
    ];
    const known = [index, ...others.map(textIndex)].map(analysisOf);
    expect(new Set(known)).toHaveProperty("size", known.length);
    expect(analysisOf(textIndex({ ...declaration }))).toBe(analysisOf(index));
  });
});

describe("Full-text search 3: conditions", () => {
  const indexed = { "_meta.svc.unindexed": { $exists: false } };
  const at =
    (...strings: readonly string[]) =>
    (text: string) =>
      strings.map((string) => ({ [`_meta.svc.${string}`]: { $regex: text } }));
  const everywhere = at("stems.w10", "stems.w2", "unindexed.w10", "unindexed.w2");
  const unindexed = at("unindexed.w10", "unindexed.w2");

  test("words: the index alone, but for documents that are not in it", () => {
    expect(conditionOf("Häuser running")).toEqual({
      $text: { $search: "h26cuser run 1" },
      $and: [{ $or: [indexed, ...unindexed(" (?:h26cuser|run) ")] }],
    });
  });

  test("phrases: by their longest word, and exactly; where it counts, by all words", () => {
    const exact = { $and: [{ $or: everywhere(" a hous ") }, { $or: everywhere(" red ") }] };
    expect(conditionOf('"a house" "red" car')).toEqual({ $text: { $search: "hous 1" }, ...exact });
    expect(conditionOf('"a house" "red" car', true)).toEqual({
      $text: { $search: "a hous red car 1" },
      ...exact,
    });
  });

  test("exclusions", () => {
    expect(conditionOf('car -red -"a house"')).toEqual({
      $text: { $search: "car 1" },
      $and: [
        { $or: [indexed, ...unindexed(" (?:car) ")] },
        { $nor: [...everywhere(" red "), ...everywhere(" a hous ")] },
      ],
    });
    expect(conditionOf("-red")).toEqual({ $text: { $search: "-x" } });
  });
});

test("Full-text search 3: random documents and searches: the conditions hold where the search matches in memory", () => {
  const words = [
    "run",
    "Running",
    "Häuser",
    "Haus",
    "東京",
    "東京都",
    "한국어",
    "книга",
    "a",
    "I",
    "7",
    "07",
    "x61",
    "ß",
    "Ada's",
  ];
  const word = fc.constantFrom(...words);
  const sentence = fc.array(word, { maxLength: 4 }).map((chosen) => chosen.join(" "));
  const document = fc.record(
    {
      title: sentence,
      body: sentence,
      tags: fc.oneof(sentence, fc.array(sentence, { maxLength: 3 })),
      lang: fc.constantFrom("en", "de", "ru", "none", ""),
    },
    { requiredKeys: [] },
  );
  const term = fc.tuple(
    fc.constantFrom("", "-"),
    fc.oneof(
      word,
      sentence.map((text) => `"${text}"`),
    ),
  );
  const value = fc
    .array(term, { minLength: 1, maxLength: 4 })
    .map((terms) => terms.map((parts) => parts.join("")).join(" "));
  let hits = 0;
  fc.assert(
    fc.property(
      document,
      fc.array(fc.tuple(value, fc.constantFrom("en", "de", "ru")), { minLength: 10 }),
      (body, searches) => {
        const svc = stemFields(index, body);
        for (const [text, language] of searches) {
          const terms = index.parse(text, language);
          if ("problem" in terms) continue;
          const expected = matches(search(index, terms), body);
          hits += Number(expected);
          for (const isRanked of [false, true]) expect(isFound(svc, terms, isRanked), text).toBe(expected);
        }
      },
    ),
    { numRuns: runs(150), seed: 7 },
  );
  expect(hits).toBeGreaterThan(runs(200));
});

test("Full-text search 3: documents with very many words are found by what they say", () => {
  const words = Array.from({ length: 60_000 }, (_, n) => `n${n.toString(36)}`).join(" ");
  const svc = stemFields(index, { title: "Red cars", body: words });
  expect(svc.unindexed).toBeDefined();
  for (const [text, expected] of [
    ["nzz", true],
    ["cars -boats", true],
    ['"red car" boats', true],
    ['"n1 n2 n3"', true],
    ["boats", false],
    ['"car n0"', false],
    ["cars -nzz", false],
  ] as const) {
    const terms = index.parse(text, undefined);
    if ("problem" in terms) throw new Error(terms.problem);
    for (const isRanked of [false, true]) expect(isFound(svc, terms, isRanked), text).toBe(expected);
  }
});

/** What `$text` means for tokens of letters and digits, and everything else by mingo. */
function isFound(svc: StemFields, terms: SearchTerms, isRanked: boolean): boolean {
  const { $text, ...rest } = searchCondition({ op: "search", index, terms }, isRanked);
  const { $search }: { $search: string } = $text;
  const tokens = new Set(Object.values(svc.stems ?? {}).flatMap((text) => text.split(/[ .]+/)));
  const isCandidate = $search.split(" ").some((token) => !token.startsWith("-") && tokens.has(token));
  return isCandidate && new Query(rest).test({ _meta: { svc } });
}
