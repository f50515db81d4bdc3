/** docs/security.md names tests and sources; all of them are there. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { titlesIn } from "../specification/titles.ts";
import { root } from "../workspace.ts";

const text = readFileSync(join(root, "docs/security.md"), "utf8");

/** A file of tests and the title of one. */
const named = [...text.matchAll(/`([\w./-]+\.test\.ts)` \*([^*]+)\*/g)].map(([, path = "", title = ""]) => ({
  path,
  title,
}));

it("every row of the OWASP table names tests", () => {
  const rows = text.split("\n").filter((line) => /^\| API\d+ /.test(line));
  expect(rows.map((row) => /^\| (API\d+) /.exec(row)?.[1])).toEqual(
    Array.from({ length: 10 }, (_, at) => `API${at + 1}`),
  );
  for (const row of rows) {
    const cells = row.split(" | ");
    expect(cells).toHaveLength(3);
    // All of the last cell is made of them.
    expect(cells[2]?.replaceAll(/`[\w./-]+\.test\.ts` \*[^*]+\*(?:<br>)?/g, "").trim()).toBe("|");
  }
});

it("every test that is named exists", () => {
  expect(named.length).toBeGreaterThan(30);
  const paths = [...new Set(named.map(({ path }) => path))].filter((path) => existsSync(join(root, path)));
  const titles = new Map(paths.map((path) => [path, titlesIn(path)] as const));
  const missing = named.filter(({ path, title }) => titles.get(path)?.includes(title) !== true);
  expect(missing).toEqual([]);
});

it("every source that is named exists", () => {
  const paths = [...text.matchAll(/`((?:runtime|compiler|scripts)\/[\w./-]+)`/g)].map(
    ([, path = ""]) => path,
  );
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
