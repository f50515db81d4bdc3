/**
 * Golden diagnostics. Every folder of `testdata` is a case: `config/` is a configuration folder, `expected.txt` what
 * `realmc check` says of it, nothing but hints for the cases `valid-…`; `only`, where it stands beside them, is the value of `--realm`, `before/` what was
 * built before.
 * `UPDATE_GOLDEN=1 npx vitest run compiler/check/golden` writes the expectations anew; read their diff.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { renderText } from "../diagnostics/render.ts";
import { catalogue } from "./catalogue.ts";
import { check } from "./testing/check.ts";

const testdata = fileURLToPath(new URL("testdata", import.meta.url));
const cases = readdirSync(testdata).sort();

describe("golden diagnostics", () => {
  test.for(cases)("%s", async (name) => {
    const found = renderText(await check(`${testdata}/${name}/config`, onlyRealm(name), before(name)), {
      terminal: false,
    });
    const file = `${testdata}/${name}/expected.txt`;
    if (process.env.UPDATE_GOLDEN !== undefined) writeFileSync(file, found);
    expect(existsSync(file), `${name}/expected.txt is missing`).toBe(true);
    expect(found).toBe(readFileSync(file, "utf8"));
  });

  test("valid configurations get no diagnostics but hints, wrong ones at least one", () => {
    const silent = cases.filter((name) => codesIn(expectedOf(name), "error|warning").length === 0);
    expect(silent).toEqual(cases.filter((name) => name.startsWith("valid-")));
  });

  test("no message is in the words of the validator of schemas", () => {
    const foreign =
      /must NOT|must be equal to one of|must be equal to constant|must match|must pass|valid by/;
    expect(cases.filter((name) => foreign.test(expectedOf(name)))).toEqual([]);
  });

  test("there are at least 80 wrong configurations", () => {
    expect(cases.filter((name) => !name.startsWith("valid-")).length).toBeGreaterThanOrEqual(80);
  });

  test("every code of the catalogue is expected of some case", () => {
    const met = new Set(cases.flatMap((name) => codesIn(expectedOf(name), "error|warning|hint")));
    const missing = Object.keys(catalogue).filter((code) => !met.has(code));
    expect(missing.sort()).toEqual(elsewhere);
  });
});

/** Codes of configurations that a repository cannot hold on every file system, which hostile.test.ts makes, or that nobody knows. */
const elsewhere = [
  "file-too-large",
  "file-unreadable",
  "internal-error",
  "name-clash",
  "secret-missing",
  "symlink-outside",
];

function onlyRealm(name: string): string | undefined {
  const file = `${testdata}/${name}/only`;
  return existsSync(file) ? readFileSync(file, "utf8").trim() : undefined;
}

function before(name: string): string | undefined {
  const folder = `${testdata}/${name}/before`;
  return existsSync(folder) ? folder : undefined;
}

/** The codes of diagnostics of these severities in what `realmc check` says. */
function codesIn(text: string, severities: string): readonly string[] {
  const head = new RegExp(`^\\S.*?:\\d+:\\d+ (?:${severities}) (\\S+) `, "gm");
  return Array.from(text.matchAll(head), ([, code = ""]) => code);
}

function expectedOf(name: string): string {
  return readFileSync(`${testdata}/${name}/expected.txt`, "utf8");
}
