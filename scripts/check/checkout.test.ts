/** What changes of this checkout reach. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../workspace.ts";
import { checkout, testsIn } from "./checkout.ts";
import { main } from "./cli.ts";
import { usersOf } from "./graph.ts";
import { recordedLengths } from "./lengths.ts";
import { reachedTests } from "./reach.ts";

const tree = checkout();
const tests = testsIn(tree.paths);
const users = usersOf(tree);

function reached(...changed: readonly string[]): readonly string[] {
  return reachedTests(users, tests, changed).map(({ test }) => test);
}

describe("a change reaches the tests about it", () => {
  it.each([
    ["of a source", "runtime/documents/encode.ts", "runtime/documents/encode.test.ts"],
    ["of the server", "runtime/documents/encode.ts", "scripts/security/matrix.test.ts"],
    ["of a setting", "compiler/settings/cache.ts", "compiler/settings/defaults.test.ts"],
    ["of the command line", "compiler/cli/main.ts", "scripts/dev/dev.test.ts"],
    ["of a program that tests start", "scripts/crash/files/server.ts", "scripts/crash/files/files.test.ts"],
    [
      "of a golden file",
      "compiler/check/testdata/aggregate-fields/expected.txt",
      "compiler/check/golden.test.ts",
    ],
    ["of emitted output", "generated/helpdesk/realm.ts", "examples/examples.test.ts"],
    ["of an example", "examples/helpdesk/realm.yaml", "templates/openapi/examples.test.ts"],
    ["of a template", "templates/server/rules.ts", "compiler/emit.test.ts"],
    ["of a page", "docs/rules.md", "compiler/check/documentation.test.ts"],
    ["of any page", "docs/a-new-one.md", "scripts/docs/configuration.test.ts"],
    ["of a page's quotations", "docs/internals/setting.md", "scripts/internals/internals.test.ts"],
    ["of the table of rooms", "CONTRIBUTING.md", "scripts/testing/layers.test.ts"],
    ["of what is published", "package.json", "scripts/package/package.test.ts"],
    ["of continuous integration", ".ci/run", "scripts/ci/ci.test.ts"],
    ["anywhere in the product", "runtime/a-new-one.ts", "scripts/testing/layers.test.ts"],
  ])("%s", (_, changed, test) => {
    expect(reached(changed)).toContain(test);
  });

  it.each(["vitest.config.ts", "tsconfig.json", "package-lock.json", "scripts/testing/shared.setup.ts"])(
    "of %s, all tests",
    (changed) => {
      expect(reached(changed)).toHaveLength(tests.length);
    },
  );
});

it("a change of the server does not reach what has nothing to do with it", () => {
  const apart = ["runtime/filter/predicate.test.ts", "compiler/schema/validator.test.ts"];
  expect(tests).toEqual(expect.arrayContaining(apart));
  expect(reached("runtime/documents/encode.ts").filter((test) => apart.includes(test))).toEqual([]);
});

it("a change of the compiler does not reach the tests of the server", () => {
  const found = reached("compiler/settings/cache.ts").filter((test) => test.startsWith("runtime/"));
  expect(found).toEqual([]);
});

it("a change of prose reaches nothing", () => {
  expect(reached("CHANGELOG.md")).toEqual([]);
});

it("what the tables name is there", () => {
  const named = [...Object.entries(tree.unnamed).flat(2), ...Object.keys(recordedLengths())];
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

describe("the command", () => {
  async function said(...words: readonly string[]) {
    const [out, err]: [string[], string[]] = [[], []];
    const code = await main(words, { stdout: (text) => out.push(text), stderr: (text) => err.push(text) });
    return { code, out: out.join(""), err: err.join("") };
  }

  it("tells its options", async () => {
    const { code, out, err } = await said("--help");
    expect([code, err]).toEqual([0, ""]);
    for (const option of ["--since", "--all", "--dry"]) expect(out).toContain(option);
  });

  it.each([["--unknown"], ["--since"], ["runtime/documents"]])("refuses %s", async (...words) => {
    const { code, out, err } = await said(...words);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(words[0]);
  });

  it("refuses a revision that is not there", async () => {
    expect(await said("--dry", "--since", "no-such-revision")).toEqual({
      code: 2,
      out: "",
      err: "check: --since no-such-revision: there is no such commit\n",
    });
  });

  it("prints the tests that would run and why, without running them", async () => {
    const { code, out, err } = await said("--dry", "--since", "HEAD");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^check: \d+ files changed since [0-9a-f]{12}\n/);
    expect(out).toMatch(/\ncheck: \d+ test files of \d+ reached.*; \d+ not reached\n$/);
    for (const line of out.split("\n").slice(1, -2))
      expect(line).toMatch(/^(?:runs|left out) \S+\.test\.ts \([\d.]+ s\): (?:changed$|by \S)/);
  });
});
