/** Reach over small trees that are made up, by the texts of their files. */
import { describe, expect, it } from "vitest";
import { usersOf } from "./graph.ts";
import { neighbours, reachedTests } from "./reach.ts";

interface Made {
  readonly files: Readonly<Record<string, string>>;
  readonly unnamed?: Readonly<Record<string, readonly string[]>>;
}

function reached({ files, unnamed = {} }: Made, ...changed: readonly string[]): readonly string[] {
  const paths = Object.keys(files);
  const textOf = (path: string): string => files[path] ?? "";
  const users = usersOf({ paths, textOf, aliases: { "realmc/runtime": "runtime/entry.ts" }, unnamed });
  const tests = paths.filter((path) => path.endsWith(".test.ts"));
  return reachedTests(users, tests, changed).map(({ distance, way }) => `${distance}: ${way.join(" > ")}`);
}

describe("imports", () => {
  const files = {
    "runtime/a.ts": "",
    "runtime/b.ts": 'import { a } from "./a.ts";\n',
    "runtime/entry.ts": 'export { b } from "./b.ts";\n',
    "runtime/a.test.ts": 'import { a } from "./a.ts";\n',
    "runtime/b.test.ts": 'test(async () => (await import("./b.ts")).b);\n',
    "runtime/types.test.ts": 'import type { A } from "./a.ts";\n',
    "runtime/other.test.ts": "",
    "generated/shop.ts": 'import { b } from "realmc/runtime";\n',
    "scripts/shop.test.ts": 'import { shop } from "../generated/shop.ts";\n',
  };

  it("a change reaches the tests that load it, directly or by others, the nearest first", () => {
    expect(reached({ files }, "runtime/a.ts")).toEqual([
      "1: runtime/a.ts > runtime/a.test.ts",
      "2: runtime/a.ts > runtime/b.ts > runtime/b.test.ts",
      "4: runtime/a.ts > runtime/b.ts > runtime/entry.ts > generated/shop.ts > scripts/shop.test.ts",
    ]);
  });

  it("a changed test reaches itself", () => {
    expect(reached({ files }, "runtime/other.test.ts")).toEqual(["0: runtime/other.test.ts"]);
  });

  it("what is deleted reaches those that still import it", () => {
    const { "runtime/a.ts": _, ...left } = files;
    expect(reached({ files: left }, "runtime/a.ts")).toHaveLength(3);
  });

  it("modules that import each other are followed once", () => {
    const circle = {
      "runtime/one.ts": 'import "./two.ts";\n',
      "runtime/two.ts": 'import "./one.ts";\n',
      "runtime/one.test.ts": 'import "./one.ts";\n',
    };
    expect(reached({ files: circle }, "runtime/two.ts")).toEqual([
      "2: runtime/two.ts > runtime/one.ts > runtime/one.test.ts",
    ]);
  });
});

