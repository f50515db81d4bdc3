import { posix } from "node:path";
import type { ClauseCoverage, Coverage } from "../coverage.ts";

/**
 * Coverage in the format of lcov: each clause is a branch point of its line, with a branch for true and one for false.
 * @param prefix leads from where paths begin to the configuration
 */
export function lcovReport({ all }: Coverage, prefix: string): string {
  const files = [...new Set(all.map(({ file }) => file))];
  return files
    .map((file) =>
      record(
        posix.join(prefix, file),
        all.filter((each) => each.file === file),
      ),
    )
    .join("");
}

function record(file: string, clauses: readonly ClauseCoverage[]): string {
  const lines = [...new Set(clauses.map(({ line }) => line))].map((line) => {
    const own = clauses.filter((each) => each.line === line);
    return { line, count: Math.max(...own.map((each) => each.true + each.false)) };
  });
  const branches = clauses.flatMap((clause, at) =>
    [clause.true, clause.false].map((count, branch) => {
      const isAsked = clause.true + clause.false > 0;
      return `BRDA:${clause.line},${at},${branch},${isAsked ? count : "-"}`;
    }),
  );
  const hit = clauses.flatMap((each) => [each.true, each.false]).filter((count) => count > 0).length;
  return [
    "TN:",
    `SF:${file}`,
    ...branches,
    `BRF:${2 * clauses.length}`,
    `BRH:${hit}`,
    ...lines.map(({ line, count }) => `DA:${line},${count}`),
    `LF:${lines.length}`,
    `LH:${lines.filter(({ count }) => count > 0).length}`,
    "end_of_record",
    "",
  ].join("\n");
}
