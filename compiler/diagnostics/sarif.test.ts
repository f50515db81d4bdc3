import sarifSchema from "@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json" with { type: "json" };
import Draft04 from "ajv-draft-04";
import formats from "ajv-formats";
import type { Log } from "sarif";
import { describe, expect, test } from "vitest";
import { catalogue } from "../check/catalogue.ts";
import type { Diagnostic } from "./diagnostic.ts";
import { renderSarif } from "./sarif.ts";

// One of its patterns is none under the flag `u`.
const ajv = new Draft04.default({ strict: false, allErrors: true, unicodeRegExp: false });
formats.default(ajv);
const isValid = ajv.compile(sarifSchema);

const span = { file: "shop/realm.yaml", line: 2, column: 1, endLine: 3, endColumn: 7 };
const unknown: Diagnostic = {
  code: "unknown-key",
  severity: "error",
  message: "there is no key 'sinup' here",
  hint: "did you mean 'signup'?",
  span,
};

function logOf(...diagnostics: readonly Diagnostic[]): Log {
  const text = renderSarif(diagnostics, { version: "1.2.3", base: "The configuration folder.", catalogue });
  return JSON.parse(text);
}

function problemsOf(log: unknown): unknown {
  return isValid(log) ? [] : isValid.errors;
}

describe("a SARIF log", () => {
  test("is valid against the schema of SARIF 2.1.0, with every code and with none", () => {
    const every = Object.keys(catalogue).map((code) => ({ ...unknown, code }));
    expect(problemsOf(logOf(...every))).toEqual([]);
    expect(problemsOf(logOf())).toEqual([]);
    const wrong = logOf(unknown);
    expect(isValid({ ...wrong, version: "2.0.0" })).toBe(false);
  });

  test("has a rule with help for each code met, once, in order", () => {
    const log = logOf(unknown, { ...unknown, code: "cache-clock" }, unknown);
    const rules = log.runs[0]?.tool.driver.rules ?? [];
    expect(rules.map(({ id }) => id)).toEqual(["cache-clock", "unknown-key"]);
    expect(log.runs[0]?.results?.map(({ ruleIndex }) => ruleIndex)).toEqual([1, 0, 1]);
    const { summary, explanation } = catalogue["unknown-key"] ?? {};
    expect(rules[1]).toMatchObject({
      shortDescription: { text: summary },
      fullDescription: { text: explanation },
      defaultConfiguration: { level: "error" },
    });
    expect(rules[1]?.help?.text).toContain("softdelete: true");
    expect(rules[1]?.help?.markdown).toContain("```yaml\nsoftdelete: true\n```");
  });

  test("has regions, related places and the hint", () => {
    const related = [{ message: "it stands here first", span: { ...span, line: 1 } }];
    const warning: Diagnostic = { ...unknown, severity: "warning", related };
    expect(logOf(warning).runs[0]?.results).toEqual([
      {
        ruleId: "unknown-key",
        ruleIndex: 0,
        level: "warning",
        message: { text: "there is no key 'sinup' here (did you mean 'signup'?)" },
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: "shop/realm.yaml", uriBaseId: "SRCROOT" },
              region: { startLine: 2, startColumn: 1, endLine: 3, endColumn: 7 },
            },
          },
        ],
        relatedLocations: [
          {
            id: 0,
            message: { text: "it stands here first" },
            physicalLocation: {
              artifactLocation: { uri: "shop/realm.yaml", uriBaseId: "SRCROOT" },
              region: { startLine: 1, startColumn: 1, endLine: 3, endColumn: 7 },
            },
          },
        ],
      },
    ]);
  });

  test("hints are notes: in results, and in the rule of a code that hints", () => {
    const log = logOf({ ...unknown, code: "index-advised", severity: "hint" });
    expect(log.runs[0]?.results?.[0]?.level).toBe("note");
    expect(log.runs[0]?.tool.driver.rules?.[0]).toMatchObject({
      defaultConfiguration: { level: "note" },
      properties: { "problem.severity": "recommendation" },
    });
    expect(problemsOf(log)).toEqual([]);
  });

  test("names files by relative URIs, from a base that it describes and does not locate", () => {
    const log = logOf({ ...unknown, span: { ...span, file: "Help Desk/50%#?:ü.yaml" } });
    const place = log.runs[0]?.results?.[0]?.locations?.[0]?.physicalLocation;
    expect(place?.artifactLocation?.uri).toBe("Help%20Desk/50%25%23%3F%3A%C3%BC.yaml");
    expect(log.runs[0]?.originalUriBaseIds).toEqual({
      SRCROOT: { description: { text: "The configuration folder." } },
    });
    expect(problemsOf(log)).toEqual([]);
  });
});
