import type { Diagnostic } from "./diagnostic.ts";

/** By file, position, code and message; a diagnostic that says the same twice is kept once. */
export function sorted(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const ordered = [...diagnostics].sort(compare);
  return ordered.filter((diagnostic, at) => {
    const previous = ordered[at - 1];
    return previous === undefined || compare(previous, diagnostic) !== 0;
  });
}

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity === "error");
}

/** What every command tells of; hints are told by `check` alone. */
export function withoutHints(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return diagnostics.filter(({ severity }) => severity !== "hint");
}

function compare(a: Diagnostic, b: Diagnostic): number {
  return (
    compareText(a.span.file, b.span.file) ||
    a.span.line - b.span.line ||
    a.span.column - b.span.column ||
    compareText(a.code, b.code) ||
    compareText(a.message, b.message)
  );
}

/** By code unit, so that the order is the same under every locale. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns the paths of files with errors, relative to the configuration folder. */
export function filesWithErrors(diagnostics: readonly Diagnostic[]): ReadonlySet<string> {
  return new Set(diagnostics.filter(({ severity }) => severity === "error").map(({ span }) => span.file));
}
