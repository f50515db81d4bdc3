import { describe, expect, it } from "vitest";
import { inItems, inMember, inObject } from "../index.ts";
import type { JsonObject } from "../json.ts";
import { DocumentTooLarge } from "../store/contract/errors.ts";
import { wholeOf } from "./whole.ts";

/** `{rows: [{text, ...}]}`, where `text` has a default of so many characters. */
function rows(characters: number) {
  const text = "x".repeat(characters);
  return {
    withDefaults: (document: JsonObject): JsonObject => ({
      ...document,
      ...inMember(document, "rows", inItems(inObject((row) => ({ text, ...row })))),
    }),
  };
}

const empty = (count: number): JsonObject => ({ rows: Array.from({ length: count }, () => ({})) });

describe("what is sent to be a whole document", () => {
  it("is copied where nothing has a default", () => {
    const members = { a: 1 };
    expect(wholeOf({}, members)).toEqual(members);
    expect(wholeOf({}, members)).not.toBe(members);
  });

  it("has the defaults of what it leaves out, up to what a store holds", () => {
    const kilobyte = wholeOf(rows(1_000), empty(16_000));
    expect(JSON.stringify(kilobyte).length).toBeGreaterThan(16_000_000);
    expect(() => wholeOf(rows(1_000), empty(16_700))).toThrow(DocumentTooLarge);
  });

  it("is refused before it is written out, however much the defaults would make of it", () => {
    // Written out these would be a gigabyte, more than a string can be.
    expect(() => wholeOf(rows(4_000), empty(300_000))).toThrow(DocumentTooLarge);
  });

  it("keeps what was sent in place of a default", () => {
    expect(wholeOf(rows(10), { rows: [{ text: "own" }, 7], other: true })).toEqual({
      rows: [{ text: "own" }, 7],
      other: true,
    });
  });
});
