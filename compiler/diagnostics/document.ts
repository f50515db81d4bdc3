/** `docs/diagnostics.md`, printed from the catalogue. */
import { chapters } from "./catalogue.ts";
import type { CatalogueEntry } from "./entry.ts";

export function diagnosticsDocument(): string {
  const table = Object.entries(chapters).map(
    ([title, codes]) =>
      `- ${title}: ${Object.keys(codes)
        .map((code) => `[${code}](#${code})`)
        .join(", ")}`,
  );
  const sections = Object.entries(chapters).flatMap(([title, codes]) => [
    `## ${title}`,
    ...Object.entries(codes).map(([code, entry]) => section(code, entry)),
  ]);
  return `${[preface, table.join("\n"), ...sections].join("\n\n")}\n`;
}

const preface = `# Diagnostics

<!-- Printed from compiler/diagnostics/codes; \`UPDATE_DOCS=1 npx vitest run compiler/diagnostics\` writes it anew. -->

What \`realmc check\` and \`realmc build\` say of a configuration. Each has a stable code, and one line

    file:line:column severity code message

followed by a hint and related places where there are any. All mistakes of a run are reported together, sorted by file and
position. Errors stop the build; nothing is written then. Warnings do not. \`--format json\` gives an array of
\`{code, severity, message, hint, file, line, column, end_line, end_column, related}\`: files relative to the configuration
folder, lines and columns from 1, ends exclusive.`;

function section(code: string, entry: CatalogueEntry): string {
  return [
    `### ${code}`,
    `${entry.severity === "error" ? "Error" : "Warning"}. ${entry.summary}`,
    entry.explanation,
    example("Wrong", entry.wrong),
    example("Right", entry.right),
  ].join("\n\n");
}

function example(title: string, text: string): string {
  const language = /^[[{]/.test(text) ? "json" : /^(?:- |#|.*:(?: |$))/m.test(text) ? "yaml" : "text";
  return `${title}:\n\n\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;
}
