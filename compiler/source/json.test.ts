import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs } from "../../runtime/testing/random.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { JsonProblem, parseJson } from "./json.ts";
import { toJson } from "./node.ts";
import { parseSource } from "./reader.ts";
import { locate } from "./source.ts";

function problemOf(text: string): string {
  try {
    parseJson(text);
  } catch (error) {
    if (error instanceof JsonProblem) return `${error.offset}: ${error.message}`;
    throw error;
  }
  return "none";
}

describe("strict JSON", () => {
  test("reads every value as JSON.parse does", () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 2), (json, indent) => {
        const text = JSON.stringify(JSON.parse(json), null, indent);
        expect(toJson(parseJson(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  test("refuses what JSON.parse refuses, and nothing else", () => {
    const pieces = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"a"',
      "1",
      "-0",
      "01",
      "1e5",
      "tru",
      "true",
      "null",
      " ",
      "\n",
      "'",
      "//",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
        const text = parts.join("");
        let parsed: unknown = problemOf;
        try {
          parsed = JSON.parse(text);
        } catch {
          // Refused.
        }
        // JSON.parse makes infinity of numbers that overflow.
        if (parsed === problemOf || inspect(parsed, { depth: null }).includes("Infinity"))
          expect(problemOf(text)).not.toBe("none");
        else expect(toJson(parseJson(text))).toEqual(parsed);
      }),
      { numRuns: runs(2000) },
    );
  });

  test.each([
    ['{"a": 1,}', "7: a comma before the end is not allowed"],
    ["[1, 2,]", "5: a comma before the end is not allowed"],
    ['{"a" 1}', "5: ':' after the key is expected here, not 1"],
    ["{a: 1}", "1: a key in double quotes is expected here, not a"],
    ['{"a": undefined}', "6: a value is expected here, not undefined"],
    ['{"a": 1', "7: the file ends where ',' or '}' is expected"],
    ['"abc', "0: the string that starts here does not end"],
    ['"a\nb"', "0: the string does not end on its line; a line break in it is written \\n"],
    ['"a\tb"', "2: a control character in a string is written as \\t"],
    ['"\\d"', "1: '\\d' is no escape of JSON; a backslash is written \\\\"],
    ['"\\ud800"', "0: half of a surrogate pair is not a character"],
    ["1e400", "0: the number is too large"],
    ["1 2", "2: there is more text after the value"],
    ["# x", "0: JSON has no comments"],
    ["NaN", "0: a value is expected here, not NaN"],
  ])("%s", (text, problem) => {
    expect(problemOf(text)).toBe(problem);
  });

  test("nesting is bounded", () => {
    expect(problemOf("[".repeat(100_000))).toMatch(/too deep/);
    expect(problemOf(`${"[".repeat(128)}${"]".repeat(128)}`)).toBe("none");
  });

  test("members named __proto__ are data", () => {
    const value = toJson(parseJson('{"__proto__": {"a": 1}}'));
    expect(Object.keys(Object(value))).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});

describe("the locator", () => {
  const text = '{\r\n  "a": { "b": [1,\r\n    { "c/d": "x" }] },\r\n  "e": "long"\r\n}\r\n';
  const diagnostics: Diagnostic[] = [];
  const file = parseSource("x.json", text, diagnostics);
  const at = (path: (string | number)[], target?: "key" | "value"): string => {
    if (file === undefined) throw new Error("no file");
    const { line, column, endLine, endColumn } = locate(file, path, target);
    return `${line}:${column}-${endLine}:${endColumn}`;
  };

  test("finds values and keys, with CRLF line ends", () => {
    expect(at(["e"])).toBe("4:8-4:14");
    expect(at(["e"], "key")).toBe("4:3-4:6");
    expect(at(["a", "b", 0])).toBe("2:16-2:17");
    expect(at(["a", "b", 1, "c/d"])).toBe("3:14-3:17");
    expect(at(["a", "b", 1, "c/d"], "key")).toBe("3:7-3:12");
  });

  test("points at the key of what spans lines, and at what is around of what is missing", () => {
    expect(at(["a", "b"])).toBe("2:10-2:13");
    expect(at(["a", "nope", "deeper"])).toBe("2:3-2:6");
    expect(at(["nope"])).toBe("1:1-1:1");
    expect(at([])).toBe("1:1-1:1");
  });
});
