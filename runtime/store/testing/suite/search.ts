import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { and, eq, not, search } from "../../../filter/algebra.ts";
import { documentFields } from "../../../filter/fields.ts";
import { matches } from "../../../filter/predicate.ts";
import { runs } from "../../../testing/random.ts";
import { idsOf, type Suite, start, written } from "./fixtures.ts";
import { declared, everything, noteFields, notesOf, searching } from "./notes.ts";

/** Searches: what is found, and in which order. */
export function describeSearch(suite: Suite): void {
  const { notes, found, ranked } = notesOf(suite);

  describe("Full-text search 3: matching", () => {
    test("any word, every phrase, no exclusion", async () => {
      const collection = await notes({
        a: { title: "Red cars", body: "and blue boats" },
        b: { title: "A red boat" },
        c: { body: "Cars that are red" },
        d: { tags: ["green"] },
      });
      expect(await found(collection, "red green")).toEqual(["a", "b", "c", "d"]);
      expect(await found(collection, '"red car"')).toEqual(["a"]);
      expect(await found(collection, '"red car" green')).toEqual(["a"]);
      expect(await found(collection, '"red cars" "blue boat"')).toEqual(["a"]);
      expect(await found(collection, '"red car" "green"')).toEqual([]);
      expect(await found(collection, "red -boats")).toEqual(["c"]);
      expect(await found(collection, 'red -"red car"')).toEqual(["b", "c"]);
      expect(await found(collection, "-red")).toEqual([]);
      expect(await found(collection, "absent")).toEqual([]);
    });

    test("no phrase reaches across fields, elements or objects", async () => {
      const collection = await notes({
        a: { title: "one two", body: "three", tags: ["four five", "six"] },
        b: { lines: [{ text: "one" }, { text: "two" }] },
      });
      expect(await found(collection, '"one two"')).toEqual(["a"]);
      expect(await found(collection, '"two three"')).toEqual([]);
      expect(await found(collection, '"four five"')).toEqual(["a"]);
      expect(await found(collection, '"five six"')).toEqual([]);
      expect(await found(collection, "six two")).toEqual(["a", "b"]);
    });

    test.each(["NOT", "AND", "NEAR(title xyzz)", "rowid", "title:near", "nea* OR", "^near", "'"])(
      "what the engine's own query language would mean something by is text: %s",
      async (value) => {
        const collection = await notes({
          a: { title: "near or and not title rowid" },
          b: { title: "xyz" },
        });
        expect(await found(collection, searching(everything, `${value} near`))).toEqual(["a"]);
      },
    );

    test("the longest searches: words of very many parts", async () => {
      const parts = Array.from({ length: 85 }, (_, n) => (n + 36).toString(36)).join("-");
      const collection = await notes({ a: { title: `x ${parts}` }, b: { title: parts.slice(0, 5) } });
      expect(await found(collection, parts)).toEqual(["a", "b"]);
      expect(await found(collection, `"${parts}"`)).toEqual(["a"]);
      expect(await found(collection, `x -${parts.slice(0, 248)}`)).toEqual([]);
      expect(idsOf(await ranked(collection, searching(everything, parts)))).toHaveLength(2);
    });

    test("random documents and searches: the engine finds what matches in memory", async () => {
      const words = [
        "run",
        "Running",
        "runs",
        "Häuser",
        "Haus",
        "東京",
        "東京都",
        "café",
        "Ada's",
        "e-mail",
        "über",
        "I",
      ];
      const word = fc.constantFrom(...words);
      const sentence = fc.array(word, { maxLength: 5 }).map((chosen) => chosen.join(" "));
      const body = fc.record(
        {
          title: fc.oneof(sentence, fc.constant(null), fc.constant(7)),
          body: sentence,
          tags: fc.oneof(sentence, fc.array(fc.oneof(sentence, fc.constant(null)), { maxLength: 3 })),
          lines: fc.array(fc.record({ text: sentence }), { maxLength: 3 }),
          lang: fc.constantFrom("en", "de", "none", "ja", "", "tr"),
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
        .map((terms) => terms.map(([dash, text]) => dash + text).join(" "));
      const query = fc.tuple(value, fc.constantFrom(undefined, "en", "de", "fr"));
      const collection = await notes();
      let run = 0;
      let hits = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(body, { minLength: 1, maxLength: 12 }),
          fc.array(query, { minLength: 5, maxLength: 10 }),
          async (bodies, queries) => {
            run += 1;
            const own = eq(documentFields["_meta.version"], run);
            const documents = bodies.map((body, n) =>
              written(`${run}-${n}`.padStart(8, "0"), body, { version: run }),
            );
            await collection.load(documents);
            for (const [value, language] of queries) {
              const terms = everything.parse(value, language);
              if ("problem" in terms) continue;
              const filter = search(everything, terms);
              const expected = documents.filter(({ text }) => matches(filter, JSON.parse(text)));
              expect((await found(collection, and(own, filter))).toSorted(), value).toEqual(
                idsOf(expected).toSorted(),
              );
              hits += expected.length;
            }
          },
        ),
        { numRuns: runs(40), seed: 7 },
      );
      expect(hits).toBeGreaterThan(2.5 * runs(40));
    });
  });

  describe("Full-text search 2: with other conditions", () => {
    test("all of them hold, in lists, counts and every visibility", async () => {
      const collection = await notes({
        a: { title: "red", lang: "en" },
        b: { title: "red", lang: "de" },
        c: { title: "blue", lang: "en" },
      });
      await collection.insert(written("d", { title: "red", lang: "en" }, { deletedAt: start }));
      const filter = and(searching(everything, "red"), eq(noteFields.lang, "en"));
      expect(await found(collection, filter)).toEqual(["a"]);
      expect(await collection.count(filter, "live")).toBe(1);
      expect(await collection.count(filter, "deleted")).toBe(1);
      expect(await collection.count(filter, "all")).toBe(2);
      expect(
        await found(collection, and(searching(everything, "red"), not(eq(noteFields.lang, "en")))),
      ).toEqual(["b"]);
    });

    test("in any order, page by page", async () => {
      const collection = await notes();
      for (let n = 0; n < 9; n++) {
        const body = { title: n % 3 === 0 ? "blue" : `red ${9 - n}` };
        await collection.insert(written(`${n}`, body, { createdAt: start + n }));
      }
      const page = async (skip: number) =>
        idsOf(
          await collection.find({
            filter: searching(everything, "red"),
            visibility: "live",
            order: [{ field: documentFields.id, descending: true }],
            limit: 2,
            skip,
          }),
        );
      expect([await page(0), await page(2), await page(4), await page(6)]).toEqual([
        ["8", "7"],
        ["5", "4"],
        ["2", "1"],
        [],
      ]);
    });
  });

  describe("Full-text search 4: languages", () => {
    test("each document is stemmed by its own language, the query by another", async () => {
      const collection = await notes({
        en: { title: "running houses" },
        de: { title: "Häuser laufen", lang: "de-AT" },
        none: { title: "running Häuser", lang: "none" },
      });
      expect(await found(collection, searching(everything, "run"))).toEqual(["en"]);
      expect(await found(collection, searching(everything, "Haus", "de"))).toEqual(["de"]);
      expect(await found(collection, searching(everything, "Häuser", "none"))).toEqual(["none"]);
      expect(await found(collection, searching(everything, "running", "ja"))).toEqual(["none"]);
    });
  });

  describe("Full-text search 5: relevance", () => {
    test("higher weight counts more, whatever the order of writing", async () => {
      const collection = await notes({
        a: { lines: [{ text: "needle" }], title: "one two", body: "three four" },
        b: { body: "needle three", title: "one two" },
        c: { tags: ["needle"], title: "one two", body: "three" },
        d: { title: "needle two", body: "three four" },
        e: { title: "other" },
      });
      const list = await ranked(collection, searching(everything, "needle"));
      expect(idsOf(list)).toEqual(["d", "c", "b", "a"]);
      const scores = list.map(({ score }) => score ?? 0);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
      expect(Math.min(...scores)).toBeGreaterThan(0);
      expect(new Set(scores).size).toBe(4);
    });

    test("a word of a weightier field beats many of a lighter one", async () => {
      const text = declared({ title: 10, body: 1 });
      const collection = await notes(
        { a: { body: "needle ".repeat(50) }, b: { title: "a needle", body: "in a large heap of hay" } },
        text,
      );
      expect(idsOf(await ranked(collection, searching(text, "needle")))).toEqual(["b", "a"]);
    });

    test("more of the words score higher, and beside a phrase words only do that", async () => {
      const collection = await notes({
        a: { title: "red cars" },
        b: { title: "red cars fast" },
        c: { title: "fast boats" },
        d: { title: "something else" },
        e: { title: "nothing at all" },
      });
      expect(idsOf(await ranked(collection, searching(everything, "red fast")))).toEqual(["b", "a", "c"]);
      expect(idsOf(await ranked(collection, searching(everything, '"red cars" fast')))).toEqual(["b", "a"]);
      expect(idsOf(await ranked(collection, searching(everything, '"red cars" fast -boats -else')))).toEqual([
        "b",
        "a",
      ]);
    });

    test("ties by id; limit, skip and other conditions hold", async () => {
      const collection = await notes();
      for (const id of ["d", "b", "a", "c"])
        await collection.insert(written(id, { title: "same", lang: "en" }));
      await collection.insert(written("e", { title: "same" }, { deletedAt: start }));
      const filter = and(searching(everything, "same"), not(eq(documentFields.id, "b")));
      expect(idsOf(await ranked(collection, filter))).toEqual(["a", "c", "d"]);
      expect(idsOf(await ranked(collection, filter, 1))).toEqual(["c", "d"]);
      expect(await ranked(collection, searching(everything, "-same"))).toEqual([]);
    });

    test("only a list by relevance has scores", async () => {
      const collection = await notes({ a: { title: "red" } });
      const [document] = await collection.find({
        filter: searching(everything, "red"),
        visibility: "live",
        limit: 1,
        skip: 0,
      });
      expect(document).not.toHaveProperty("score");
    });
  });
}
