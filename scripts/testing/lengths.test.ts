import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../workspace.ts";
import { merged, recordedLengths } from "./lengths.ts";

it("each file that is recorded is there", () => {
  const paths = Object.values(recordedLengths()).flatMap((files) => Object.keys(files));
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  expect(paths.length).toBeGreaterThan(20);
});

it("a record replaces those of the files that were run, the longest first, and leaves out short ones", () => {
  const known = { embedded: { a: 30, b: 20, c: 10 }, product: { d: 60 } };
  const lengths = merged(known, { embedded: { b: 1, c: 40, e: 5 }, mongodb: { a: 7 } });
  expect(JSON.stringify(lengths)).toBe(
    JSON.stringify({ embedded: { c: 40, a: 30, e: 5 }, mongodb: { a: 7 }, product: { d: 60 } }),
  );
});
