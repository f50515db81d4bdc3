import { posix } from "node:path";
import type { Diagnostic, Span } from "./diagnostic.ts";

/** Diagnostics whose files are named from another folder, from which `prefix` leads to the configuration's. */
export function rebased(diagnostics: readonly Diagnostic[], prefix: string): readonly Diagnostic[] {
  if (prefix === "") return diagnostics;
  const moved = (span: Span): Span => ({ ...span, file: posix.join(prefix, span.file) });
  return diagnostics.map((diagnostic) => ({
    ...diagnostic,
    span: moved(diagnostic.span),
    ...(diagnostic.related === undefined
      ? {}
      : { related: diagnostic.related.map((each) => ({ ...each, span: moved(each.span) })) }),
  }));
}
