import fc from "fast-check";
import { expect, test } from "vitest";
import { compareText } from "./text-order.ts";

test("compareText orders as UTF-8 does", () => {
  const string = fc.string({
    unit: fc.constantFrom("a", "b", "\u007f", "é", "\ud7ff", "\ue000", "\uffff", "😀", "\u{10ffff}"),
  });
  fc.assert(
    fc.property(string, string, (a, b) => {
      expect(Math.sign(compareText(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
    { seed: 1 },
  );
});
