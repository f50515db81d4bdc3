/** From the entries of codes to diagnostics, whose messages get the parameters that they name. */
import type { Diagnostic, Span } from "./diagnostic.ts";
import type { CatalogueEntry, ParameterNames } from "./entry.ts";

export type Codes = Readonly<Record<string, CatalogueEntry>>;

type HintOf<Entry> = Entry extends { readonly hint: infer Hint extends string } ? Hint : "";

/** What the message and the hint of an entry need. */
export type ParametersOf<Entry extends CatalogueEntry> = Readonly<
  Record<ParameterNames<Entry["message"]> | ParameterNames<HintOf<Entry>>, string | number>
>;

/** Makes a diagnostic of some codes. `more.hint` takes the place of the entry's own. */
export type Diagnose<C extends { readonly [Code in keyof C]: CatalogueEntry }> = <
  Code extends keyof C & string,
>(
  code: Code,
  span: Span,
  parameters: ParametersOf<C[Code]>,
  more?: { readonly hint?: string | undefined; readonly related?: Diagnostic["related"] },
) => Diagnostic;

export function diagnoser<C extends { readonly [Code in keyof C]: CatalogueEntry }>(codes: C): Diagnose<C> {
  return (code, span, parameters, more = {}) => {
    const entry: CatalogueEntry = codes[code];
    const hint = more.hint ?? (entry.hint === undefined ? undefined : fill(entry.hint, parameters));
    return {
      code,
      severity: entry.severity,
      message: fill(entry.message, parameters),
      ...(hint === undefined ? {} : { hint }),
      span,
      ...(more.related === undefined ? {} : { related: more.related }),
    };
  };
}

export function fill(template: string, parameters: Readonly<Record<string, string | number>>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => shortened(String(parameters[name])));
}

/** Characters of a name or value that a message repeats. */
const MAX_PARAMETER = 200;

function shortened(text: string): string {
  return text.length <= MAX_PARAMETER ? text : `${text.slice(0, MAX_PARAMETER - 1)}…`;
}
