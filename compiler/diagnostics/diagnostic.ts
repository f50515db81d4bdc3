/** Where something stands in a configuration file. Lines and columns count from 1; the end is exclusive. */
export interface Span {
  /** Relative to the configuration folder, with `/`. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/**
 * `error` stops the build. `warning`: what is surely or probably not meant. `hint`: what is right as it stands, and could be
 * better; nothing fails for it, and only `check` tells of it.
 */
export type Severity = "error" | "warning" | "hint";

export interface Diagnostic {
  /** A key of the catalogue. */
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  /** How to mend it. */
  readonly hint?: string;
  readonly span: Span;
  readonly related?: readonly { readonly message: string; readonly span: Span }[];
}

/** A stage's value with what it found wrong on the way. */
export interface Staged<T> {
  readonly value: T;
  readonly diagnostics: readonly Diagnostic[];
}
