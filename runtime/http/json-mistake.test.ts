/** Common request rules 3: what is no JSON is told of with its place. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { isJsonText } from "../json.ts";
import { runs } from "../testing/random.ts";
import { mistakePlace } from "./json-mistake.ts";

test.for([
  ["", "line 1, column 1"],
  ["nope", "line 1, column 1"],
  ['{"a": 1,}', "line 1, column 9"],
  ['{\n  "a": 1\n  "b": 2\n}', "line 3, column 3"],
  ['{\r\n  "a": tru\r\n}', "line 2, column 8"],
  ['{"a": "x\ny"}', "line 1, column 9"],
  ['{"a": "\\x"}', "line 1, column 8"],
  ['{"a": "x', "line 1, column 9"],
  ["{'a': 1}", "line 1, column 2"],
  ['{"a" 1}', "line 1, column 6"],
  ['{"a": 01}', "line 1, column 8"],
  ['{"a": [1, 2}', "line 1, column 12"],
  ['{"a": 1}}', "line 1, column 9"],
  ["[".repeat(1000), "line 1, column 1001"],
])("%j is broken at %s", ([text, place]) => {
  expect(mistakePlace(text ?? "")).toBe(place);
});

test("what stands before the place could go on, what stands at it cannot be right", () => {
  const broken = fc
    .tuple(fc.json(), fc.nat(), fc.constantFrom("", ",", "}", "]", '"', ":", "x", "1"))
    .map(([text, at, sign]) => {
      const place = at % (text.length + 1);
      return `${text.slice(0, place)}${sign}${text.slice(place + 1)}`;
    })
    .filter((text) => !isJsonText(text));
  fc.assert(
    fc.property(broken, (text) => {
      const [, column] = /^line 1, column (\d+)$/.exec(mistakePlace(text)) ?? [];
      expect(Number(column)).toBeGreaterThanOrEqual(1);
      expect(Number(column)).toBeLessThanOrEqual(text.length + 1);
    }),
    { numRuns: runs(1000) },
  );
});
