/** What `realmc diff` reports. */
import { fill } from "../diagnostics/diagnose.ts";
import type { ParameterNames } from "../diagnostics/entry.ts";

/**
 * `leak`: readers see stored values that a rule hid from them, and nobody said so. `breaking`: something that clients did may not work any longer. `additive`: something works that did not, or is
 * answered that was not. `internal`: clients notice nothing.
 */
export type Kind = "leak" | "breaking" | "additive" | "internal";

export const kinds: readonly Kind[] = ["leak", "breaking", "additive", "internal"];

export interface Change {
  readonly kind: Kind;
  readonly realm: string;
  /** `support/tickets schema.status`, `roles.editor`; empty for the realm as a whole. */
  readonly where: string;
  readonly message: string;
  /** A key of the catalogue. */
  readonly check: string;
  /** Of rules: the cells of the matrix that are others by it. */
  readonly cells?: readonly ChangedCell[];
}

/** `member` `read`: was `never`, is `if document.public`. */
export interface ChangedCell {
  readonly row: string;
  readonly column: string;
  readonly was: string;
  readonly is: string;
}

/** One check of the catalogue. */
export interface CheckEntry {
  readonly kind: Kind;
  /** `{name}` stands for a parameter. */
  readonly message: string;
  /** Why it is of its kind. Markdown, one line. */
  readonly why: string;
}

/** Leaks first, then what breaks; then by realm and place. */
export function sortedChanges(changes: readonly Change[]): Change[] {
  const key = ({ kind, realm, where }: Change) => [String(kinds.indexOf(kind)), realm, where];
  return changes
    .map((change) => ({ change, key: key(change) }))
    .sort((a, b) => {
      const at = a.key.findIndex((part, index) => part !== b.key[index]);
      return at === -1 ? 0 : (a.key[at] ?? "") < (b.key[at] ?? "") ? -1 : 1;
    })
    .map(({ change }) => change);
}

export type Changes = Readonly<Record<string, CheckEntry>>;

/** Notes a change of an entry of the catalogue. */
export type Note = (
  check: string,
  entry: CheckEntry,
  where: string,
  parameters: Readonly<Record<string, string | number>>,
) => void;

/** Notes a change of some entries, at a place of the realm that is compared. */
export type Report<C extends { readonly [Check in keyof C]: CheckEntry }> = <Check extends keyof C & string>(
  check: Check,
  where: string,
  parameters: Readonly<Record<ParameterNames<C[Check]["message"]>, string | number>>,
) => void;

/** Adds to `changes`. */
export function noting(realm: string, changes: Change[]): Note {
  return (check, { kind, message }, where, parameters) => {
    changes.push({ kind, realm, where, message: fill(message, parameters), check });
  };
}

export function reporter<C extends { readonly [Check in keyof C]: CheckEntry }>(
  entries: C,
  note: Note,
): Report<C> {
  return (check, where, parameters) => note(check, entries[check], where, parameters);
}
