/** Diagnostics as a SARIF 2.1.0 log, which code scanning, editors and viewers of results read. */
import type { Location, Log, PhysicalLocation, ReportingDescriptor, Result } from "sarif";
import type { Codes } from "./diagnose.ts";
import type { Diagnostic, Severity, Span } from "./diagnostic.ts";
import { markdownPage, textPage } from "./page.ts";

export interface SarifOptions {
  /** Of the compiler. */
  readonly version: string;
  /** The folder that the files are named from, in words: a log holds no path of the machine that wrote it. */
  readonly base: string;
  /** All codes that there are. */
  readonly catalogue: Codes;
}

const baseId = "SRCROOT";
const levels = { error: "error", warning: "warning", hint: "note" } as const satisfies Record<
  Severity,
  Result.level
>;
/** As code scanning calls them. */
const severities: Readonly<Record<Severity, string>> = {
  error: "error",
  warning: "warning",
  hint: "recommendation",
};

export function renderSarif(
  diagnostics: readonly Diagnostic[],
  { version, base, catalogue }: SarifOptions,
): string {
  const codes = [...new Set(diagnostics.map(({ code }) => code))].sort();
  const log: Log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "realmc",
            version,
            semanticVersion: version,
            rules: codes.map((code) => rule(code, catalogue[code])),
          },
        },
        columnKind: "utf16CodeUnits",
        originalUriBaseIds: { [baseId]: { description: { text: base } } },
        results: diagnostics.map((each) => result(each, codes.indexOf(each.code))),
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function rule(code: string, entry: Codes[string] | undefined): ReportingDescriptor {
  if (entry === undefined) throw new Error(`no entry in the catalogue: ${code}`);
  return {
    id: code,
    shortDescription: { text: entry.summary },
    fullDescription: { text: entry.explanation },
    help: { text: textPage(code, entry, { width: 80, colored: false }), markdown: markdownPage(entry) },
    defaultConfiguration: { level: levels[entry.severity] },
    properties: { "problem.severity": severities[entry.severity] },
  };
}

function result(
  { code, severity, message, hint, span, related = [] }: Diagnostic,
  ruleIndex: number,
): Result {
  return {
    ruleId: code,
    ruleIndex,
    level: levels[severity],
    message: { text: hint === undefined ? message : `${message} (${hint})` },
    locations: [{ physicalLocation: place(span) }],
    ...(related.length === 0
      ? {}
      : {
          relatedLocations: related.map(
            (each, id): Location => ({
              id,
              message: { text: each.message },
              physicalLocation: place(each.span),
            }),
          ),
        }),
  };
}

function place({ file, line, column, endLine, endColumn }: Span): PhysicalLocation {
  return {
    artifactLocation: { uri: file.split("/").map(encodeURIComponent).join("/"), uriBaseId: baseId },
    region: { startLine: line, startColumn: column, endLine, endColumn },
  };
}
