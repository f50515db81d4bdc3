import { renderJson } from "../diagnostics/render.ts";
import { hasErrors } from "../diagnostics/sort.ts";
import { type ExitCode, exit } from "./exit.ts";
import { reportDiagnostics } from "./report.ts";
import { analyse } from "./stages.ts";
import type { Terminal } from "./terminal.ts";

export type CheckFormat = "text" | "json";

/**
 * `realmc check`: the diagnostics are its product and go to stdout.
 * @throws UsageError
 */
export async function check(config: string, format: CheckFormat, terminal: Terminal): Promise<ExitCode> {
  const { realms, diagnostics } = await analyse(config, undefined, terminal);
  if (format === "json") terminal.out(renderJson(diagnostics).trimEnd());
  else {
    reportDiagnostics(config, diagnostics, { ...terminal.outLook, line: terminal.out });
    if (diagnostics.length === 0)
      terminal.out(`${config}: ${realms.length} ${realms.length === 1 ? "realm" : "realms"}, no problems`);
  }
  return hasErrors(diagnostics) ? exit.diagnostics : exit.ok;
}
