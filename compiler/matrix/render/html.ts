/** The matrix as a page that needs nothing else: no script, no style sheet, no font from elsewhere. */
import type { Cell } from "../cells.ts";
import type { CollectionMatrix, Matrix } from "../matrix.ts";

export function renderMatrixHtml({ realms }: Matrix): string {
  const sections = Object.entries(realms).flatMap(([realm, collections]) => [
    `<h2 id="${escaped(realm)}">${escaped(realm)}</h2>`,
    ...Object.entries(collections).map(([place, rows]) => table(realm, place, rows)),
  ]);
  const links = Object.entries(realms).map(
    ([realm, collections]) =>
      `<li><a href="#${escaped(realm)}">${escaped(realm)}</a><ul>${Object.keys(collections)
        .map((place) => `<li><a href="#${idOf(realm, place)}">${escaped(place)}</a></li>`)
        .join("")}</ul></li>`,
  );
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
    "<title>Who can do what</title>",
    `<style>\n${style}\n</style>`,
    "</head>",
    "<body>",
    "<h1>Who can do what</h1>",
    `<p>${legend}</p>`,
    `<nav aria-label="Collections"><ul>${links.join("")}</ul></nav>`,
    "<main>",
    ...sections,
    "</main>",
    "</body>",
    "</html>",
  ].join("\n");
}

const legend =
  "Computed from the forms of the rules, not sampled. Cells are what happens: whoever may not read a document can do nothing with it. " +
  "<strong>never</strong> and <strong>always</strong> are proved; <strong>if</strong> says what it depends on; " +
  "<strong>undecided</strong> could not be told.";

function table(realm: string, place: string, rows: CollectionMatrix): string {
  const [first = {}] = Object.values(rows);
  const columns = Object.keys(first);
  const head = columns.map((column) => `<th scope="col">${escaped(column)}</th>`).join("");
  const body = Object.entries(rows).map(([name, cells]) => {
    const own = columns.map((column) => {
      const cell = cells[column];
      return cell === undefined ? "<td></td>" : cellHtml(cell);
    });
    return `<tr><th scope="row">${escaped(name)}</th>${own.join("")}</tr>`;
  });
  return [
    // Wide tables are scrolled, by the keyboard as well.
    `<div class="table" tabindex="0" role="region" aria-labelledby="${idOf(realm, place)}">`,
    "<table>",
    `<caption id="${idOf(realm, place)}">${escaped(realm)} ${escaped(place)}</caption>`,
    `<thead><tr><td></td>${head}</tr></thead>`,
    "<tbody>",
    ...body,
    "</tbody>",
    "</table>",
    "</div>",
  ].join("\n");
}

function cellHtml({ cell, condition }: Cell): string {
  const further = condition === null ? "" : ` <code>${escaped(condition)}</code>`;
  return `<td class="${cell}">${cell}${further}</td>`;
}

function idOf(realm: string, place: string): string {
  return escaped(`${realm}/${place}`);
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

const style = `:root { color-scheme: light dark; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem; }
.table { overflow-x: auto; margin: 1.5rem 0; }
table { border-collapse: collapse; }
caption { text-align: left; font-weight: 600; padding: 0.3rem 0; }
th, td { border: 1px solid #8886; padding: 0.3rem 0.6rem; text-align: left; vertical-align: top; }
tbody th { font-weight: 500; white-space: nowrap; }
code { font-size: 0.9em; overflow-wrap: anywhere; }
.always { background: #2a72; }
.if { background: #d912; }
.undecided { background: #d332; font-weight: 600; }`;
