import { describe, expect, test } from "vitest";
import { patternProblem, slowPatterns } from "./patterns.ts";

const span = { file: "a.json", line: 1, column: 1, endLine: 1, endColumn: 2 };

async function warnings(pattern: string, short = false): Promise<string[]> {
  return (await slowPatterns([{ pattern, span, short }])).map(({ message }) =>
    message.replace(/, for example.*/s, ""),
  );
}

describe("slow patterns", () => {
  test.each(["^(a+)+$", "^(a|a)*b$", "^([a-z]+)*$"])("%s takes exponential time", async (pattern) => {
    expect(await warnings(pattern)).toEqual(["this pattern can take exponential time"]);
  });

  test("\\s+$ takes quadratic time, which does not matter for ids", async () => {
    expect(await warnings("\\s+$")).toEqual(["this pattern can take quadratic time"]);
    expect(await warnings("\\s+$", true)).toEqual([]);
  });

  test.each(["^[a-z0-9-]+$", "^[a-z]+(-[a-z]+)*$", "^\\p{L}{1,40}$", "abc", "^\\+[0-9]{6,15}$"])(
    "%s is fine",
    async (pattern) => {
      expect(await warnings(pattern)).toEqual([]);
    },
  );

  test("what does not compile is another check's", async () => {
    expect(await warnings("(a+")).toEqual([]);
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
