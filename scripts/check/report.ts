/** What a check says about itself. */
import type { Choice } from "./choose.ts";
import type { Ended } from "./parts.ts";
import type { Reached } from "./reach.ts";

export const help = `npm run check -- [options]

Checks a change before it is committed: types, lint, stale output, and the tests that it can reach. The change is all
that was committed since the last commit in common with main (or origin/main), staged, changed or added since.
Tests run on the embedded store alone. All tests near the change run; of those farther off, as many as fit into a
minute, and the last line says how many did not: .ci/run runs all.

  --since <revision>  the change since another branch or commit
  --all               run all tests that the change can reach, those of the product too
  --dry               run nothing; print which tests would run, and how the change reaches them
  --help              print this

Exit code: 0 where all is green, 1 where something is red, 2 where nothing could be checked.
`;

/** For `--dry`: each reached test with the way to it, those that would run first. */
export function listed({ run, leftOut }: Choice, lengthOf: (test: string) => number): string {
  const line = ({ test, way }: Reached, what: string): string => {
    const through = [...way].reverse().slice(1);
    const why = through.length === 0 ? "changed" : `by ${through.join(" <- ")}`;
    return `${what} ${test} (${lengthOf(test)} s): ${why}\n`;
  };
  return [...run.map((each) => line(each, "runs")), ...leftOut.map((each) => line(each, "left out"))].join(
    "",
  );
}

/** The last line: `check: types, lint green; stale RED; 43 test files of 61 reached green, 18 left out (...); 445 not reached`. */
export function summary(ended: readonly Ended[], { run, leftOut }: Choice, all: number): string {
  const others = ended.filter(({ name }) => name !== "tests");
  const named = (isGreen: boolean): readonly string[] => {
    const names = others.filter((part) => part.isGreen === isGreen).map(({ name }) => name);
    return names.length === 0 ? [] : [`${names.join(", ")} ${isGreen ? "green" : "RED"}`];
  };
  const reached = run.length + leftOut.length;
  const tests = ended.find(({ name }) => name === "tests");
  const outcome = tests === undefined ? "" : tests.isGreen ? " green" : " RED";
  const left =
    leftOut.length === 0 ? "" : `, ${leftOut.length} left out (npm run check -- --all; .ci/run runs them)`;
  const files = `${run.length} test files of ${reached} reached${outcome}${left}`;
  return `check: ${[...named(true), ...named(false), files, `${all - reached} not reached`].join("; ")}\n`;
}
