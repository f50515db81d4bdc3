/** `docs/diagnostics.md`, printed from the catalogue. */
import { chapters as all } from "../../compiler/check/catalogue.ts";
import { markdownPage } from "../../compiler/diagnostics/page.ts";
import { exampleRealm } from "../../compiler/diagnostics/testing/example-realm.ts";
import { inWrittenOrder } from "./written-order.ts";

/** `written`: the document as it stands, whose order is kept. */
export function diagnosticsDocument(written: string): string {
  const chapters = Object.entries(all).map(
    ([title, codes]) => [title, inWrittenOrder(codes, written, (code) => `### ${code}\n`)] as const,
  );
  const table = chapters.map(
    ([title, codes]) =>
      `- ${title}: ${Object.keys(codes)
        .map((code) => `[${code}](#${code})`)
        .join(", ")}`,
  );
  const sections = chapters.flatMap(([title, codes]) => [
    `## ${title}`,
    ...Object.entries(codes).map(([code, entry]) => `### ${code}\n\n${markdownPage(entry)}`),
  ]);
  return `${[preface, table.join("\n"), ...sections, realm].join("\n\n")}\n`;
}

const preface = `# Diagnostics

<!-- Printed from compiler/check/catalogue.ts; \`UPDATE_DOCS=1 npx vitest run scripts/docs\` writes it anew. -->

What \`realmc check\` and \`realmc build\` say of a configuration. Each has a stable code, and one line

    file:line:column severity code message

followed by a hint and related places where there are any. All mistakes of a run are reported together, sorted by file and
position. Errors stop the build; nothing is written then. Warnings do not. Hints are about what is right and could be better: only
\`check\` tells them, not with \`--no-hints\`, and nothing fails for them. \`--format json\` gives an array of
\`{code, severity, message, hint, file, line, column, end_line, end_column, related}\`: files relative to the configuration
folder, lines and columns from 1, ends exclusive. For the formats of continuous integration see [ci.md](ci.md).

\`realmc explain CODE\` prints what this page says of a code; \`realmc explain\` alone lists the codes. The examples show what
differs from [one small realm](#the-realm-of-the-examples); files without a folder are those of its collection \`tickets\`. A test
compiles every one: what is wrong gives exactly its code, what is right gives nothing; the hints of others are left out.`;

const realm = [
  "## The realm of the examples",
  ...Object.entries(exampleRealm).map(
    ([path, text]) => `\`${path}\`\n\n\`\`\`${path.endsWith(".json") ? "json" : "yaml"}\n${text}\`\`\``,
  ),
].join("\n\n");
