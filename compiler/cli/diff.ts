import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { hasErrors } from "../diagnostics/sort.ts";
import { withCells } from "../diff/access/cells.ts";
import { newAccess } from "../diff/access/gate.ts";
import { renderVerdict, renderVerdictJson } from "../diff/access/render.ts";
import { diffRealms } from "../diff/diff.ts";
import { renderChangeCount, renderChanges, renderChangesJson } from "../diff/render.ts";
import { analyseSides, type Sides, UnknownOutput } from "../diff/sides.ts";
import type { Change, Kind } from "../settings/change.ts";
import { type ExitCode, exit, UsageError } from "./exit.ts";
import { requireFolder } from "./folders.ts";
import { reportDiagnostics } from "./report.ts";
import type { Terminal } from "./terminal.ts";

export type DiffFormat = "text" | "json";

export interface DiffOptions {
  readonly format: DiffFormat;
  /** Exit 0 whatever breaks. */
  readonly allowBreaking?: true;
  /** The one question is whether somebody gains an access. */
  readonly newAccess?: boolean;
}

/**
 * `realmc diff`: what changed for clients between two configurations or output folders, on stdout; 1 where something
 * leaks or breaks them, or one of the two has mistakes. With `newAccess` false whether somebody gains an access, and 1 if so.
 * @throws UsageError
 */
export async function diff(
  old: string,
  now: string,
  { format, allowBreaking, newAccess: mayGain }: DiffOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  requireFolder(old);
  requireFolder(now);
  const sides = await analysed(old, now, terminal);
  terminal.step("comparing");
  const faulty = [
    ...errorsIn(old, sides.old.diagnostics, terminal),
    ...errorsIn(now, sides.now.diagnostics, terminal),
  ];
  if (faulty.length > 0) {
    terminal.fail(`${faulty.join(" and ")} cannot be compared before these are mended`);
    return exit.diagnostics;
  }
  if (mayGain === false) {
    const verdict = newAccess(sides.old.realms, sides.now.realms);
    terminal.out(
      format === "json" ? renderVerdictJson(verdict) : renderVerdict(verdict, terminal.outLook.colored),
    );
    return verdict.result === "PASS" ? exit.ok : exit.diagnostics;
  }
  const found = diffRealms(sides.old.realms, sides.now.realms);
  const changes = withCells(found, sides.old.realms, sides.now.realms);
  print(changes, format, terminal);
  const has = (wanted: Kind): boolean => changes.some(({ kind }) => kind === wanted);
  return has("leak") || (has("breaking") && allowBreaking !== true) ? exit.diagnostics : exit.ok;
}

async function analysed(old: string, now: string, terminal: Terminal): Promise<Sides> {
  try {
    return await analyseSides(old, now, terminal.step);
  } catch (error) {
    throw error instanceof UnknownOutput ? new UsageError(error.message) : error;
  }
}

/** Reports the errors of a folder; answers its name where there are any. */
function errorsIn(folder: string, diagnostics: readonly Diagnostic[], terminal: Terminal): string[] {
  if (!hasErrors(diagnostics)) return [];
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  terminal.err(`${folder}:`);
  reportDiagnostics(folder, errors, { ...terminal.errLook, line: terminal.err });
  return [folder];
}

function print(changes: readonly Change[], format: DiffFormat, terminal: Terminal): void {
  if (format === "json") {
    terminal.out(renderChangesJson(changes));
    return;
  }
  if (changes.length > 0) terminal.out(renderChanges(changes, terminal.outLook.colored));
  terminal.err(renderChangeCount(changes));
}
