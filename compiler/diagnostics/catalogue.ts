/**
 * Every diagnostic that the compiler can give: code -> severity, texts, examples. `docs/diagnostics.md` is printed from
 * it, and `diagnose` checks at compile time that a message gets the parameters that it names.
 */

import { aggregationCodes } from "./codes/aggregation.ts";
import { collectionCodes } from "./codes/collection.ts";
import { fileCodes } from "./codes/files.ts";
import { indexCodes } from "./codes/indexes.ts";
import { organizationCodes } from "./codes/organizations.ts";
import { realmCodes } from "./codes/realm.ts";
import { referenceCodes } from "./codes/references.ts";
import { ruleCodes } from "./codes/rules.ts";
import { schemaCodes } from "./codes/schema.ts";
import { treeCodes } from "./codes/tree.ts";
import { valueCodes } from "./codes/values.ts";
import type { Diagnostic, Span } from "./diagnostic.ts";
import type { CatalogueEntry, ParameterNames } from "./entry.ts";

/** The chapters of the catalogue, in the order of the documentation. */
export const chapters = {
  "The folder": treeCodes,
  "Files and syntax": fileCodes,
  "Keys and values": valueCodes,
  "realm.yaml": realmCodes,
  "schema.json": schemaCodes,
  "indexes.json": indexCodes,
  "collection.yaml": collectionCodes,
  References: referenceCodes,
  Aggregation: aggregationCodes,
  Organizations: organizationCodes,
  Rules: ruleCodes,
} as const satisfies Readonly<Record<string, Readonly<Record<string, CatalogueEntry>>>>;

export const catalogue = {
  ...treeCodes,
  ...fileCodes,
  ...valueCodes,
  ...realmCodes,
  ...schemaCodes,
  ...indexCodes,
  ...collectionCodes,
  ...referenceCodes,
  ...aggregationCodes,
  ...organizationCodes,
  ...ruleCodes,
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

export type Code = keyof typeof catalogue;

type Hint<C extends Code> = (typeof catalogue)[C] extends { readonly hint: infer H extends string } ? H : "";

/** What the message and the hint of a code need. */
export type Parameters<C extends Code> = Readonly<
  Record<ParameterNames<(typeof catalogue)[C]["message"]> | ParameterNames<Hint<C>>, string | number>
>;

/** Makes a diagnostic of the catalogue. `more.hint` takes the place of the catalogue's own. */
export function diagnose<C extends Code>(
  code: C,
  span: Span,
  parameters: Parameters<C>,
  more: { readonly hint?: string | undefined; readonly related?: Diagnostic["related"] } = {},
): Diagnostic {
  const entry: CatalogueEntry = catalogue[code];
  const hint = more.hint ?? (entry.hint === undefined ? undefined : fill(entry.hint, parameters));
  return {
    code,
    severity: entry.severity,
    message: fill(entry.message, parameters),
    ...(hint === undefined ? {} : { hint }),
    span,
    ...(more.related === undefined ? {} : { related: more.related }),
  };
}

/** A message with its parameters. */
export function fill(template: string, parameters: Readonly<Record<string, string | number>>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => shortened(String(parameters[name])));
}

/** Characters of a name or value that a message repeats. */
const MAX_PARAMETER = 200;

function shortened(text: string): string {
  return text.length <= MAX_PARAMETER ? text : `${text.slice(0, MAX_PARAMETER - 1)}…`;
}
