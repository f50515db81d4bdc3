/** Diagnostics as text for people and as JSON for tools. */
import picocolors from "picocolors";
import type { Diagnostic, Severity, Span } from "./diagnostic.ts";
import { paints } from "./paints.ts";
import { invisible, visible } from "./visible.ts";

export interface TextOptions {
  /** Source excerpts, and colours unless those are not welcome: for terminals. */
  readonly terminal: boolean;
  readonly colored?: boolean;
  /** The text of a file by its path, for excerpts. */
  readonly source?: (file: string) => string | undefined;
}

/**
 * One block a diagnostic: `file:line:column severity code message`, with hint and related places indented below, and on a
 * terminal the line it speaks of.
 */
export function renderText(diagnostics: readonly Diagnostic[], options: TextOptions): string {
  const colors = picocolors.createColors(options.colored ?? options.terminal);
  return diagnostics.map((diagnostic) => `${lines(diagnostic, options, colors).join("\n")}\n`).join("");
}

/** `1 error, 2 warnings`, and `, 3 hints` where there are any. */
export function renderCount(diagnostics: readonly Diagnostic[]): string {
  const of = (wanted: Severity): number => diagnostics.filter(({ severity }) => severity === wanted).length;
  const [errors, warnings, hints] = [of("error"), of("warning"), of("hint")];
  const told = [counted(errors, "error"), counted(warnings, "warning")];
  return [...told, ...(hints === 0 ? [] : [counted(hints, "hint")])].join(", ");
}

/** As `check --format json` prints it: files relative to the configuration folder, positions from 1, ends exclusive. */
export interface JsonDiagnostic {
  readonly code: string;
  readonly severity: string;
  readonly message: string;
  readonly hint: string | null;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly end_line: number;
  readonly end_column: number;
  readonly related: readonly JsonRelated[];
}

export interface JsonRelated {
  readonly message: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly end_line: number;
  readonly end_column: number;
}

export function toJsonDiagnostics(diagnostics: readonly Diagnostic[]): JsonDiagnostic[] {
  return diagnostics.map(({ code, severity, message, hint, span, related = [] }) => ({
    code,
    severity,
    message,
    hint: hint ?? null,
    ...place(span),
    related: related.map((each) => ({ message: each.message, ...place(each.span) })),
  }));
}

/** An array, one diagnostic a line. */
export function renderJson(diagnostics: readonly Diagnostic[]): string {
  const rows = toJsonDiagnostics(diagnostics).map((each) => JSON.stringify(each));
  return rows.length === 0 ? "[]\n" : `[\n${rows.join(",\n")}\n]\n`;
}

function place({ file, line, column, endLine, endColumn }: Span) {
  return { file, line, column, end_line: endLine, end_column: endColumn };
}

type Colors = ReturnType<typeof picocolors.createColors>;

function lines(diagnostic: Diagnostic, options: TextOptions, colors: Colors): string[] {
  const { code, severity, message, hint, span, related = [] } = diagnostic;
  const paint = colors[paints[severity]];
  const head = `${colors.bold(whereIs(span))} ${paint(severity)} ${colors.dim(code)} ${visible(message)}`;
  return [
    head,
    ...(options.terminal ? excerpt(span, options, paint) : []),
    ...(hint === undefined ? [] : [`  ${colors.cyan("hint:")} ${visible(hint)}`]),
    ...related.map((each) => `  ${whereIs(each.span)} ${visible(each.message)}`),
  ];
}

function whereIs({ file, line, column }: Span): string {
  return `${visible(file)}:${line}:${column}`;
}

/** The line, and carets under what is meant of it; nothing for what concerns a file as a whole. */
function excerpt(span: Span, { source }: TextOptions, paint: (text: string) => string): string[] {
  const line = source?.(span.file)?.split(/\r\n|[\n\r]/)[span.line - 1];
  if (line === undefined || line.trim() === "" || isPoint(span)) return [];
  const margin = `${span.line} | `;
  const end = span.endLine === span.line ? span.endColumn : line.length + 1;
  const indent = line.slice(0, span.column - 1).replace(/[^\t]/g, " ");
  const carets = "^".repeat(Math.max(1, end - span.column));
  const shown = line.replace(invisible, (character) => (character === "\t" ? character : "\ufffd"));
  return [`  ${margin}${shown}`, `  ${" ".repeat(margin.length)}${indent}${paint(carets)}`];
}

function isPoint({ line, column, endLine, endColumn }: Span): boolean {
  return line === 1 && column === 1 && endLine === 1 && endColumn === 1;
}

/** `1 realm`, `2 realms`. */
export function counted(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}
