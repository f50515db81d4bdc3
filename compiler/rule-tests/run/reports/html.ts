import type { ClauseCoverage, Coverage } from "../coverage.ts";
import { percentText } from "./text.ts";

/**
 * Coverage as one page that needs nothing else: the files with rules, their clauses coloured.
 * @param source the text of a file of the configuration
 */
export function htmlReport(coverage: Coverage, source: (file: string) => string): string {
  const files = [...new Set(coverage.all.map(({ file }) => file))];
  const sections = files.map((file) =>
    section(
      file,
      source(file),
      coverage.all.filter((each) => each.file === file),
    ),
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Coverage of rules</title>
<style>${styles}</style>
</head>
<body>
<h1>Coverage of rules: ${percentText(coverage.percent)}</h1>
<p>${coverage.covered} of ${coverage.clauses} clauses were true in one evaluation and false in another.</p>
<p><span class="both">both</span> <span class="never-false">never false</span> <span class="never-true">never true</span> <span class="never">never asked</span></p>
${sections.join("\n")}
</body>
</html>
`;
}

const styles = `
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem; color: #1c1c1c; background: #fff; }
pre { font: 13px/1.6 ui-monospace, monospace; overflow-x: auto; border: 1px solid #ccc; padding: .5rem 0; }
pre i { display: inline-block; width: 3.5em; padding-right: 1em; text-align: right; color: #767676; font-style: normal; user-select: none; }
.both { background: #c9f0cf; }
.never-false { background: #ffe8a8; border-bottom: 2px solid #8a6100; }
.never-true { background: #ffd3c2; border-bottom: 2px dashed #a33000; }
.never { background: #ffb3b3; border-bottom: 2px dotted #a30000; }
`;

function section(file: string, text: string, clauses: readonly ClauseCoverage[]): string {
  const lines = text.split(/\r?\n/).map((line, at) => `<i>${at + 1}</i>${coloured(line, at + 1, clauses)}`);
  return `<h2>${escaped(file)}</h2>\n<pre>${lines.join("\n")}</pre>`;
}

/** A line with its clauses marked; of clauses within others the inner one shows. */
function coloured(line: string, number: number, clauses: readonly ClauseCoverage[]): string {
  const own = clauses.filter((each) => each.line <= number && each.endLine >= number);
  const clauseAt = (column: number): ClauseCoverage | undefined =>
    own
      .filter(
        (each) =>
          (each.line < number || each.column <= column) && (each.endLine > number || each.endColumn > column),
      )
      .at(-1);
  let html = "";
  let at = 0;
  while (at < line.length) {
    const clause = clauseAt(at + 1);
    let end = at + 1;
    while (end < line.length && clauseAt(end + 1) === clause) end += 1;
    const text = escaped(line.slice(at, end));
    html +=
      clause === undefined
        ? text
        : `<span class="${classOf(clause)}" title="${titleOf(clause)}">${text}</span>`;
    at = end;
  }
  return html;
}

function classOf(clause: ClauseCoverage): string {
  if (clause.true > 0) return clause.false > 0 ? "both" : "never-false";
  return clause.false > 0 ? "never-true" : "never";
}

function titleOf(clause: ClauseCoverage): string {
  return `true ${clause.true} times, false ${clause.false} times`;
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
