/** What `docs/editors.md` and `docs/ci.md` tell people to paste. */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { catalogue } from "../../compiler/check/catalogue.ts";
import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.ts";
import { renderJson, renderText } from "../../compiler/diagnostics/render.ts";
import { realmc } from "../command-line.ts";
import { root, withWorkspace } from "../workspace.ts";

function page(name: string): string {
  return readFileSync(`${root}docs/${name}.md`, "utf8");
}

function blocks(text: string, language: string): readonly string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(
    ([, block = ""]) => block,
  );
}

const diagnostics: readonly Diagnostic[] = [
  {
    code: "unknown-key",
    severity: "error",
    message: "there is no key 'sinup' here",
    hint: "did you mean 'signup'?",
    span: { file: "shop/realm.yaml", line: 2, column: 1, endLine: 2, endColumn: 6 },
  },
  {
    code: "index-missing",
    severity: "warning",
    message: "no index",
    span: { file: "shop/db/things/collection.yaml", line: 1, column: 10, endLine: 1, endColumn: 40 },
  },
  {
    code: "index-advised",
    severity: "hint",
    message: "no index",
    span: { file: "shop/db/things/collection.yaml", line: 2, column: 3, endLine: 2, endColumn: 9 },
  },
];

describe("docs/editors.md", () => {
  const [settings = "", tasks = ""] = blocks(page("editors"), "json");

  test("has the settings that realmc init writes", () => {
    const template = readFileSync(`${root}compiler/init/template/dot-vscode/settings.json`, "utf8");
    expect(JSON.parse(template)).toMatchObject(JSON.parse(settings));
  });

  test("has a problem matcher that reads what realmc check prints", () => {
    const { pattern } = JSON.parse(tasks).tasks[0].problemMatcher;
    const lines = renderText(diagnostics, { terminal: false }).split("\n");
    const found = lines.flatMap((line) => {
      const match = new RegExp(pattern.regexp).exec(line);
      return match === null
        ? []
        : [[match[pattern.file], match[pattern.line], match[pattern.severity], match[pattern.code]]];
    });
    expect(found).toEqual([
      ["shop/realm.yaml", "2", "error", "unknown-key"],
      ["shop/db/things/collection.yaml", "1", "warning", "index-missing"],
      ["shop/db/things/collection.yaml", "2", "hint", "index-advised"],
    ]);
  });
});

describe("docs/ci.md", () => {
  const text = page("ci");

  test("has pipelines that parse, and commands of realmc that exist", () => {
    const pipelines = blocks(text, "yaml");
    expect(pipelines.length).toBe(4);
    for (const pipeline of pipelines) expect(parse(pipeline)).toBeTypeOf("object");
    const commands = new Set([...text.matchAll(/npx realmc ([a-z]+)/g)].map(([, command = ""]) => command));
    const { stdout } = spawnSync(process.execPath, [realmc, "--help"], { encoding: "utf8" });
    for (const command of commands) expect(stdout).toMatch(new RegExp(`^ {2}${command} `, "m"));
  });

  test("makes GitLab's report of code quality", async () => {
    const [script = ""] = blocks(text, "js");
    const report = await withWorkspace((folder) => {
      writeFileSync(join(folder, "code-quality.mjs"), script);
      const run = spawnSync(process.execPath, [join(folder, "code-quality.mjs")], {
        input: renderJson(diagnostics),
        encoding: "utf8",
      });
      return JSON.parse(run.stdout);
    });
    expect(report).toEqual([
      {
        check_name: "unknown-key",
        description: "there is no key 'sinup' here (did you mean 'signup'?)",
        severity: "major",
        fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
        location: { path: "shop/realm.yaml", lines: { begin: 2 } },
      },
      expect.objectContaining({ check_name: "index-missing", description: "no index", severity: "minor" }),
      expect.objectContaining({ check_name: "index-advised", severity: "info" }),
    ]);
    expect(report[0].fingerprint).not.toBe(report[1].fingerprint);
    expect(Object.keys(catalogue)).toEqual(expect.arrayContaining(["unknown-key", "index-missing"]));
  });
});
