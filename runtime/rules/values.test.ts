import { describe, expect, it } from "vitest";
import { ago, ahead, earlier, includesDate, later, notEarlier, notLater, sameDate } from "./dates.ts";
import { beginnings, endings } from "./filters.ts";
import { booleanAt, dateAt, listAt, numberAt, scalarAt, textAt } from "./known.ts";
import {
  absent,
  atLeast,
  atMost,
  contains,
  endsWith,
  greater,
  includes,
  length,
  less,
  member,
  nonEmpty,
  present,
  same,
  startsWith,
} from "./values.ts";

/** What a stored document may hold anywhere. */
const anything: readonly unknown[] = [
  undefined,
  null,
  "",
  "a",
  "2026-03-01",
  0,
  1,
  true,
  false,
  [],
  ["a"],
  [null],
  {},
  { a: 1 },
];

describe("helpers of emitted rules", () => {
  it("never throw, and are true only of values of the right type", () => {
    for (const a of anything) {
      for (const b of anything) {
        const scalar = ["string", "number", "boolean"].includes(typeof a);
        expect(same(a, b)).toBe(scalar && a === b);
        const ordered = typeof a === typeof b && ["string", "number"].includes(typeof a);
        expect([less(a, b), greater(a, b)].includes(true) || (atMost(a, b) && atLeast(a, b))).toBe(ordered);
        for (const helper of [contains, startsWith, endsWith]) {
          if (typeof a !== "string" || typeof b !== "string") expect(helper(a, b)).toBe(false);
        }
        if (typeof a !== "string" || typeof b !== "string") {
          for (const helper of [earlier, later, notLater, notEarlier, sameDate])
            expect(helper(a, b)).toBe(false);
        }
        expect(includes(a, b)).toBe(
          ["string", "number", "boolean"].includes(typeof b) && (Array.isArray(a) ? a.includes(b) : a === b),
        );
      }
      expect(absent(a)).toBe(!present(a));
      expect(absent(a)).toBe(a === undefined || a === null);
      expect(nonEmpty(a)).toBe(Array.isArray(a) && a.length > 0);
    }
  });

  it("an object that two documents share equals nothing", () => {
    const shared = { a: 1 };
    expect(same(shared, shared)).toBe(false);
    expect(includes([shared], shared)).toBe(false);
  });

  it("length is that of texts and lists", () => {
    expect(anything.map(length)).toEqual([
      undefined,
      undefined,
      0,
      1,
      10,
      undefined,
      undefined,
      undefined,
      undefined,
      0,
      1,
      1,
      undefined,
      undefined,
    ]);
  });

  it("member reads own members of objects only", () => {
    const document = JSON.parse(
      '{"constructor": {"length": 3}, "__proto__": "p", "list": [1], "text": "abc"}',
    );
    expect(member(document, "constructor", "length")).toBe(3);
    expect(member(document, "__proto__")).toBe("p");
    expect(member({}, "constructor")).toBeUndefined();
    expect(member({}, "__proto__")).toBeUndefined();
    expect(member(document, "list", "length")).toBeUndefined();
    expect(member(document, "text", "length")).toBeUndefined();
    expect(member(null, "a", "b")).toBeUndefined();
  });

  it("the caller's side is believed as far as its types fit", () => {
    const source = {
      text: "a",
      number: 1,
      boolean: true,
      list: ["a", 1, null, {}, ["b"]],
      day: "2026-03-01",
      at: "2026-03-01T02:00:00+01:00",
      object: {},
    };
    expect([textAt(source, "text"), textAt(source, "number"), textAt(source, "object", "x")]).toEqual([
      "a",
      undefined,
      undefined,
    ]);
    expect([numberAt(source, "number"), numberAt(source, "text")]).toEqual([1, undefined]);
    expect([booleanAt(source, "boolean"), booleanAt(source, "text")]).toEqual([true, undefined]);
    expect([scalarAt(source, "number"), scalarAt(source, "object")]).toEqual([1, undefined]);
    expect([listAt(source, "list"), listAt(source, "text")]).toEqual([["a", 1], undefined]);
    expect([dateAt(source, "day"), dateAt(source, "at"), dateAt(source, "text")]).toEqual([
      "2026-03-01",
      "2026-03-01T01:00:00.000Z",
      undefined,
    ]);
  });

  it("the ends of a text are cut between code points, to 256 of them", () => {
    expect(beginnings("a\u{1f600}b")).toEqual(["", "a", "a\u{1f600}", "a\u{1f600}b"]);
    expect(endings("a\u{1f600}b")).toEqual(["", "b", "\u{1f600}b", "a\u{1f600}b"]);
    expect(beginnings(null)).toBeUndefined();
    expect(endings(undefined)).toBeUndefined();
    expect(beginnings("x".repeat(1000))).toHaveLength(257);
    expect(endings("x".repeat(1000))?.at(-1)).toHaveLength(256);
  });
});

describe("dates of rules", () => {
  const midnight = "2026-03-01T00:00:00.000Z";

  it("a day stands for its midnight", () => {
    expect(sameDate("2026-03-01", midnight)).toBe(true);
    expect(sameDate(midnight, "2026-03-01")).toBe(true);
    expect(earlier("2026-03-01", midnight)).toBe(false);
    expect(notLater("2026-03-01", midnight)).toBe(true);
    expect(later("2026-03-01T00:00:00.001Z", "2026-03-01")).toBe(true);
    expect(earlier("2026-02-28", midnight)).toBe(true);
    expect(notEarlier("2026-03-01", "2026-02-28T23:59:59.999Z")).toBe(true);
    expect(includesDate(["2026-02-28", "2026-03-01"], midnight)).toBe(true);
    expect(includesDate("2026-03-01", midnight)).toBe(true);
    expect(includesDate([5, null], midnight)).toBe(false);
  });

  it("ago and ahead count from the request's instant", () => {
    expect(ago(midnight, 86_400_000)).toBe("2026-02-28T00:00:00.000Z");
    expect(ahead(midnight, 1)).toBe("2026-03-01T00:00:00.001Z");
  });
});
