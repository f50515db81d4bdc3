/**
 * Every folder of `testdata` is a case: `config/` is a wrong configuration, `expected.txt` what the compiler says of it.
 * `UPDATE_GOLDEN=1 npx vitest run compiler/check/golden` writes the expectations anew; read their diff.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { chapters } from "../diagnostics/catalogue.ts";
import { renderText } from "../diagnostics/render.ts";
import { sorted } from "../diagnostics/sort.ts";
import { compileRules } from "../rules/rules.ts";
import { checkRealm, loadRealms } from "./analyze.ts";

const testdata = fileURLToPath(new URL("testdata", import.meta.url));
const cases = readdirSync(testdata).sort();

test("there are at least 60 wrong configurations", () => {
  expect(cases.length).toBeGreaterThanOrEqual(60);
});

test("every code is shown by a case, or tested where a file system is needed", () => {
  const { Rules: _, ...front } = chapters;
  const shown = new Set(
    cases.flatMap((name) => {
      const text = readFileSync(`${testdata}/${name}/expected.txt`, "utf8");
      return [...text.matchAll(/^\S.*?:\d+:\d+ (?:error|warning) (\S+)/gm)].map((match) => match[1] ?? "");
    }),
  );
  const codes = Object.values(front).flatMap((chapter) => Object.keys(chapter));
  expect(codes.filter((code) => !shown.has(code)).sort()).toEqual([
    "file-encoding",
    "file-too-large",
    "file-unreadable",
    "folder-unreadable",
    "name-clash",
    "nested-too-deep",
    "symlink-outside",
    "unknown-realm",
  ]);
});

describe("golden diagnostics", () => {
  for (const name of cases) {
    test(name, async () => {
      const found = await diagnose(`${testdata}/${name}/config`);
      const file = `${testdata}/${name}/expected.txt`;
      if (process.env.UPDATE_GOLDEN !== undefined) writeFileSync(file, found);
      expect(existsSync(file), `${name}/expected.txt is missing`).toBe(true);
      expect(found).toBe(readFileSync(file, "utf8"));
      expect(found, "a case must hold a mistake").not.toBe("");
    });
  }
});

async function diagnose(folder: string): Promise<string> {
  const { value, diagnostics } = await loadRealms(folder);
  const later = value.flatMap((realm) => {
    const rules = compileRules(realm);
    return [...rules.diagnostics, ...checkRealm(realm, rules)];
  });
  return renderText(sorted([...diagnostics, ...later]), { terminal: false });
}
