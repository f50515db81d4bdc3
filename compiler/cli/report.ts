import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { renderCount, renderText } from "../diagnostics/render.ts";
import type { Look } from "./terminal.ts";

/** Where diagnostics go: on a terminal, with the lines spoken of. */
export interface Report extends Look {
  readonly line: (text: string) => void;
}

/** Diagnostics as text, and how many there are; nothing where there are none. */
export function reportDiagnostics(
  config: string,
  diagnostics: readonly Diagnostic[],
  { terminal, colored, line }: Report,
): void {
  if (diagnostics.length === 0) return;
  line(
    renderText(diagnostics, { terminal, colored, source: (file) => textOf(join(config, file)) }) +
      renderCount(diagnostics),
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
