import { describe, expect, it } from "vitest";
import { budget, chosen, quick } from "./choose.ts";
import type { Reached } from "./reach.ts";
import { summary } from "./report.ts";

const changed = "runtime/documents/changed.ts";

function reached(test: string, distance: number): Reached {
  return { test, distance, way: distance === 0 ? [test] : [changed, test] };
}

/** Names of the tests that run, and of those that do not. */
function choice(
  tests: readonly Reached[],
  lengths: Readonly<Record<string, number>>,
  {
    beside = [],
    product = [],
  }: { readonly beside?: readonly string[]; readonly product?: readonly string[] } = {},
) {
  const { run, leftOut } = chosen(tests, new Set(beside), {
    lengthOf: (test) => lengths[test] ?? 1,
    isProduct: (test) => product.includes(test),
  });
  return { run: run.map(({ test }) => test), leftOut: leftOut.map(({ test }) => test) };
}

describe("which of the reached tests run", () => {
  it("all that are near, however long they take", () => {
    const tests = [reached("a", 0), reached("b", 1), reached("c", 6), reached("d", 6)];
    const lengths = { a: budget, b: budget, c: budget, d: budget };
    expect(choice(tests, lengths, { beside: ["c", "elsewhere"] })).toEqual({
      run: ["a", "b", "c"],
      leftOut: ["d"],
    });
  });

  it("of the others those of the same part first, then the nearest, then the shortest, while they fit", () => {
    const tests = [
      reached("scripts/security/near.test.ts", 2),
      reached("runtime/documents/far.test.ts", 9),
      reached("runtime/auth/long.test.ts", 3),
      reached("runtime/auth/short.test.ts", 3),
    ];
    const quarter = budget / 4;
    const lengths = {
      "scripts/security/near.test.ts": quarter,
      "runtime/documents/far.test.ts": quarter,
      "runtime/auth/long.test.ts": 3 * quarter,
      "runtime/auth/short.test.ts": quarter,
    };
    expect(choice(tests, lengths)).toEqual({
      run: ["runtime/documents/far.test.ts", "scripts/security/near.test.ts", "runtime/auth/short.test.ts"],
      leftOut: ["runtime/auth/long.test.ts"],
    });
  });

  it("what holds the code as a whole, if it is quick", () => {
    const tests = [
      reached("runtime/documents/all.test.ts", 1),
      reached("scripts/testing/quick.test.ts", 9),
      reached("scripts/testing/slow.test.ts", 9),
    ];
    const lengths = {
      "runtime/documents/all.test.ts": budget,
      "scripts/testing/quick.test.ts": quick,
      "scripts/testing/slow.test.ts": quick + 1,
    };
    expect(choice(tests, lengths)).toEqual({
      run: ["runtime/documents/all.test.ts", "scripts/testing/quick.test.ts"],
      leftOut: ["scripts/testing/slow.test.ts"],
    });
  });

  it("what tries the product where it changed itself alone", () => {
    const product = ["a", "b", "c"];
    const tests = [reached("a", 0), reached("b", 1), reached("c", 4)];
    expect(choice(tests, {}, { product, beside: ["c"] })).toEqual({ run: ["a"], leftOut: ["b", "c"] });
  });
});

describe("the last line", () => {
  const parts = (red: string) =>
    ["types", "lint", "stale", "tests"].map((name) => ({ name, isGreen: name !== red }));
  const tests = { run: [reached("a", 1), reached("b", 1)], leftOut: [reached("c", 9)] };

  it("says what is green, how many tests were left out and who runs them, how many are not reached", () => {
    expect(summary(parts(""), tests, 10)).toBe(
      "check: types, lint, stale green; 2 test files of 3 reached green, 1 left out (npm run check -- --all; .ci/run runs them); 7 not reached\n",
    );
  });

  it.each([
    ["lint", "check: types, stale green; lint RED; 2 test files of 3 reached green"],
    ["tests", "check: types, lint, stale green; 2 test files of 3 reached RED"],
  ])("says that %s is red", (red, expected) => {
    expect(summary(parts(red), tests, 10)).toContain(expected);
  });

  it("leaves nothing unsaid where all ran", () => {
    expect(summary(parts(""), { ...tests, leftOut: [] }, 2)).toMatch(
      /; 2 test files of 2 reached green; 0 not reached\n$/,
    );
  });
});
