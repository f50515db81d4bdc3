/** The matrix as Markdown: a heading for each collection, a table below it. */
import type { Cell } from "../cells.ts";
import type { CollectionMatrix, Matrix } from "../matrix.ts";

export function renderMatrixMarkdown({ realms }: Matrix): string {
  const sections = Object.entries(realms).flatMap(([realm, collections]) => [
    `## ${text(realm)}`,
    ...Object.entries(collections).flatMap(([place, rows]) => [`### ${text(place)}`, table(rows)]),
  ]);
  return sections.join("\n\n");
}

function table(rows: CollectionMatrix): string {
  const [first = {}] = Object.values(rows);
  const columns = Object.keys(first);
  const lines = [
    ["", ...columns.map(text)],
    ["---", ...columns.map(() => "---")],
    ...Object.entries(rows).map(([name, cells]) => [
      text(name),
      ...columns.map((column) => {
        const cell = cells[column];
        return cell === undefined ? "" : cellText(cell);
      }),
    ]),
  ];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function cellText({ cell, condition }: Cell): string {
  return condition === null ? cell : `${cell} ${code(condition)}`;
}

/** Between more backticks than stand in it; a bar would end the cell. */
function code(condition: string): string {
  const longest = Math.max(0, ...(condition.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  const padded = longest === 0 ? condition : ` ${condition} `;
  return `${fence}${padded.replaceAll("|", "\\|")}${fence}`;
}

/** Names may hold what Markdown would read as emphasis. */
function text(name: string): string {
  return name.replace(/[\\`*_|<>[\]]/g, "\\$&");
}
