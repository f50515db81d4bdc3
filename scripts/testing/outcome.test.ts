/** What a run of tests tells of itself, and which workers it has: a run of a few files, under the reporter. */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root } from "../workspace.ts";
import { errorText, type FileOutcome, type Outcome } from "./outcome.ts";

const config = `
import { defineConfig } from "vitest/config";
import { OutcomeReporter } from ${JSON.stringify(join(root, "scripts/testing/outcome.ts"))};
export default defineConfig({
  test: {
    pool: "forks", isolate: false, maxWorkers: 2, reporters: [new OutcomeReporter()],
    projects: [{ extends: true, test: { name: "things", include: ["*.test.ts"] } }],
  },
});`;

const files: Readonly<Record<string, string>> = {
  tests: `describe("lists", () => {
    it("by name", () => expect({ of: 1 }).toEqual({ of: 2 }));
    it("by age", () => {});
    it.skip("by hand (there are no hands)", () => {});
    it.skip("by nobody", () => {});
    it("by note", ({ skip }) => skip("there are no notes"));
  });`,
  hooks: `describe("hooks", () => {
    beforeAll(() => { throw new Error("no hook", { cause: new Error("what caused it") }); });
    it("comes after it", () => {});
  });`,
  loading: `import "./missing.ts"; it("is not there", () => {});`,
  unhandled: `it("leaves something", () => { Promise.reject(new Error("nobody's")); });`,
};

/** Ends when a file that began after it runs, too: at any time two of them run. */
const paired = 6;
const pair = `
import { appendFileSync, readFileSync } from "node:fs";
import { untilHolds } from ${JSON.stringify(join(root, "runtime/testing/until.ts"))};
const begun = () => readFileSync("workers", "utf8").split("\\n").filter((line) => line.startsWith("begin "));
it("runs beside another", async () => {
  const line = "begin " + process.env["VITEST_POOL_ID"] + " " + import.meta.filename;
  appendFileSync("workers", line + "\\n");
  const at = begun().indexOf(line) + 1;
  await untilHolds(() => at === ${paired} || begun().length > at);
  appendFileSync("workers", "end " + process.env["VITEST_POOL_ID"] + "\\n");
}, 120_000);`;

let folder: string;
let outcome: Outcome;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "realmc-outcome-"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "vitest.config.mts"), config);
  const pairs = Array.from({ length: paired }, (_, at) => [`pair-${at}`, pair]);
  for (const [name, text] of [...Object.entries(files), ...pairs]) {
    const imports = 'import { beforeAll, describe, expect, it } from "vitest";\n';
    writeFileSync(join(folder, `${name}.test.ts`), imports + text);
  }
  const environment = Object.entries(process.env).filter(([name]) => !/^(?:TEST|VITEST.*)$/.test(name));
  const env = { ...Object.fromEntries(environment), REALMC_OUTCOME: join(folder, "outcome.json") };
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const ended = promisify(execFile)(process.execPath, [vitest, "run"], { cwd: folder, env });
  await expect(ended).rejects.toMatchObject({ code: 1 });
  outcome = JSON.parse(readFileSync(join(folder, "outcome.json"), "utf8"));
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(name: string): FileOutcome {
  const found = outcome.files.find(({ path }) => path === `${name}.test.ts`);
  if (found === undefined) throw new Error(`nothing is told of ${name}`);
  return found;
}

describe("the outcome of a run", () => {
  it("has each file, with the time that a worker was busy with it", () => {
    expect(outcome.files).toHaveLength(Object.keys(files).length + paired);
    expect(outcome.files.filter(({ project, time }) => project !== "things" || !(time > 0))).toEqual([]);
  });

  it("names a red test with its error in full, and no other", () => {
    expect(fileOf("tests").failures).toEqual([{ name: "lists > by name", errors: [expect.any(String)] }]);
    const [error] = fileOf("tests").failures[0]?.errors ?? [];
    expect(error).toMatch(
      /^AssertionError: expected .* to deeply equal .*\n[\s\S]*tests\.test\.ts:[\s\S]*-\s+"of": 2,\n\+\s+"of": 1,/,
    );
  });

  it("names a suite whose hook failed, with what caused that", () => {
    const [failure, ...others] = fileOf("hooks").failures;
    expect({ name: failure?.name, others }).toEqual({ name: "hooks", others: [] });
    expect(failure?.errors.join()).toMatch(/^Error: no hook\n[\s\S]*caused by: Error: what caused it\n/);
  });

  it("names a file that cannot be loaded", () => {
    expect(fileOf("loading").failures).toEqual([
      { name: "", errors: [expect.stringContaining("missing.ts")] },
    ]);
  });

  it("has errors that are in no test", () => {
    expect(fileOf("unhandled").failures).toEqual([]);
    expect(outcome.unhandled).toEqual([expect.stringMatching(/^Error: nobody's\n/)]);
  });

  it("says why tests were skipped, by what was noted, by the end of their titles, or by these", () => {
    expect(fileOf("tests").skipped).toEqual([
      { name: "lists > by hand (there are no hands)", reason: "there are no hands" },
      { name: "lists > by nobody", reason: "lists > by nobody" },
      { name: "lists > by note", reason: "there are no notes" },
    ]);
  });
});

it("workers that run at the same time have numbers of their own, from 1 to how many there are", () => {
  const active: string[] = [];
  let most = 0;
  for (const line of readFileSync(join(folder, "workers"), "utf8").trimEnd().split("\n")) {
    const [what, worker = ""] = line.split(" ");
    if (what === "begin") {
      expect(active).not.toContain(worker);
      active.push(worker);
    } else active.splice(active.indexOf(worker), 1);
    expect(["1", "2"]).toContain(worker);
    most = Math.max(most, active.length);
  }
  expect(most).toBe(2);
});

it("an error without a stack is its message", () => {
  expect(errorText({ name: "TypeError", message: "of what?" })).toBe("TypeError: of what?");
});
