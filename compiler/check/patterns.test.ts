import { describe, expect, test } from "vitest";
import { patternProblem } from "../model/pattern-problem.ts";
import { type PlacedPattern, slowPatterns } from "./patterns.ts";

const span = { file: "a.json", line: 1, column: 1, endLine: 1, endColumn: 2 };

async function problems(pattern: string, further: Partial<PlacedPattern> = {}): Promise<string[]> {
  return (await slowPatterns([{ pattern, span, of: "value", ...further }])).map(
    ({ severity, message }) => `${severity} ${message.replace(/, for example.*/s, "")}`,
  );
}

describe("slow patterns", () => {
  test.each([
    "^(a+)+$",
    "^(a|a)*b$",
    "^([a-z]+)*$",
    "^a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa$",
  ])("%s takes exponential time", async (pattern) => {
    expect(await problems(pattern)).toEqual(["error this pattern can take exponential time"]);
  });

  test("repetitions without groups that are bounded, and many", async () => {
    expect(await problems("^\\w{1,500}\\w{1,500}\\w{1,500}x$")).toEqual([
      "error this pattern can take polynomial time",
    ]);
  });

  test("\\s+$ takes quadratic time, which does not matter for ids; more than that does", async () => {
    expect(await problems("\\s+$")).toEqual(["error this pattern can take quadratic time"]);
    expect(await problems("\\s+$", { of: "id" })).toEqual([]);
    expect(await problems("^(.*a){5}$", { of: "id" })).toEqual([
      "error this pattern can take polynomial time",
    ]);
  });

  test("accepted ones are not slow: they are matched otherwise, where their length is bounded", async () => {
    expect(await problems("^(a+)+$", { accepted: { maxLength: 256 } })).toEqual([]);
    expect(await problems("^(a+)+$", { accepted: { maxLength: undefined } })).toEqual([
      "error this pattern can take exponential time",
    ]);
    expect(await problems("^(a+)+\\1$", { accepted: { maxLength: 256 } })).toEqual([
      "error this pattern cannot be accepted: it refers back to what a group matched",
    ]);
  });

  test.each(["^[a-z0-9-]+$", "^[a-z]+(-[a-z]+)*$", "^\\p{L}{1,40}$", "abc", "^\\+[0-9]{6,15}$"])(
    "%s is fine",
    async (pattern) => {
      expect(await problems(pattern)).toEqual([]);
    },
  );

  test("what does not compile is another check's", async () => {
    expect(await problems("(a+")).toEqual([]);
  });
});

describe("patterns that do not compile", () => {
  test("are explained without the pattern", () => {
    expect(patternProblem("^[a-z")).toBe("unterminated character class");
    expect(patternProblem("a\\-b")).toBe("invalid escape");
    expect(patternProblem("(?<a>x)(?<a>y)")).toBe("duplicate capture group name");
    expect(patternProblem("^[a-z]+$")).toBeUndefined();
  });
});
