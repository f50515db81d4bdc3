import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../workspace.ts";
import { waitsIn } from "./waits.ts";

/** What is tests, or there for them alone. */
const isForTests = (path: string) => path.endsWith(".test.ts") || /\/testing\//.test(path);

it("no test waits with a limit of a second, without any, or for time to pass", () => {
  const paths = ["compiler", "runtime", "templates", "examples", "scripts"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) => `${folder}/${path}`),
  );
  const tests = paths.filter(
    (path) => path.endsWith(".ts") && isForTests(path) && !/node_modules|testing\/waits\./.test(path),
  );
  expect(tests.flatMap((path) => waitsIn(path, readFileSync(join(root, path), "utf8")))).toEqual([]);
});

it.each([
  "await vi.waitFor(() => expect(jobs).toEqual([]));",
  "await vi\n  .waitFor(check);",
  "await vi.waitUntil(isDone);",
  "while (!isDone()) await new Promise((go) => setTimeout(go, 5));",
  "while (!isDone())\n  await new Promise((go) => setTimeout(go, 5));",
  "while (!(await isDone())) await sleep(5);",
  "expect(performance.now() - began).toBeLessThan(500);",
])("it is found: %j", (line) => {
  expect(waitsIn("a.test.ts", `const before = 1;\n${line}\n`)).toEqual([
    expect.stringMatching(/^a\.test\.ts:2: /),
  ]);
});

it("what is told is not: a promise, the helper, a single pause", () => {
  const line =
    "await until(() => expect(jobs).toEqual([]));\nawait once(child, 'close');\nawait setTimeout(5);\n";
  expect(waitsIn("a.test.ts", line)).toEqual([]);
});
