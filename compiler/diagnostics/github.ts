/** Diagnostics as workflow commands, which GitHub Actions shows beside the lines that they speak of. */
import type { Diagnostic, Severity, Span } from "./diagnostic.ts";
import { visible } from "./visible.ts";

/**
 * `::error file=…,line=…,col=…,endLine=…,endColumn=…,title=CODE::message`, one line a diagnostic: the hint and related places
 * follow the message as further lines of it.
 */
export function renderGithub(diagnostics: readonly Diagnostic[]): string {
  return diagnostics.map((diagnostic) => `${command(diagnostic)}\n`).join("");
}

const commands: Readonly<Record<Severity, string>> = { error: "error", warning: "warning", hint: "notice" };

function command({ code, severity, message, hint, span, related = [] }: Diagnostic): string {
  const { file, line, column, endLine, endColumn } = span;
  const properties = { file, line, col: column, endLine, endColumn, title: code };
  const given = Object.entries(properties).map(([name, value]) => `${name}=${property(String(value))}`);
  const lines = [
    message,
    ...(hint === undefined ? [] : [`hint: ${hint}`]),
    ...related.map((each) => `${whereIs(each.span)} ${each.message}`),
  ];
  return `::${commands[severity]} ${given.join(",")}::${lines.map(data).join("%0A")}`;
}

function whereIs({ file, line, column }: Span): string {
  return `${file}:${line}:${column}`;
}

function data(text: string): string {
  return visible(text).replaceAll("%", "%25");
}

/** The runner takes these apart by commas and colons; a file keeps its very name, line breaks included. */
function property(text: string): string {
  return text.replace(/[%\r\n:,]/g, (sign) => encodeURIComponent(sign));
}