describe("files that are read", () => {
  it("a program that a test runs in a process of its own reaches it", () => {
    const files = {
      "scripts/server.ts": "",
      "scripts/server.test.ts": 'const program = await programOf("scripts/server.ts");',
    };
    expect(reached({ files }, "scripts/server.ts")).toHaveLength(1);
  });

  it.each([
    ["a file beside it", 'new URL("./testdata/one.golden", import.meta.url)'],
    ["a folder beside it", 'new URL("testdata", import.meta.url)'],
    ["a file whose name is put together", `new URL(\`./testdata/\${name}.golden\`, import.meta.url)`],
    ["a file below its own folder", "new URL(name, import.meta.url)"],
    ["a file from the root", 'join(root, "compiler/testdata/one.golden")'],
    ["a folder from the root", 'join(packageRoot, "compiler", "testdata", name)'],
    ["a file from the root, in a template", `\`\${root}compiler/testdata/\${name}.golden\``],
  ])("a test reads %s", (_, read) => {
    const files = {
      "compiler/testdata/one.golden": "",
      "compiler/read.test.ts": `const text = readFileSync(${read});`,
      "compiler/other.test.ts": "",
    };
    const tests = reached({ files }, "compiler/testdata/one.golden");
    expect(tests.map((way) => way.replace(/^\d: /, ""))).toEqual([
      "compiler/testdata/one.golden > compiler/read.test.ts",
    ]);
  });

  it("who reads a folder is as far away as the change lies deep in it", () => {
    const files = {
      "pages/a.md": "",
      "pages/internals/b.md": "",
      "scripts/docs.test.ts": 'readdirSync(join(root, "pages"))',
    };
    expect(reached({ files }, "pages/a.md")).toEqual(["1: pages/a.md > scripts/docs.test.ts"]);
    expect(reached({ files }, "pages/internals/b.md")).toEqual([
      "2: pages/internals/b.md > scripts/docs.test.ts",
    ]);
  });

  it("a file that no source names belongs to the tests in the nearest folder with any", () => {
    const files = {
      "compiler/check/testdata/wrong/expected.txt": "",
      "compiler/check/testdata/wrong/handler.ts": 'import "./other.ts";\n',
      "compiler/check/golden.test.ts": "",
      "compiler/check/deep/other.test.ts": "",
      "compiler/compiler.test.ts": "",
    };
    for (const name of ["expected.txt", "handler.ts"])
      expect(reached({ files }, `compiler/check/testdata/wrong/${name}`)).toEqual([
        `1: compiler/check/testdata/wrong/${name} > compiler/check/golden.test.ts`,
      ]);
  });

  it("a source that walks through a folder, or loads what it made, reads what the table says", () => {
    const files = {
      "runtime/entry.ts": "",
      "scripts/walk.ts": "",
      "scripts/walk.test.ts": 'import { walk } from "./walk.ts";\n',
    };
    const unnamed = { "scripts/walk.ts": ["runtime"] };
    expect(reached({ files, unnamed }, "runtime/entry.ts")).toEqual([
      "2: runtime/entry.ts > scripts/walk.ts > scripts/walk.test.ts",
    ]);
  });

  it("a test that is only named in a list is nobody's", () => {
    const files = { "runtime/a.test.ts": "", "scripts/list.test.ts": 'const long = ["runtime/a.test.ts"];' };
    expect(reached({ files }, "runtime/a.test.ts")).toEqual(["0: runtime/a.test.ts"]);
  });
});

describe("what is loaded around every test", () => {
  const files = {
    "vitest.config.ts": 'import "./scripts/order.ts";\nimport "./runtime/faults.ts";\n',
    "scripts/order.ts": "",
    "runtime/faults.ts": "",
    "runtime/faults.test.ts": 'import "./faults.ts";\n',
    "runtime/other.test.ts": "",
  };

  it("reaches every test, farther than what loads a change itself", () => {
    expect(reached({ files }, "scripts/order.ts")).toEqual([
      "21: scripts/order.ts > vitest.config.ts > runtime/faults.test.ts",
      "21: scripts/order.ts > vitest.config.ts > runtime/other.test.ts",
    ]);
    expect(reached({ files }, "vitest.config.ts")).toHaveLength(2);
  });

  it("of the product reaches the tests of its own alone", () => {
    expect(reached({ files }, "runtime/faults.ts")).toEqual([
      "1: runtime/faults.ts > runtime/faults.test.ts",
    ]);
  });
});

describe("neighbours", () => {
  const tests = [
    "runtime/shelves/list.test.ts",
    "runtime/shelves/query/where.test.ts",
    "runtime/faults.test.ts",
    "runtime/wire/server.test.ts",
  ];

  it.each([
    ["runtime/shelves/entrance.ts", tests.slice(0, 2)],
    ["runtime/shelves/query/where.ts", tests.slice(1, 2)],
    ["runtime/shelves/writes/create.ts", tests.slice(0, 2)],
    ["runtime/faults.ts", tests.slice(2, 3)],
    ["compiler/press.ts", []],
  ])("of %s", (changed, expected) => {
    expect([...neighbours(tests, [changed])]).toEqual(expected);
  });
});
