/** What becomes of red tests in continuous integration. */
import { afterEach, beforeEach, expect, it } from "vitest";
import type { FileOutcome } from "../testing/outcome.ts";
import { Script } from "./testing/script.ts";

let script: Script;
beforeEach(() => {
  script = new Script();
});
afterEach(() => script.remove());

const green = { time: 1_000, failures: [], skipped: [] };

function file(project: string, path: string, ...names: readonly string[]): FileOutcome {
  const failures = names.map((name) => ({ name, errors: [`AssertionError: of ${name}\n    at the:line`] }));
  return { ...green, project, path: `runtime/${path}.test.ts`, failures };
}

/** Has the tests of a part fail. */
function failing(name: string, files: readonly FileOutcome[], unhandled: readonly string[] = []): void {
  script.mark(name, "fails");
  script.tells(name, files, unhandled);
}

/** Has a file be green when it is tried again. */
function greenAgain(red: FileOutcome): void {
  script.tells(again(red), [{ ...red, failures: [] }]);
}

const again = ({ project, path }: FileOutcome): string => `again ${project} ${path.replace(/^.*\//, "")}`;

const lists = file("embedded", "lists", "lists > by name", "lists > by age");
const feeds = file("mongodb", "feeds", "");

it("tries a red file once more, when all else is done, and prints how it failed before if it is green then", async () => {
  failing("test", [lists, file("embedded", "others")]);
  greenAgain(lists);
  const { code, said, text } = await script.run();
  expect(code).toBe(0);
  expect(said.slice(-4)).toEqual([
    "test:product begins, MongoDB: ",
    "test:product ends",
    "again embedded lists.test.ts begins, MongoDB: ",
    "again embedded lists.test.ts ends",
  ]);
  for (const name of ["lists > by name", "lists > by age"]) {
    expect(text).toContain(
      `\nflaky: embedded runtime/lists.test.ts > ${name}\n\nAssertionError: of ${name}\n    at the:line\n`,
    );
  }
  expect(text).toMatch(/^ {2}tests +0:\d\d {2}flaky$/m);
  expect(text).toMatch(/^flaky\n {2}embedded runtime\/lists.test.ts > lists > by name\n/m);
  expect(text).toMatch(/^red\n {2}none$/m);
});

it("tries files of MongoDB on one server, by themselves", async () => {
  failing("test:mongo", [feeds]);
  greenAgain(feeds);
  const { code, said, text } = await script.run({ MONGODB_URI: "mongodb://one mongodb://two" });
  expect(said.at(-2)).toBe("again mongodb feeds.test.ts begins, MongoDB: mongodb://one");
  expect(code).toBe(0);
  expect(text).toContain("\nflaky: mongodb runtime/feeds.test.ts\n\nAssertionError");
});

it("is red where one is red again, and tells the others from it", async () => {
  failing("test", [lists]);
  failing("test:mongo", [feeds]);
  failing(again(lists), [lists]);
  greenAgain(feeds);
  const { code, text } = await script.run();
  expect(code).toBe(1);
  expect(text).toMatch(/^flaky\n {2}mongodb runtime\/feeds.test.ts$/m);
  expect(text).toMatch(/^red\n {2}embedded runtime\/lists.test.ts > lists > by name$/m);
  expect(text).toMatch(
    /^ {2}tests +0:\d\d {2}red\n {2}tests of the product .*\n {2}tests on MongoDB +0:\d\d {2}flaky$/m,
  );
});

it.each<readonly [string, () => void]>([
  ["tells nothing", () => {}],
  [
    "skips it",
    () =>
      script.tells(again(lists), [
        { ...lists, failures: [], skipped: [{ name: "lists > by age", reason: "" }] },
      ]),
  ],
])("is red where the second attempt succeeds and %s", async (_, tell) => {
  failing("test", [lists]);
  tell();
  expect(await script.run()).toMatchObject({ code: 1 });
});

it.each<readonly [string, () => void, NodeJS.ProcessEnv]>([
  ["outside of continuous integration", () => failing("test", [lists]), { CI: "false" }],
  [
    "where an error was in no test, as that of a worker which crashed",
    () => failing("test", [lists], ["Error: crashed"]),
    {},
  ],
  ["where the tests do not say what failed", () => failing("test", [file("embedded", "lists")]), {}],
  [
    "where more than ten files are red",
    () =>
      failing(
        "test",
        Array.from({ length: 11 }, (_, at) => file("embedded", `file-${at}`, "it")),
      ),
    {},
  ],
])("tries nothing again %s", async (_, fail, environment) => {
  fail();
  const { code, text } = await script.run(environment);
  expect(code).toBe(1);
  expect(text).not.toContain("ci: again");
});

it("names what is red without a red test: a part, or an error in no test", async () => {
  script.mark("lint", "fails");
  failing("test", [], ["Error: crashed\n    at the:line"]);
  const { text } = await script.run();
  expect(text).toMatch(/^red\n {2}lint\n {2}tests: Error: crashed\n\n/m);
});

it("tries again under CI=true, and where nothing is said of it", async () => {
  failing("test", [lists]);
  greenAgain(lists);
  expect(await script.run({ CI: undefined })).toMatchObject({ code: 0 });
});

it("lists at its end the longest files, and what was skipped for which reason", async () => {
  const skipped = (name: string, reason: string) => ({ name, reason });
  script.tells("test", [
    {
      ...file("embedded", "short"),
      skipped: [skipped("in a browser", "there is none"), skipped("by hand", "by hand")],
    },
    { ...file("embedded", "long"), time: 119_600, skipped: [skipped("in another", "there is none")] },
    ...Array.from({ length: 9 }, (_, at) => ({ ...file("embedded", `file-${at}`), time: 60_000 + at })),
  ]);
  const { text } = await script.run();
  expect(text).toMatch(
    /^longest files\n {3}2:00 {2}embedded runtime\/long.test.ts\n {3}1:00 {2}embedded runtime\/file-8.test.ts\n/m,
  );
  expect(text).not.toContain("short");
  expect(text).toMatch(/^skipped\n {2}embedded: there is none \(2 tests\)\n {2}embedded: by hand$/m);
});
