import type { Severity } from "./diagnostic.ts";

/** One code of the catalogue: everything about a diagnostic that does not depend on where it was found. */
export interface CatalogueEntry {
  readonly severity: Severity;
  /** One line: what is wrong, in general. */
  readonly summary: string;
  /** The message; `{name}` stands for a parameter. */
  readonly message: string;
  /** How to mend it, where that is the same every time; `{name}` stands for a parameter. */
  readonly hint?: string;
  /** Why it is refused and what it would have led to. Markdown. */
  readonly explanation: string;
  /** What gives this code and no other, and what gives none: a test compiles both. */
  readonly wrong: Example;
  readonly right: Example;
}

/** An example of the catalogue. */
export type Example =
  | ExampleFiles
  /** Where it matters what was built before. */
  | { readonly before: ExampleFiles; readonly now: ExampleFiles }
  /** Paths, one a line, of a folder that holds nothing else; `a -> b` is a symbolic link. */
  | { readonly tree: string }
  /** A command line about the examples' realm. */
  | { readonly command: string }
  /** What cannot be shown. */
  | { readonly words: string };

/** Files that take the place of those of the examples' realm, by name: see `examplePath`. */
export type ExampleFiles = Readonly<Record<`${string}.${string}`, string>>;

/** The names of the parameters of a message: `"a {b} c {d}"` has `"b" | "d"`. Braces around text with spaces are text. */
export type ParameterNames<Template extends string> = Template extends `${string}{${infer After}`
  ? After extends `${infer Name}}${infer Rest}`
    ? Name extends `${string}${" " | "{"}${string}`
      ? ParameterNames<After>
      : Name | ParameterNames<Rest>
    : never
  : never;
