import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { renderCount, renderText } from "../diagnostics/render.ts";
import type { Look } from "./terminal.ts";

/** Where diagnostics go: on a terminal, with the lines spoken of. */
export interface Report extends Look {
  readonly line: (text: string) => void;
}

/** Diagnostics as text, how many there are, and on a terminal where to read on; nothing where there are none. */
export function reportDiagnostics(
  config: string,
  diagnostics: readonly Diagnostic[],
  { terminal, colored, line }: Report,
): void {
  const [first] = diagnostics;
  if (first === undefined) return;
  line(
    renderText(diagnostics, { terminal, colored, source: (file) => textOf(join(config, file)) }) +
      renderCount(diagnostics) +
      (terminal ? ` (realmc explain ${first.code} says more)` : ""),
  );
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // A missing file has no lines to show.
    return undefined;
  }
}
