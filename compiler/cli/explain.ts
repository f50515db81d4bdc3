import picocolors from "picocolors";
import { didYouMean } from "../../runtime/suggest.ts";
import { catalogue, chapters } from "../check/catalogue.ts";
import type { CatalogueEntry } from "../diagnostics/entry.ts";
import { textPage } from "../diagnostics/page.ts";
import { paints } from "../diagnostics/paints.ts";
import { type ExitCode, exit } from "./exit.ts";
import type { Terminal } from "./terminal.ts";

/** Columns of prose where nobody says how many there are. */
const WIDTH = 80;

const entries: ReadonlyMap<string, CatalogueEntry> = new Map(Object.entries(catalogue));

/** `realmc explain`: the page of a diagnostic; without a code, every code with its summary. */
export function explain(code: string | undefined, terminal: Terminal): ExitCode {
  const { colored } = terminal.outLook;
  if (code === undefined) {
    terminal.out(list(colored));
    return exit.ok;
  }
  // Typed from a page or a report, where a sentence may begin with it.
  const known = code.toLowerCase();
  const entry = entries.get(known);
  if (entry !== undefined) {
    terminal.out(textPage(known, entry, { width: WIDTH, colored }).trimEnd());
    return exit.ok;
  }
  const hint = didYouMean(code, [...entries.keys()]) ?? "realmc explain lists all";
  terminal.fail(`there is no diagnostic '${code}' (${hint})`);
  return exit.diagnostics;
}

function list(colored: boolean): string {
  const colors = picocolors.createColors(colored);
  const widest = Math.max(...[...entries.keys()].map((code) => code.length));
  return Object.entries<Readonly<Record<string, CatalogueEntry>>>(chapters)
    .map(([title, codes]) => {
      const lines = Object.entries(codes).map(([code, { severity, summary }]) => {
        const mark = severity === "error" ? "" : `${colors[paints[severity]](severity)}: `;
        return `  ${code.padEnd(widest)}  ${mark}${summary}`;
      });
      return [colors.bold(title), ...lines].join("\n");
    })
    .join("\n\n");
}
