/** The matrix as JSON, a line for each cell: a file to be committed, whose diff shows who gains. */
import type { Cell } from "../cells.ts";
import type { Matrix } from "../matrix.ts";

/** `{"realms": {<realm>: {<db/coll>: {<row>: {<column>: {"cell", "condition"}}}}}}`. */
export function renderMatrixJson({ realms }: Matrix): string {
  const rows = nested(realms, 2, (collections) =>
    nested(collections, 3, (matrix) => nested(matrix, 4, (cells) => nested(cells, 5, cellJson))),
  );
  return `{\n  "realms": ${rows}\n}`;
}

function cellJson({ cell, condition }: Cell): string {
  return `{ "cell": ${JSON.stringify(cell)}, "condition": ${JSON.stringify(condition)} }`;
}

/** @param depth of its members */
function nested<T>(
  members: Readonly<Record<string, T>>,
  depth: number,
  inner: (member: T) => string,
): string {
  const lines = Object.entries(members).map(
    ([name, member]) => `${"  ".repeat(depth)}${JSON.stringify(name)}: ${inner(member)}`,
  );
  return lines.length === 0 ? "{}" : `{\n${lines.join(",\n")}\n${"  ".repeat(depth - 1)}}`;
}
